"""Finds where two values differ, element by element, as ranges of characters in their Python literals.

It reads texts instead of values, so it also works for old reports. A text that was cut short is compared up to the cut.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final, TypeAlias

from grader.comparing.comparators import Comparator, Exact
from grader.comparing.marking import common

Marks: TypeAlias = list[tuple[int, int]]

_SIGNS: Final = "[](){},:"
_STOPS: Final = frozenset(_SIGNS + "'\" \t\n\r\f\v")
_DEEPEST: Final = 40
_EXACT: Final = Exact()


def value_marks(expected: str, got: str, comparator: Comparator = _EXACT) -> tuple[Marks, Marks]:
    """Return the ranges in which the texts of two values differ; empty if a text is empty or nested too deeply."""
    deepest = max(map(_depth, (expected, got)))
    if not expected or not got or deepest > _DEEPEST or not comparator.marked:
        return [], []
    comparison = _Comparison(comparator, cut="…" in (expected[-1], got[-1]))
    comparison.compare(_ValueReader(expected).value(), _ValueReader(got).value(), 1)
    return sorted(comparison.expected), sorted(comparison.got)


def _depth(text: str) -> int:
    """Return the greatest depth of nested brackets, including brackets within strings."""
    return max(accumulate((each in "[({") - (each in "])}") for each in text), default=0)


def _token_places(text: str) -> Marks:
    """Return the ranges of the strings, signs and words in a text. A loop is used because regular expressions take
    three times as long."""
    found: Marks = []
    at, length = 0, len(text)
    while at < length:
        start, first = at, text[at]
        at += 1
        if first in "'\"":
            while at < length and text[at] != first:
                at += 2 if text[at] == "\\" else 1
            at = min(at + 1, length)
        elif first.isspace():
            continue
        elif first not in _SIGNS:
            while at < length and text[at] not in _STOPS:
                at += 1
        found.append((start, at))
    return found


@dataclass(slots=True)
class _Part:
    """A value in a text: its own text and range, its opening bracket (if any), and its items. An item of a dictionary
    has a `key`, which begins at `lead`."""

    text: str
    start: int
    end: int
    bracket: str
    items: "list[_Part]"
    key: str = ""
    lead: int = 0

    @property
    def kind(self) -> str:
        if self.bracket == "{":
            return "set" if self.items and not self.items[0].key else "dictionary"
        return {"[": "list", "(": "tuple"}.get(self.bracket, "plain")


class _ValueReader:
    """Reads the text of a value."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _token_places(text)
        self._at = 0

    @property
    def _next(self) -> str:
        if self._at >= len(self._tokens):
            return ""
        start, end = self._tokens[self._at]
        return self._text[start:end]

    def value(self) -> _Part:
        """Read a value up to the comma, colon or bracket that ends it. `set()` and text that is not a value are treated
        as plain values."""
        first, pieces, items = self._at, 0, list[_Part]()
        while self._next and self._next not in ",:])}":
            opens = self._next in "[({"
            self._at += 1
            pieces += 1
            if opens:
                items = self._items()
        if self._at == first:  # not a valid value: skip a character
            self._at += 1
        tokens = self._tokens[first : self._at]
        start, end = (tokens[0][0], tokens[-1][1]) if tokens else (0, len(self._text))
        opening = self._text[start : start + 1] if pieces == 1 and self._text[start : start + 1] in "[({" else ""
        return _Part(self._text[start:end], start, end, opening, items if opening else [], lead=start)

    def _items(self) -> list[_Part]:
        """Read the items of a value, and the closing bracket after them."""
        found = []
        while self._next and self._next not in "])}":
            item = self.value()
            if self._next == ":":
                self._at += 1
                key, item = item, self.value()
                item.key, item.lead = key.text, key.start
            found.append(item)
            if self._next == ",":
                self._at += 1
        self._at += 1
        return found


@dataclass(slots=True)
class _Comparison:
    """Collects the ranges that differ. If `cut` is true, a text is incomplete, and missing items do not count as
    differences."""

    comparator: Comparator
    cut: bool
    expected: Marks = field(default_factory=list)
    got: Marks = field(default_factory=list)

    def compare(self, ours: _Part, theirs: _Part, level: int) -> None:
        """Compare two values at this level; level 1 is the whole value."""
        if self._plain(ours, level) == self._plain(theirs, level) or self.comparator.same(ours.text, theirs.text):
            return
        kinds = {ours.kind, theirs.kind}
        if (len(kinds) == 2 and not (kinds == {"list", "tuple"} and ours.items and theirs.items)) or kinds == {"plain"}:
            self.expected.append(_narrowed(ours, theirs))
            self.got.append(_narrowed(theirs, ours))
            return
        if len(kinds) == 2 and not self.comparator.alike(level):
            for part, marks in ((ours, self.expected), (theirs, self.got)):
                marks += [(part.start, part.start + 1), (part.end - 1, part.end)]
        if kinds == {"dictionary"}:
            self._compare_keys(ours, theirs, level)
        elif kinds == {"set"} or self.comparator.any_order(level):
            self._compare_sets(ours, theirs, level)
        else:
            self._compare_lists(ours, theirs, level)

    def _compare_lists(self, ours: _Part, theirs: _Part, level: int) -> None:
        if len(ours.items) == len(theirs.items) or self.cut:
            for one, other in zip(ours.items, theirs.items, strict=False):
                self.compare(one, other, level + 1)
            return
        texts = [[self._plain(item, level + 1) for item in part.items] for part in (ours, theirs)]
        low, tail = _alike_at_ends(*texts)
        for part, marks in ((ours, self.expected), (theirs, self.got)):
            middle = part.items[low : len(part.items) - tail]
            if middle or not part.items:
                marks.append((middle[0].start, middle[-1].end) if middle else (part.start, part.end))

    def _compare_sets(self, ours: _Part, theirs: _Part, level: int) -> None:
        sides = [Counter(self._plain(item, level + 1) for item in part.items) for part in (ours, theirs)]
        lone = [self._lone(part, other, level) for part, other in ((ours, sides[1]), (theirs, sides[0]))]
        if [len(each) for each in lone] == [1, 1]:
            self.compare(lone[0][0], lone[1][0], level + 1)
        elif not self.cut:
            self.expected += [(item.start, item.end) for item in lone[0]]
            self.got += [(item.start, item.end) for item in lone[1]]

    def _lone(self, part: _Part, others: Counter[str], level: int) -> list[_Part]:
        """Return the items of a value that have no counterpart among the others."""
        left, lone = others.copy(), []
        for item in part.items:
            text = self._plain(item, level + 1)
            left[text] -= 1
            if left[text] < 0:
                lone.append(item)
        return lone

    def _compare_keys(self, ours: _Part, theirs: _Part, level: int) -> None:
        one, other = ({item.key: item for item in part.items} for part in (ours, theirs))
        for key in one.keys() & other.keys():
            self.compare(one[key], other[key], level + 1)
        if not self.cut:
            self.expected += [(item.lead, item.end) for key, item in one.items() if key not in other]
            self.got += [(item.lead, item.end) for key, item in other.items() if key not in one]

    def _plain(self, part: _Part, level: int) -> str:
        """Return a text that is the same for all values that the comparator treats as equal."""
        if not part.bracket:
            return part.text
        items = [f"{item.key}:{self._plain(item, level + 1)}" for item in part.items]
        if part.bracket == "{" or self.comparator.any_order(level):
            items.sort()
        opening = "[" if part.bracket == "(" and self.comparator.alike(level) else part.bracket
        return f"{opening}{','.join(items)}"


def _narrowed(part: _Part, other: _Part) -> tuple[int, int]:
    """Return the range in which a plain value differs from another. In strings, it covers only the characters that
    differ."""
    mine, theirs = part.text, other.text
    if mine[0] == theirs[0] and mine[0] in "'\"":
        low, tail = _alike_at_ends(mine, theirs)
        if low + tail < min(len(mine), len(theirs)):
            return part.start + low, part.end - tail
    return part.start, part.end


def _alike_at_ends(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """Return the lengths of the common beginning of two sequences and of the common end of their remaining items."""
    low = common(one, other)
    return low, min(common(one[::-1], other[::-1]), min(len(one), len(other)) - low)
