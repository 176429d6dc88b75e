"""Which parts of a Python file are keywords, names being defined, numbers, strings and comments, to be coloured.

Our own scanner, in one pass over plain text. It follows no grammar and no regular expression, so that no file can make
it slow: `str.find` looks at each character once for each of the few signs that matter, and from `MOST` coloured parts
on a file stays plain. The alternative, tokens that the jail returns with a report, would have to be stored with every
submission, would leave old ones plain, and could not be trusted more.
"""

from collections.abc import Iterator
from keyword import kwlist

MOST = 20_000
"""Coloured parts of a file, more than one of 256 KiB has that somebody wrote."""

KEYWORDS = frozenset(kwlist)
NAMING = ("def", "class")
PREFIXES = frozenset({"r", "u", "b", "f", "t", "br", "rb", "fr", "rf", "tr", "rt"})
_SIGNS = {code for code in range(128) if not f"_{chr(code)}".isidentifier()}
_SPACED = {code: " " for code in range(0x3001) if code in _SIGNS or chr(code).isspace()}
"""Makes everything a space that is not part of a word."""

Part = tuple[str, str]
"""The kind of a part of a line, "" if it is plain, and its text."""


def coloured(lines: list[str]) -> list[list[Part]]:
    """The parts of each line of a Python file, which together are the line."""
    found: list[list[Part]] = [[]]
    for kind, text in _parts("\n".join(lines)):
        first, *others = text.split("\n")
        found[-1] += [(kind, first)] if first else []
        found += ([(kind, line)] if line else [] for line in others)
    return found


def plain(lines: list[str]) -> list[list[Part]]:
    """The same without colours."""
    return [[("", line)] for line in lines]


def _parts(text: str) -> Iterator[Part]:
    """The parts of the whole text, which cover it."""
    at = 0
    for coloured_yet, (kind, start, end) in enumerate(_spans(text)):
        if coloured_yet >= MOST:
            break
        if start > at:
            yield "", text[at:start]
        yield kind, text[start:end]
        at = end
    if at < len(text):
        yield "", text[at:]


def _spans(text: str) -> Iterator[tuple[str, int, int]]:
    """What is coloured: its kind, where it starts and where it ends."""
    signs, at, spaced = _Signs(text), 0, text.translate(_SPACED)
    while True:
        sign = min(signs.after(at, "#"), signs.after(at, "'"), signs.after(at, '"'))
        comment = text.startswith("#", sign)
        start = sign if comment else _prefixed(text, spaced, at, sign)
        yield from _words(spaced, at, start)
        if sign == len(text):
            return
        at = signs.after(sign, "\n") if comment else _string_end(text, signs, sign)
        yield ("remark" if comment else "string"), start, at


def _words(spaced: str, at: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Keywords, numbers and names being defined, in a part without strings and comments."""
    words = spaced[at:end].split()
    for before, word in zip(["", *words], words, strict=False):
        keyword, names = word in KEYWORDS, before in NAMING
        if keyword or names or word[0].isdecimal():
            while True:  # the next that is a whole word: all that separates words is a space here
                at = spaced.index(word, at)
                if (at == 0 or spaced[at - 1] == " ") and spaced[at + len(word) : at + len(word) + 1] in ("", " "):
                    break
                at += 1
            yield ("keyword" if keyword else "name" if names else "number"), at, at + len(word)
            at += len(word)


def _prefixed(text: str, spaced: str, at: int, quote: int) -> int:
    """Where a string starts whose quotation mark stands there: before it there may be letters such as `rb`."""
    for start in (quote - 2, quote - 1):
        if start >= at and text[start:quote].lower() in PREFIXES and (start == 0 or spaced[start - 1] == " "):
            return start
    return quote


def _string_end(text: str, signs: "_Signs", start: int) -> int:
    """Where the string that starts there ends; without an end, at the end of its line, or of the file if it has three
    quotation marks."""
    quote = text[start]
    long = text.startswith(quote * 3, start)
    closing = quote * 3 if long else quote
    at = start + len(closing)
    while True:
        end, escape = signs.after(at, closing), signs.after(at, "\\")
        line = len(text) if long else signs.after(at, "\n")
        if escape < min(end, line):
            at = escape + 2
        else:
            return min(end + len(closing), line, len(text)) if end < line else line


class _Signs:
    """Finds the next of each sign, and looks at no part of the text twice for it."""

    def __init__(self, text: str) -> None:
        self._text, self._next = text, dict[str, int]()

    def after(self, at: int, sign: str) -> int:
        """Where the first of that sign is, not before `at`, which never goes back; the length of the text without."""
        known = self._next.get(sign, -1)
        if known < at:
            found = self._text.find(sign, at)
            known = self._next[sign] = len(self._text) if found < 0 else found
        return known
