"""Comparisons for questions whose answers need not equal the expected value exactly, such as
`accepts=Unordered(levels=3)`. A player can return any shape of value, as large as a reply may be. A judge must
therefore take time of order n log n, and raise nothing except RecursionError. Kits contain this module, so it must run
on students' own computers with Python 3.9."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sandbox.visible import show


def key(value: Any) -> str:
    """Return a string that is the same for two plain values only if they are equal, types included: True, 1 and 1.0 all
    differ, as do a list and a tuple. The order within dicts and sets does not matter."""
    kind = type(value)
    if kind is list or kind is tuple:
        inner = ",".join(map(key, value))
    elif kind is set or kind is frozenset:
        inner = ",".join(sorted(map(key, value)))
    elif kind is dict:
        inner = ",".join(sorted(f"{key(k)}:{key(v)}" for k, v in value.items()))
    elif kind is float:
        inner = repr(value + 0.0)  # minus zero is zero
    elif kind is int:
        inner = hex(value)  # Python limits decimal digits, and is slow with many of them
    else:
        inner = repr(value)
    return f"{kind.__name__}({inner})"


@dataclass(frozen=True)
class Sequences:
    """Lists and tuples count as the same, at every level; everything else is exact."""

    def __call__(self, expected: Any, got: Any) -> bool:
        return key(as_lists(expected)) == key(as_lists(got))


@dataclass(frozen=True)
class Unordered:
    """Accepts the items in any order at the outermost `levels` levels, or at the levels listed (1: the items of the
    value itself), but each must occur as often as expected. At those levels lists and tuples count as the same;
    everything else is exact."""

    levels: int | tuple[int, ...]

    def __call__(self, expected: Any, got: Any) -> bool:
        return self._key(expected, 1) == self._key(got, 1)

    def explain(self, expected: Any, got: Any) -> str:
        """Say which item a refused value lacks, or which one it should not contain."""
        if 1 not in self._free:
            where = " and ".join(map(str, sorted(self._free)))
            wanted_text = f"{show(expected)}, in any order at level {where}"
            return f"Returned {show(got)}, expected {wanted_text}{_returned_hint(got)}"
        if not (isinstance(got, (list, tuple)) and isinstance(expected, (list, tuple))):
            return f"Returned {show(got)}, expected {show(expected)} in any order{_returned_hint(got)}"
        wanted, found = self._count(expected), self._count(got)
        for item in expected:
            if wanted[self._key(item, 2)] > found[self._key(item, 2)]:
                return f"{show(item)} is missing from what was returned (the order does not matter)."
        extra = next(item for item in got if found[self._key(item, 2)] > wanted[self._key(item, 2)])
        return f"{show(extra)} was returned but is not expected, or was returned too often."

    @property
    def _free(self) -> Collection[int]:
        return range(1, self.levels + 1) if isinstance(self.levels, int) else self.levels

    def _key(self, value: Any, level: int) -> str:
        """Return the `key` of a value at that level, but without the order where it does not matter."""
        free = self._free
        if level > max(free, default=0) or not isinstance(value, (list, tuple)):
            return key(value)
        items = [self._key(item, level + 1) for item in value]
        return (
            f"unordered({','.join(sorted(items))})" if level in free else f"{type(value).__name__}({','.join(items)})"
        )

    def _count(self, items: Sequence[Any]) -> Counter[str]:
        return Counter(self._key(item, 2) for item in items)


@dataclass(frozen=True)
class OneOf:
    """The expected value is a list or tuple of all right answers, and the answer must equal one of them, types
    included."""

    def __call__(self, expected: Sequence[Any], got: Any) -> bool:
        return key(got) in map(key, expected)

    def explain(self, expected: Sequence[Any], got: Any) -> str:
        """Say what would have been right instead."""
        if len(expected) == 1:
            return f"Returned {show(got)}; the right answer is {show(expected[0])}{_returned_hint(got)}"
        return f"Returned {show(got)}; the right answers are {', '.join(map(show, expected))}{_returned_hint(got)}"


def as_lists(value: Any) -> Any:
    """Return the value with every tuple in it turned into a list."""
    if isinstance(value, (list, tuple)):
        return [as_lists(item) for item in value]
    if isinstance(value, dict):
        return {k: as_lists(v) for k, v in value.items()}
    return value


def _returned_hint(got: Any) -> str:
    """Return the end of a sentence about what was returned; for None, a hint that the return statement may be
    missing."""
    return ": is a return statement missing?" if got is None else "."
