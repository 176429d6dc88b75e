"""Two submissions side by side, in colours, with differing words marked, and findings and comments at their lines."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from web.assignment.reading.code import CodeLine, lines_of
from web.assignment.reading.colours import Part, coloured, plain
from web.assignment.reading.differences import ComparedRow, rows, shortened
from web.assignment.reading.version import ReadVersion
from web.assignment.reading.words import Marks, WordMarker

LONGEST = 20_000
"""Lines of a file that is compared; longer ones would keep others waiting."""

ROWS = 3000
"""Rows on the page, of all files together."""


@dataclass(frozen=True, slots=True)
class ReadRow:
    """Two lines side by side, None where the other file has a line more. `marks` are the words that differ on each;
    `skipped`: see `ComparedRow`."""

    left: CodeLine | None
    right: CodeLine | None
    same: bool
    skipped: int
    marks: tuple[Marks, Marks] = (), ()


@dataclass(frozen=True, slots=True)
class ComparedFile:
    """How two versions of a file differ, or the `trouble` why that is not shown. `paths` are those on each side."""

    paths: tuple[str, str]
    rows: Sequence[ReadRow] = ()
    trouble: str = ""


def compared(left: ReadVersion, right: ReadVersion) -> Iterator[ComparedFile]:
    """The files that differ. Where each side has a single file, its name does not matter."""
    room, marker = ROWS, WordMarker()
    for one, other in _pairs(left.files, right.files):
        if one not in left.files or other not in right.files:
            only = "first" if one in left.files else "second"
            yield ComparedFile((one, other), trouble=f"Only the {only} submission has this file.")
        elif left.files[one] != right.files[other]:
            found = _file(_Side(left, one), _Side(right, other), room, marker)
            room -= len(found.rows)
            yield found


def _pairs(left: Mapping[str, bytes], right: Mapping[str, bytes]) -> list[tuple[str, str]]:
    if len(left) == len(right) == 1:
        return list(zip(left, right, strict=True))
    return [(path, path) for path in sorted({*left, *right})]


class _Side:
    """A file of one of the two."""

    def __init__(self, version: ReadVersion, path: str) -> None:
        self.path, self.lines = path, lines_of(version.files[path])
        self.findings, self.comments = version.findings(path), version.comments.at(path)
        self.python = version.in_python(path)

    def remarked(self, line: tuple[int, str] | None) -> bool:
        """Whether a line has something beside it to be read."""
        return line is not None and (line[0] in self.findings or line[0] in self.comments)

    def shown(self, of: Sequence[tuple[int, str] | None]) -> Callable[[tuple[int, str] | None], CodeLine | None]:
        """Makes each of these lines, which are in order, as pages show it."""
        numbers = [line[0] for line in of if line] or [1]
        first, last = numbers[0] - 1, numbers[-1]
        parts: Sequence[Sequence[Part]] = (coloured if self.python else plain)(self.lines[:last], first)

        def line_of(line: tuple[int, str] | None) -> CodeLine | None:
            if line is None:
                return None
            number = line[0]
            return CodeLine(
                number, parts[number - 1 - first], self.findings.get(number, []), self.comments.get(number, [])
            )

        return line_of


def _file(left: _Side, right: _Side, room: int, marker: WordMarker) -> ComparedFile:
    paths = left.path, right.path
    if max(len(left.lines), len(right.lines)) > LONGEST:
        return ComparedFile(paths, trouble=f"The file has more than {LONGEST:,} lines, so it is not compared.")
    if left.lines == right.lines:
        return ComparedFile(paths, trouble="Only the ends of lines or unreadable characters differ.")

    def matters(row: ComparedRow) -> bool:
        return not row.same or left.remarked(row.left) or right.remarked(row.right)

    found = list(shortened(list(rows(left.lines, right.lines)), matters))
    cut = "The rest is not shown, because too much differs. Download both to compare them." if len(found) > room else ""
    listed = found[:room]
    one, other = left.shown([row.left for row in listed]), right.shown([row.right for row in listed])
    shown = [ReadRow(one(row.left), other(row.right), row.same, row.skipped, _marks(row, marker)) for row in listed]
    return ComparedFile(paths, shown, cut)


def _marks(row: ComparedRow, marker: WordMarker) -> tuple[Marks, Marks]:
    return marker.marks(row.left[1], row.right[1]) if row.left and row.right and not row.same else ((), ())
