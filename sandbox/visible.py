"""Makes text that others have written, such as messages and file names, safe to show, and shortens values of any size.

Characters that would move a cursor, change the direction of writing, or be invisible are shown as Python writes them,
`\\x1b` or `\\u202e`. Kits contain this module, so it must run on students' own computers with Python 3.9.
"""

from reprlib import Repr
from typing import Any, Final
from unicodedata import category

LONGEST: Final = 200  # characters of a text in quotation marks, at most
LONGEST_NAME: Final = 40

LONGEST_VALUE: Final = 120  # characters of a value in a sentence, at most
LONGEST_WHOLE: Final = 4000  # characters of a value shown beside the expected one, at most
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_JOINERS: Final = "\u200c\u200d"  # part of how some languages and emojis are written


def visible(text: str, kept: str = "\n\t") -> str:
    """Return the text with every control character except the `kept` ones written out."""
    if text.isprintable():
        return text
    return text.translate({ord(each): _shown_character(each, kept) for each in {*text} if not " " <= each <= "~"})


def visible_line(text: str) -> str:
    """Return the text on one line, with every control character written out."""
    return visible(text, kept="")


def _shown_character(character: str, kept: str) -> str:
    hides = category(character) in _HIDDEN and character not in _JOINERS
    return repr(character)[1:-1] if hides and character not in kept else character


def quoted(text: str, longest: int = LONGEST) -> str:
    """Return the text as Python writes a string, shortened and on one line, for use in a sentence."""
    return repr(text if len(text) <= longest else text[: longest - 1] + "…")


def name(text: str) -> str:
    """Return a name from a program, unchanged if plain, such as `os.path`; else quoted, since some letters look like
    spaces."""
    plain = text.isascii() and len(text) <= LONGEST_NAME and all(part.isidentifier() for part in text.split("."))
    return text if plain else quoted(text)


class _Short(Repr):
    """Like `Repr`, which limits depth and length, but also shortens numbers that are too long for Python to print."""

    def repr_int(self, x: int, level: int) -> str:
        return f"<a number of {x.bit_length()} bits>" if x.bit_length() > 200 else repr(x)


_short = _Short()
_short.maxlevel = 4
_short.maxstring = _short.maxother = 40


def show(value: Any) -> str:
    """Show any plain data as Python would write it, cut to a readable length. This never fails, however deep or large
    the data is."""
    text = _short.repr(value)
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"


def value_text(value: Any) -> str:
    """Return the value as Python writes it, cut if it is long."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested too deeply, or a number too long to be written
        text = show(value)
    return text if len(text) <= LONGEST_WHOLE else text[: LONGEST_WHOLE - 1] + "…"


def count(number: int, thing: str) -> str:
    """Return the number with its noun: `1 card`, `2 cards`."""
    return f"{number} {thing}{'' if number in (1, -1) else 's'}"
