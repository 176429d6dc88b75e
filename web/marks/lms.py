"""Marks in the files of learning management systems: filling columns of a gradebook that Canvas, Moodle, D2L
Brightspace or Blackboard exported, and writing new files. Plain functions on plain data."""

import codecs
from base64 import b64decode
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sandbox import patterns
from sandbox.api import SentBytes
from tournament.store.validation import Refusal
from web.marks.sheet import Sheet, SheetCell, read_sheet
from web.marks.table import Enrolled
from web.site.pages import csv_lines, neutral
from web.site.people_file import CANVAS_ROWS, BadPeople, Headings, read_headings

END_OF_LINE = "End-of-Line Indicator"
EXCUSED = "EX"  # the word that Canvas expects
DECORATIONS = (
    patterns.compile(r"(?i)^(assignment|quiz|manual item|external tool|workshop|lesson):\s*"),  # Moodle
    patterns.compile(r"(?i)\s*\((real|points|\d+)\)$"),  # Moodle; and the number that Canvas adds
    patterns.compile(r"(?i)\s+points grade(\s*<.*>)?$"),  # Brightspace
    patterns.compile(r"(?i)\s*\[total pts:.*$"),  # Blackboard
)
NUMBER = r"(\d{1,6}(?:[.,]\d{1,2})?)"
MAXIMUM = patterns.compile(NUMBER)
# Not 1,000, which means one in some countries and a thousand in others.
NAMED_MAXIMUM = patterns.compile(r"(?i)(?:\bMaxPoints:|\[Total Pts:(?: up to)?)\s*" + NUMBER + r"(?:[^\d.,]|\z)")


class BadMarkFile(Refusal):
    """A file cannot be filled; the message says why, and what to do."""

    status = 422


@dataclass(frozen=True, slots=True)
class MarkColumn:
    """The marks for one column of a file: the title and the possible marks of the assignment, each student's total, and
    who is excused."""

    title: str
    most: float
    totals: Mapping[int, float | None]
    excused: Collection[int] = ()


@dataclass(slots=True)
class Filled:
    """A filled file: the names of the filled columns, the students whose marks are in it (`matched`), the rows that do
    not match exactly one student (`unmatched`), and the students who are missing from the file (`absent`). `unlike`
    lists the columns whose maximum in the file differs from the assignment's, with both values."""

    content: bytes = b""
    columns: list[str] = field(default_factory=list)
    matched: list[Enrolled] = field(default_factory=list)
    unmatched: list[str] = field(default_factory=list)
    absent: list[Enrolled] = field(default_factory=list)
    unlike: list[tuple[str, float, float]] = field(default_factory=list)


def fill(
    content: SentBytes, students: Sequence[Enrolled], marks: MarkColumn, column: str = "", add: bool = False
) -> Filled:
    """Fill one column of an exported gradebook: the one called `column` or, by default, the one with the assignment's
    title; with `add`, a new one. A student without a mark keeps the cell's present value. Raises BadMarkFile."""
    sheet = open_sheet(content)
    names = [cell.value for cell in sheet.rows[0]]
    return fill_columns(sheet, students, {len(names) if add else _column(names, column or marks.title): marks})


def open_sheet(content: SentBytes) -> Sheet:
    """Read an exported gradebook. Raises BadMarkFile."""
    try:
        sheet = read_sheet(content)
    except BadPeople as error:
        raise BadMarkFile(f"The file cannot be read: {error}.") from None
    if not any(cell.value.strip() for cell in sheet.rows[0]):
        raise BadMarkFile("The first line of the file is empty. It must name the columns.")
    return sheet


def content_of(sent: bytes | None, form: Mapping[str, str], missing: str) -> SentBytes:
    """Return the file that was just sent, or else the copy that the form keeps as `content`. Raises BadMarkFile, with
    the message `missing` if there is neither."""
    if sent is not None:
        return SentBytes(sent)
    if "content" not in form:
        raise BadMarkFile(missing)
    try:
        return SentBytes(b64decode(form["content"], validate=True))
    except ValueError:
        raise BadMarkFile("The file was damaged during the upload. Choose it again.") from None


def fillable(sheet: Sheet) -> dict[int, str]:
    """Return the names, by position, of the columns that can be filled: all columns except those that identify
    students."""
    names = [cell.value.strip() for cell in sheet.rows[0]]
    used = {*read_headings(names).places.values()}
    return {at: name for at, name in enumerate(names) if at not in used and name and name != END_OF_LINE}


def guess(columns: Mapping[int, str], *titles: str) -> int | None:
    """Try the titles in order, and return the position of the first column that is the only one to match a title; None
    if no title matches exactly one column."""
    for title in titles:
        same = [at for at, name in columns.items() if name == title.strip()]
        found = same or [at for at, name in columns.items() if plain_title(name) == plain_title(title)]
        if len(found) == 1:
            return found[0]
    return None


def fill_columns(sheet: Sheet, students: Sequence[Enrolled], wanted: Mapping[int, MarkColumn]) -> Filled:
    """Fill several columns, given by position; the position after the last one adds a new column. A student without a
    mark keeps the cell's present value. Raises BadMarkFile."""
    names = [cell.value for cell in sheet.rows[0]]
    headings, width = read_headings(names), len(names)
    found = Filled(columns=[names[at].strip() if at < width else neutral(wanted[at].title) for at in wanted])
    found.unlike = [*_unlike(sheet, headings, wanted)]
    people = _people_of_rows(sheet, headings, students, found)
    seen = {each.id for each in people if each}
    if not seen:
        raise BadMarkFile(
            "Nobody in this file is a student in this course. Is it a file from another course? People are matched by "
            "login, e-mail and student number: add these people to the course on the People page."
        )
    edits: dict[tuple[int, int], str] = {}
    if width in wanted:
        _put(sheet, sheet.rows[0], {width: found.columns[-1]}, edits)
    for row, person in zip(sheet.rows[1:], people, strict=True):
        values = {at: _written_mark(marks, person, headings.canvas) if person else "" for at, marks in wanted.items()}
        if width in wanted and headings.canvas and row[0].value.strip().lower() == CANVAS_ROWS[0]:
            values[width] = f"{wanted[width].most:g}"
        _put(sheet, row, {at: value for at, value in values.items() if value or at == width}, edits)
    try:
        found.content = sheet.replaced(edits)
    except UnicodeEncodeError:
        raise BadMarkFile(
            f"The title “{found.columns[-1]}” has characters that the file’s encoding cannot represent. Save the file "
            "as UTF-8, and try again."
        ) from None
    found.matched = [each for each in students if each.id in seen]
    found.absent = [each for each in students if each.id not in seen]
    return found


def _unlike(sheet: Sheet, headings: Headings, wanted: Mapping[int, MarkColumn]) -> Iterator[tuple[str, float, float]]:
    """Yield the columns whose maximum, from Canvas's row of maxima or from the column's name, differs from the
    assignment's."""
    names, *rest = sheet.rows
    of_maxima = (row for row in rest if headings.canvas and row[0].value.strip().lower() == CANVAS_ROWS[0])
    maxima = next(of_maxima, ())
    for at, marks in wanted.items():
        name = names[at].value.strip() if at < len(names) else ""
        said = MAXIMUM.fullmatch(maxima[at].value.strip()) if name and at < len(maxima) else NAMED_MAXIMUM.search(name)
        if said and (most := float(said[1].replace(",", "."))) != round(marks.most, 2):
            yield name, most, marks.most


def _people_of_rows(
    sheet: Sheet, headings: Headings, students: Sequence[Enrolled], found: Filled
) -> list[Enrolled | None]:
    """Return the student in each row except the first. Rows that match nobody are recorded in `found`."""
    known, people = KnownStudents(students), list[Enrolled | None]()
    for number, row in enumerate(sheet.rows[1:], 2):
        values = headings.values([cell.value for cell in row]) if any(cell.value.strip() for cell in row) else {}
        person = known.match(values, "login" in headings.places) if values else None
        if isinstance(person, str):
            name = values.get("name") or values.get("login") or values.get("email") or "without a name"
            found.unmatched.append(f"Row {number}, {name}: {person}")
        people.append(person if isinstance(person, Enrolled) else None)
    return people


def _written_mark(marks: MarkColumn, person: Enrolled, canvas: bool) -> str:
    if person.id in marks.excused:
        return EXCUSED if canvas else ""
    return _mark_cell(marks, person)


def plain_title(name: str) -> str:
    """Return the assignment title in a column name, in lower case and without the systems' additions."""
    text = name.strip()
    for each in DECORATIONS:
        text = each.sub("", text)
    return text.strip().casefold()


def _column(names: Sequence[str], wanted: str) -> int:
    """Return the position of the column called `wanted`. Raises BadMarkFile."""
    at = guess(dict(enumerate(names)), wanted)
    if at is not None:
        return at
    listed = "; ".join(name.strip() for name in names if name.strip())
    if sum(plain_title(name) == plain_title(wanted) for name in names) > 1:
        raise BadMarkFile(f"Several columns are called “{wanted}”. Specify which one you mean: {listed}.")
    raise BadMarkFile(
        f"No column of this file is called “{wanted}”. Enter the name of the column to fill, or let a new one be "
        f"added. "
        f"The columns are: {listed}."
    )


class KnownStudents:
    """The students of a course, indexed by the logins, e-mails and student numbers that a file may contain."""

    def __init__(self, students: Sequence[Enrolled]) -> None:
        self.by: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        self.students = {each.id: each for each in students}
        for each in students:
            for key in ("login", "email", "student_number"):
                if value := getattr(each, key).strip().casefold():
                    self.by[key][value].add(each.id)

    def match(self, values: Mapping[str, str], has_login: bool) -> Enrolled | str:
        """Return the student whom a row names, or the reason why it names no single student."""
        keys = {key: values.get(key, "").strip().casefold() for key in ("login", "email", "student_number")}
        hits = self._ids("email", keys["email"]) | self._ids("student_number", keys["student_number"])
        if has_login or not hits:  # otherwise the login was guessed from the e-mail
            hits |= self._ids("login", keys["login"]) or self._ids("email", keys["login"])
        if len(hits) > 1:
            logins = ", ".join(sorted(self.students[id_].login for id_ in hits))
            return f"this matches several students ({logins}); correct their e-mails and student numbers"
        return self.students[hits.pop()] if hits else "not a student in this course"

    def _ids(self, key: str, value: str) -> set[int]:
        return {*self.by[key].get(value, ())} if value else set()


def _put(sheet: Sheet, row: Sequence[SheetCell], values: Mapping[int, str], edits: dict[tuple[int, int], str]) -> None:
    """Put values into a row, by position: into existing cells, or into new ones at the end."""
    if not values or (len(row) == 1 and not row[0].value.strip()):
        return
    quoted = sum(cell.quoted for cell in row) * 2 > len(row)
    last, width, added, reached = row[-1], len(sheet.rows[0]), "", len(row) - 1
    for at, value in sorted(values.items()):
        if at < len(row):
            edits[row[at].start, row[at].end] = _written_cell(value, sheet, row[at].quoted)
        elif at == width == len(row) and sheet.rows[0][-1].value.strip() == END_OF_LINE:
            edits[last.start, last.start] = _written_cell(value, sheet, quoted) + sheet.separator
        else:
            added += sheet.separator * (at - reached) + _written_cell(value, sheet, quoted)
            reached = at
    if added:
        edits[last.end, last.end] = added


def _written_cell(value: str, sheet: Sheet, quoted: bool) -> str:
    special = any(letter in value for letter in ('"', sheet.separator, "\r", "\n"))
    return f'"{value.replace(chr(34), chr(34) * 2)}"' if quoted or special else value


Rows = Iterator[Sequence[str]]


@dataclass(frozen=True, slots=True)
class FileLayout:
    """How a system lays out its file."""

    title: str
    rows: Callable[[Sequence[Enrolled], MarkColumn], Rows]
    separator: str = ","
    bom: bytes = b""
    coding: str = "utf-8"


def _mark_cell(marks: MarkColumn, each: Enrolled) -> str:
    total = marks.totals.get(each.id)
    return "" if total is None else f"{total:.10g}"


def _canvas(students: Sequence[Enrolled], marks: MarkColumn) -> Rows:
    yield "Student", "ID", "SIS User ID", "SIS Login ID", "Section", marks.title
    yield "    Points Possible", "", "", "", "", f"{marks.most:g}"
    for each in students:
        yield each.name, "", each.student_number, each.login, each.section, _mark_cell(marks, each)


def _moodle(students: Sequence[Enrolled], marks: MarkColumn) -> Rows:
    yield "Full name", "ID number", "Email address", marks.title
    for each in students:
        yield each.name, each.student_number, each.email, _mark_cell(marks, each)


def _brightspace(students: Sequence[Enrolled], marks: MarkColumn) -> Rows:
    yield "OrgDefinedId", "Username", f"{marks.title} Points Grade", END_OF_LINE
    for each in students:
        yield f"#{each.student_number}", f"#{each.login}", _mark_cell(marks, each), "#"


def _blackboard(students: Sequence[Enrolled], marks: MarkColumn) -> Rows:
    yield "Last Name", "First Name", "Username", "Student ID", f"{marks.title} [Total Pts: {marks.most:g} Score]"
    for each in students:
        first, _, last = each.name.rpartition(" ")
        yield last, first, each.login, each.student_number, _mark_cell(marks, each)


LAYOUTS: Mapping[str, FileLayout] = {
    "canvas": FileLayout("Canvas", _canvas),
    "moodle": FileLayout("Moodle", _moodle),
    "brightspace": FileLayout("D2L Brightspace", _brightspace),
    "blackboard": FileLayout("Blackboard", _blackboard, "\t", codecs.BOM_UTF16_LE, "utf-16-le"),
}


def written(layout: FileLayout, students: Sequence[Enrolled], marks: MarkColumn) -> bytes:
    """Return a new file, with texts escaped so that spreadsheets do not treat them as formulas."""
    return layout.bom + csv_lines(layout.rows(students, marks), layout.separator).encode(layout.coding)
