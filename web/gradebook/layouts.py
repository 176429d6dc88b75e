"""Files of marks made from nothing, in the layouts that learning management systems take. Plain functions on plain
data."""

import codecs
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from web.gradebook.lms import END_OF_LINE, MarkColumn
from web.gradebook.table import Enrolled
from web.site.downloads import lines

Rows = Iterator[Sequence[str]]


@dataclass(frozen=True, slots=True)
class FileLayout:
    """How a system wants its file."""

    title: str
    rows: Callable[[Sequence[Enrolled], MarkColumn], Rows]
    separator: str = ","
    bom: bytes = b""
    coding: str = "utf-8"


def _mark(marks: MarkColumn, each: Enrolled) -> str:
    total = marks.totals.get(each.id)
    return "" if total is None else f"{total:.10g}"


def _canvas(students: Sequence[Enrolled], marks: MarkColumn) -> Rows:
    yield "Student", "ID", "SIS User ID", "SIS Login ID", "Section", marks.title
    yield "    Points Possible", "", "", "", "", f"{marks.most:g}"
    for each in students:
        yield each.name, "", each.student_number, each.login, each.section, _mark(marks, each)


def _moodle(students: Sequence[Enrolled], marks: MarkColumn) -> Rows:
    yield "Full name", "ID number", "Email address", marks.title
    for each in students:
        yield each.name, each.student_number, each.email, _mark(marks, each)


def _brightspace(students: Sequence[Enrolled], marks: MarkColumn) -> Rows:
    yield "OrgDefinedId", "Username", f"{marks.title} Points Grade", END_OF_LINE
    for each in students:
        yield f"#{each.student_number}", f"#{each.login}", _mark(marks, each), "#"


def _blackboard(students: Sequence[Enrolled], marks: MarkColumn) -> Rows:
    yield "Last Name", "First Name", "Username", "Student ID", f"{marks.title} [Total Pts: {marks.most:g} Score]"
    for each in students:
        first, _, last = each.name.rpartition(" ")
        yield last, first, each.login, each.student_number, _mark(marks, each)


LAYOUTS: Mapping[str, FileLayout] = {
    "canvas": FileLayout("Canvas", _canvas),
    "moodle": FileLayout("Moodle", _moodle),
    "brightspace": FileLayout("D2L Brightspace", _brightspace),
    "blackboard": FileLayout("Blackboard", _blackboard, "\t", codecs.BOM_UTF16_LE, "utf-16-le"),
}


def written(layout: FileLayout, students: Sequence[Enrolled], marks: MarkColumn) -> bytes:
    """The file, in which no text is taken for a formula."""
    return layout.bom + lines(layout.rows(students, marks), layout.separator).encode(layout.coding)
