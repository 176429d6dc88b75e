"""Which parts of a Python file are keywords, names being defined, numbers, strings and comments, to be coloured.

Our own scanner, in one pass over plain text. It follows no grammar and no regular expression, so that no file can make
it slow: `str.find` looks at each character once for each of the few signs that matter, and from `MOST` coloured parts
on a file stays plain. The alternative, tokens that the jail returns with a report, would have to be stored with every
submission, would leave old ones plain, and could not be trusted more.
"""

from collections.abc import Sequence
from itertools import compress, count
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


def coloured(lines: Sequence[str], first: int = 0) -> list[list[Part]]:
    """The parts of each line of a Python file, which together are the line; of those from `first` on, which counts
    from 0."""
    text, begin = "\n".join(lines), sum(len(line) + 1 for line in lines[:first])
    spans = iter([*_spans(text, begin)[:MOST], ("", len(text) + 1, len(text) + 1)])
    kind, start, end = next(spans)
    found, at = list[list[Part]](), begin
    for line in lines[first:]:
        parts, last = list[Part](), at + len(line)
        while start < last:
            if start > at:
                parts.append(("", text[at:start]))
                at = start
            if end > last:  # the rest is on the next lines
                break
            if end > at:
                parts.append((kind, text[at:end]))
                at = end
            kind, start, end = next(spans)
        if at < last:
            parts.append((kind if start < last else "", text[at:last]))
        found.append(parts)
        at = last + 1
    return found


def plain(lines: Sequence[str], first: int = 0) -> list[list[Part]]:
    """The same without colours."""
    return [[("", line)] for line in lines[first:]]


class _Kinds(dict[str, str]):
    """The kind of each word of a file, the same wherever it stands; looked up at once for many words."""

    def __missing__(self, word: str) -> str:
        kind = self[word] = "keyword" if word in KEYWORDS else "number" if word[0].isdecimal() else ""
        return kind


def _spans(text: str, begin: int = 0) -> list[tuple[str, int, int]]:
    """What is coloured: its kind, where it starts and where it ends; no more after `MOST`. Before `begin`, where a line
    begins, only strings and comments, since one may reach further: the last page of a long file takes a third."""
    found, kinds = list[tuple[str, int, int]](), _Kinds()
    signs, at, spaced = _Signs(text), 0, f" {text.translate(_SPACED)} "
    while len(found) < MOST:
        sign = min(signs.after(at, "#"), signs.after(at, "'"), signs.after(at, '"'))
        comment = text.startswith("#", sign)
        start = sign if comment else _prefixed(text, spaced, at, sign)
        if start > begin:
            _words(spaced, max(at, begin), start, kinds, found)
        if sign == len(text):
            break
        at = signs.after(sign, "\n") if comment else _string_end(text, signs, sign)
        found.append(("remark" if comment else "string", start, at))
    return found


def _words(spaced: str, at: int, end: int, kinds: _Kinds, found: list[tuple[str, int, int]]) -> None:
    """Add keywords, numbers and names being defined, in a part of the text without strings and comments. `spaced` is
    the text with a space instead of all that separates words, and one more at each end: a character further on."""
    words = spaced[at + 1 : end + 1].split()
    marked = [*map(kinds.__getitem__, words)]
    for number in compress(count(), marked):
        word = words[number]
        if word in NAMING and marked[number + 1 : number + 2] not in ([], ["keyword"]):
            marked[number + 1] = "name"  # which is yet to come
        start = spaced.index(f" {word} ", at)
        at = start + len(word)
        found.append((marked[number], start, at))


def _prefixed(text: str, spaced: str, at: int, quote: int) -> int:
    """Where a string starts whose quotation mark stands there: before it there may be letters such as `rb`."""
    for start in (quote - 2, quote - 1):
        if start >= at and text[start:quote].lower() in PREFIXES and spaced[start] == " ":
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
