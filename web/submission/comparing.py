"""Two submissions side by side, in colours. Differing words are marked, and findings and comments are shown at their
lines.

For every file of n lines, the work is proportional to n log n; difflib would need minutes for some files that a student
could upload. A page compares the words in at most `ROOM` characters, since the lines of a hostile file take 2 to 3 µs
for each character.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import TypeVar

from web.submission.reading import CodeLine, Part, ReadVersion, coloured_lines, lines_of, plain_lines

Key = TypeVar("Key", bound=Hashable)

AROUND = 3
"""The number of lines shown before and after a line that differs or has a finding or a comment."""


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """Two lines side by side, each with its number, counted from 1. A side is None where only the other file has a
    line. `skipped` is the number of equal lines that are left out here; such a row has no lines."""

    left: tuple[int, str] | None = None
    right: tuple[int, str] | None = None
    skipped: int = 0

    @property
    def same(self) -> bool:
        """Whether both sides have a line, and the two lines are equal."""
        return self.left is not None and self.right is not None and self.left[1] == self.right[1]


def compared_rows(left: Sequence[str], right: Sequence[str]) -> Iterator[ComparedRow]:
    """Yield all lines of both files, with equal lines side by side."""
    i = j = 0
    for at_left, at_right in [*equal_lines(left, right), (len(left), len(right))]:
        for k in range(max(at_left - i, at_right - j)):
            yield ComparedRow(
                (i + k + 1, left[i + k]) if i + k < at_left else None,
                (j + k + 1, right[j + k]) if j + k < at_right else None,
            )
        if at_left < len(left):
            yield ComparedRow((at_left + 1, left[at_left]), (at_right + 1, right[at_right]))
        i, j = at_left + 1, at_right + 1


def equal_lines(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """Return pairs of positions of equal lines, in rising order on both sides. Lines that occur only once in each file
    are matched first (as in “patience diff”). Between those, the first, second, … occurrences of a line are matched."""
    found: list[tuple[int, int]] = []
    i = j = 0
    for at_left, at_right in [*_single_lines(left, right), (len(left), len(right))]:
        found += _between(left[i:at_left], right[j:at_right], i, j)
        if at_left < len(left):
            found.append((at_left, at_right))
        i, j = at_left + 1, at_right + 1
    return found


def _single_lines(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    counts, others = Counter(left), Counter(right)
    single = {line for line, count in counts.items() if count == 1 == others[line]}
    return _rising(
        {line: i for i, line in enumerate(left) if line in single},
        {line: j for j, line in enumerate(right) if line in single},
    )


def _between(left: Sequence[str], right: Sequence[str], i: int, j: int) -> list[tuple[int, int]]:
    """Return the matches in a gap that begins at `i` and `j`: equal lines at both of its ends, and equal lines between
    these."""
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
    """Return the position of each line, by the line and the number of its occurrence."""
    seen: Counter[str] = Counter()
    found: dict[Hashable, int] = {}
    for at, line in enumerate(lines):
        found[line, seen[line]] = at
        seen[line] += 1
    return found


def _rising(left: Mapping[Key, int], right: Mapping[Key, int]) -> list[tuple[int, int]]:
    """Return the longest selection of common keys whose positions rise on both sides, found by patience sorting."""
    pairs = [(at, right[key]) for key, at in left.items() if key in right]
    tops: list[int] = []
    last: list[int] = []  # the last pair of the best selection of each length
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


def shortened_rows(all_rows: Sequence[ComparedRow], matters: Callable[[ComparedRow], bool]) -> Iterator[ComparedRow]:
    """Yield the rows near a row that matters; each run of other rows is replaced by one row with their number."""
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


LONGEST_MARKED = 1000
"""The maximum number of characters in a line that is compared. Nobody would look for marks in a longer line."""

MOST = 12
"""The maximum number of marks on a line. A line with more differences is easier to read without marks."""

ROOM = 40_000
"""The maximum number of characters that are compared on a page, in all lines together. 500 pairs of lines usually have
fewer."""

Marks = Sequence[tuple[int, int]]
"""The start and the end of each mark."""


class WordMarker:
    """Marks the lines of a page, until too many characters have been compared."""

    def __init__(self) -> None:
        self._room = ROOM

    def marks(self, left: str, right: str) -> tuple[Marks, Marks]:
        """Return the marks for two lines that are side by side. There are none on long lines, or when there is no room
        left."""
        self._room -= len(left) + len(right)
        return (
            differing_words(left, right)
            if max(len(left), len(right)) <= LONGEST_MARKED and self._room >= 0
            else ((), ())
        )


def differing_words(left: str, right: str) -> tuple[Marks, Marks]:
    """Return the words of each of two lines that the other line lacks. Empty if more than two thirds of a line
    differ."""
    ours, theirs = _pieces(left), _pieces(right)
    pairs = equal_lines(ours, theirs)
    equal = sum(len(ours[at].strip()) for at, _ in pairs)
    if 3 * equal < max(_visible(left), _visible(right)):
        return (), ()
    found = [*_others(ours, {at for at, _ in pairs})], [*_others(theirs, {at for _, at in pairs})]
    return found if max(map(len, found)) <= MOST else ((), ())


def _pieces(line: str) -> list[str]:
    """Return the line, split into names and numbers, runs of spaces, and all other characters one by one."""
    found = list[str]()
    for kind, run in groupby(line, _kind_of_sign):
        text = "".join(run)
        found += [text] if kind else text
    return found


def _kind_of_sign(char: str) -> str:
    return "word" if char.isalnum() or char == "_" else "space" if char.isspace() else ""


def _visible(line: str) -> int:
    return sum(not char.isspace() for char in line)


def _others(words: Sequence[str], equal: set[int]) -> Iterator[tuple[int, int]]:
    """Yield the ranges of words that are not in `equal`; neighbours are joined into one range."""
    ends = list(accumulate(map(len, words), initial=0))
    for same, run in groupby(range(len(words)), equal.__contains__):
        if not same:
            numbers = list(run)
            yield ends[numbers[0]], ends[numbers[-1] + 1]


LONGEST = 20_000
"""The maximum number of lines in a file that is compared. A longer file would keep other requests waiting."""

ROWS = 3000
"""The maximum number of rows on the page, for all files together."""


@dataclass(frozen=True, slots=True)
class ReadRow:
    """Two lines side by side; a side is None where only the other file has a line. `marks` are the differing words on
    each side. For `skipped`, see `ComparedRow`."""

    left: CodeLine | None
    right: CodeLine | None
    same: bool
    skipped: int
    marks: tuple[Marks, Marks] = (), ()


@dataclass(frozen=True, slots=True)
class ComparedFile:
    """The differences between two versions of a file, or, in `trouble`, the reason why they are not shown. `paths` are
    the file's paths on the two sides."""

    paths: tuple[str, str]
    rows: Sequence[ReadRow] = ()
    trouble: str = ""


def compared_files(left: ReadVersion, right: ReadVersion) -> Iterator[ComparedFile]:
    """Yield the files that differ. If each side has a single file, these two are compared even if their names
    differ."""
    room, marker = ROWS, WordMarker()
    if len(left.files) == len(right.files) == 1:
        pairs = [*zip(left.files, right.files, strict=True)]
    else:
        pairs = [(path, path) for path in sorted({*left.files, *right.files})]
    for one, other in pairs:
        if one not in left.files or other not in right.files:
            only = "first" if one in left.files else "second"
            yield ComparedFile((one, other), trouble=f"Only the {only} submission has this file.")
        elif left.files[one] != right.files[other]:
            found = _compared_file(_Side(left, one), _Side(right, other), room, marker)
            room -= len(found.rows)
            yield found


class _Side:
    """A file of one of the two submissions."""

    def __init__(self, version: ReadVersion, path: str) -> None:
        self.path, self.lines = path, lines_of(version.files[path])
        self.findings, self.comments = version.findings(path), version.comments.at(path)
        self.python = version.in_python(path)

    def remarked(self, line: tuple[int, str] | None) -> bool:
        """Whether a line has a finding or a comment."""
        return line is not None and (line[0] in self.findings or line[0] in self.comments)

    def shown(self, of: Sequence[tuple[int, str] | None]) -> Callable[[tuple[int, str] | None], CodeLine | None]:
        """Return a function that turns each of these lines into a line for pages. The lines must be in order."""
        numbers = [line[0] for line in of if line] or [1]
        first, last = numbers[0] - 1, numbers[-1]
        parts: Sequence[Sequence[Part]] = (coloured_lines if self.python else plain_lines)(self.lines[:last], first)

        def line_of(line: tuple[int, str] | None) -> CodeLine | None:
            if line is None:
                return None
            number = line[0]
            return CodeLine(
                number, parts[number - 1 - first], self.findings.get(number, []), self.comments.get(number, [])
            )

        return line_of


def _compared_file(left: _Side, right: _Side, room: int, marker: WordMarker) -> ComparedFile:
    paths = left.path, right.path
    if max(len(left.lines), len(right.lines)) > LONGEST:
        return ComparedFile(paths, trouble=f"The file has more than {LONGEST:,} lines, so it is not compared.")
    if left.lines == right.lines:
        return ComparedFile(paths, trouble="Only the ends of lines or unreadable characters differ.")

    def matters(row: ComparedRow) -> bool:
        return not row.same or left.remarked(row.left) or right.remarked(row.right)

    found = list(shortened_rows(list(compared_rows(left.lines, right.lines)), matters))
    too_many = "The rest is not shown, because there are too many differences. Download both files to compare them."
    cut = too_many if len(found) > room else ""
    listed = found[:room]
    one, other = left.shown([row.left for row in listed]), right.shown([row.right for row in listed])
    shown = [
        ReadRow(one(row.left), other(row.right), row.same, row.skipped, _marked_row(row, marker)) for row in listed
    ]
    return ComparedFile(paths, shown, cut)


def _marked_row(row: ComparedRow, marker: WordMarker) -> tuple[Marks, Marks]:
    return marker.marks(row.left[1], row.right[1]) if row.left and row.right and not row.same else ((), ())
