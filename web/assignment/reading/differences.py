"""How two files differ, line by line. The work grows with n log n, whatever the files hold: difflib would need minutes
for some that a student could upload."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)

AROUND = 3
"""Lines that are shown before and after one that matters."""


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """Two lines side by side, each with its number from 1, None where the other file has a line more. `skipped` counts
    equal lines that are left out here; such a row has no lines."""

    left: tuple[int, str] | None = None
    right: tuple[int, str] | None = None
    skipped: int = 0

    @property
    def same(self) -> bool:
        """Whether both lines are there and equal."""
        return self.left is not None and self.right is not None and self.left[1] == self.right[1]


def rows(left: Sequence[str], right: Sequence[str]) -> Iterator[ComparedRow]:
    """All lines of both, with equal ones side by side."""
    i = j = 0
    for at_left, at_right in [*matches(left, right), (len(left), len(right))]:
        for k in range(max(at_left - i, at_right - j)):
            yield ComparedRow(
                (i + k + 1, left[i + k]) if i + k < at_left else None,
                (j + k + 1, right[j + k]) if j + k < at_right else None,
            )
        if at_left < len(left):
            yield ComparedRow((at_left + 1, left[at_left]), (at_right + 1, right[at_right]))
        i, j = at_left + 1, at_right + 1


def matches(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """Positions of equal lines, rising on both sides: first of the lines that each file has only once (as in “patience
    diff”), then, between those, of the first, second, … occurrence of a line."""
    found: list[tuple[int, int]] = []
    i = j = 0
    for at_left, at_right in [*_once(left, right), (len(left), len(right))]:
        found += _between(left[i:at_left], right[j:at_right], i, j)
        if at_left < len(left):
            found.append((at_left, at_right))
        i, j = at_left + 1, at_right + 1
    return found


def _once(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    counts, others = Counter(left), Counter(right)
    single = {line for line, count in counts.items() if count == 1 == others[line]}
    return _rising(
        {line: i for i, line in enumerate(left) if line in single},
        {line: j for j, line in enumerate(right) if line in single},
    )


def _between(left: Sequence[str], right: Sequence[str], i: int, j: int) -> list[tuple[int, int]]:
    """Matches within a gap that begins at `i` and `j`: its equal ends, and what is equal between."""
    shorter = min(len(left), len(right))
    head = next((k for k in range(shorter) if left[k] != right[k]), shorter)
    tail = next((k for k in range(shorter - head) if left[-1 - k] != right[-1 - k]), shorter - head)
    ends = len(left) - tail, len(right) - tail
    middle = _rising(_numbered(left[head : ends[0]]), _numbered(right[head : ends[1]]))
    return [
        *((i + k, j + k) for k in range(head)),
        *((i + head + a, j + head + b) for a, b in middle),
        *((i + ends[0] + k, j + ends[1] + k) for k in range(tail)),
    ]


def _numbered(lines: Sequence[str]) -> dict[Hashable, int]:
    """The position of each occurrence of each line."""
    seen: Counter[str] = Counter()
    found: dict[Hashable, int] = {}
    for at, line in enumerate(lines):
        found[line, seen[line]] = at
        seen[line] += 1
    return found


def _rising(left: Mapping[Key, int], right: Mapping[Key, int]) -> list[tuple[int, int]]:
    """The longest choice of common keys whose positions rise on both sides, by patience sorting."""
    pairs = [(at, right[key]) for key, at in left.items() if key in right]
    tops: list[int] = []
    last: list[int] = []  # the pair that ends the best choice of each length
    before: list[int] = []
    for number, (_, at) in enumerate(pairs):
        length = bisect_left(tops, at)
        before.append(last[length - 1] if length else -1)
        tops[length : length + 1], last[length : length + 1] = [at], [number]
    chosen, number = [], last[-1] if last else -1
    while number >= 0:
        chosen.append(pairs[number])
        number = before[number]
    return chosen[::-1]


def shortened(all_rows: Sequence[ComparedRow], matters: Callable[[ComparedRow], bool]) -> Iterator[ComparedRow]:
    """The rows without those that are far from any that matters."""
    near = bytearray(len(all_rows))
    for at, row in enumerate(all_rows):
        if matters(row):
            first, end = max(at - AROUND, 0), min(at + AROUND + 1, len(all_rows))
            near[first:end] = b"\x01" * (end - first)
    skipped = 0
    for shown, row in zip(near, all_rows, strict=True):
        if shown and skipped:
            yield ComparedRow(skipped=skipped)
            skipped = 0
        if shown:
            yield row
        skipped += not shown
    if skipped:
        yield ComparedRow(skipped=skipped)
