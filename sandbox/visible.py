"""Makes text that others have written, such as messages and file names, safe to show.

Characters that would move a cursor, change the direction of writing or hide are shown as Python writes them, `\\x1b` or
`\\u202e`.
"""

from typing import Final
from unicodedata import category

LONGEST: Final = 200
"""Characters of a text in quotation marks, at most."""

LONGEST_NAME: Final = 40

_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_JOINERS: Final = "\u200c\u200d"  # part of how some languages and emojis are written


def visible(text: str, kept: str = "\n\t") -> str:
    """The text with every control character but the `kept` ones written out."""
    if text.isprintable():
        return text
    return text.translate({ord(each): _shown(each, kept) for each in {*text} if not " " <= each <= "~"})


def visible_line(text: str) -> str:
    """The same, on one line."""
    return visible(text, kept="")


def _shown(character: str, kept: str) -> str:
    hides = category(character) in _HIDDEN and character not in _JOINERS
    return repr(character)[1:-1] if hides and character not in kept else character


def quoted(text: str, longest: int = LONGEST) -> str:
    """The text as Python writes a string, on one line and not too long, to stand out in a sentence."""
    return repr(text if len(text) <= longest else text[: longest - 1] + "…")


def name(text: str) -> str:
    """A name from a program: unchanged if it is plain, such as `best_card` or `os.path`; otherwise in quotation marks,
    since some letters look like spaces."""
    plain = text.isascii() and len(text) <= LONGEST_NAME and all(part.isidentifier() for part in text.split("."))
    return text if plain else quoted(text)
