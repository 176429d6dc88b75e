"""Text that others have written, such as players and file names: shown so that it can do nothing but be read.

What would move a cursor, turn the direction of writing or hide is shown as Python writes it, `\\x1b` or `\\u202e`.
"""

from typing import Final
from unicodedata import category

LONGEST: Final = 200
"""Characters of a text within quotation marks."""

LONGEST_NAME: Final = 40

_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_JOINERS: Final = "\u200c\u200d"  # part of how some languages and emojis are written


def visible(text: str, kept: str = "\n\t") -> str:
    """The text with every control character but the `kept` ones written out."""
    if text.isprintable():
        return text
    return "".join(each if each in kept or not _is_hidden(each) else _written(each) for each in text)


def visible_line(text: str) -> str:
    """The same, on one line."""
    return visible(text, kept="")


def _is_hidden(character: str) -> bool:
    return category(character) in _HIDDEN and character not in _JOINERS


def _written(character: str) -> str:
    return repr(character)[1:-1] if not character.isprintable() else character


def quoted(text: str, longest: int = LONGEST) -> str:
    """The text as Python writes a string, on one line and not too long: within a sentence of ours it can be told from
    our words wherever it ends."""
    return repr(text if len(text) <= longest else text[: longest - 1] + "…")


def name(text: str) -> str:
    """A name from a program: as it is if it is a plain one, such as `best_card` or `os.path`; else in quotation
    marks, since some letters look like spaces."""
    plain = text.isascii() and len(text) <= LONGEST_NAME and all(part.isidentifier() for part in text.split("."))
    return text if plain else quoted(text)
