"""A table of marks with a row for each student, which can be searched, filtered, sorted and split into pages. It is
plain data, from which the page, the CSV file and the files for learning management systems are all generated."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session
from werkzeug.exceptions import NotFound

from grader.store.models import section_names, sections
from web.site.models import PARTICULARS, Membership, Role, User, alphabetical
from web.site.pages import pages_of
from web.site.roles import missing

PAGE = 100  # rows


class Enrolled(NamedTuple):
    """A student of a course."""

    id: int
    login: str
    name: str
    student_number: str = ""
    email: str = ""
    section: str = ""
    group: str = ""

    @property
    def searched(self) -> str:
        """The text that a search looks through."""
        return "\n".join((self.name, self.login, self.student_number, self.email, self.group)).casefold()

    def is_in(self, section: str) -> bool:
        """Whether the student is in every section named in `section`, however the names are spelled; "" matches
        everybody."""
        return not section or sections(section) <= sections(self.section)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of marks; `most` is the possible mark, `href` the link behind its title."""

    key: str
    title: str
    most: float | None = None
    href: str = ""


class GradeRow(NamedTuple):
    """A student with a value for each column, and notes to show beside the last value, each as a badge's kind and
    text."""

    student: Enrolled
    values: Sequence[float | None]
    notes: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class GradeTable:
    """A table with a row for each student, by name."""

    columns: Sequence[Column]
    rows: Sequence[GradeRow]

    @property
    def sections(self) -> list[str]:
        """The sections of the students, each once and in one spelling."""
        return section_names(row.student.section for row in self.rows)


@dataclass(frozen=True, slots=True)
class TableView:
    """The part of a table that the viewer has selected."""

    who: str = ""
    section: str = ""
    show: str = ""
    sort: str = ""
    page: int = 1

    @property
    def query(self) -> dict[str, str]:
        """The view as query parameters of an address, without the page."""
        shown = {"who": self.who, "section": self.section, "show": self.show, "sort": self.sort}
        return {name: value for name, value in shown.items() if value}


FILTERS: Mapping[str, tuple[str, Callable[[GradeRow], bool]]] = {
    "": ("all", lambda row: True),
    "missing": ("without a mark", lambda row: not row.values or row.values[-1] is None),
    "noted": ("with a special case", lambda row: bool(row.notes)),
}
"""The filters, each with its title and its condition for a row, whose last value is the total."""


def asked_by(args: Mapping[str, str]) -> TableView:
    """Return the view that the query parameters select; invalid values are ignored."""
    page = args.get("page", "")
    number = max(1, int(page)) if page.isdecimal() and len(page) < 6 else 1
    who, section, show, sort = (args.get(name, "").strip() for name in ("who", "section", "show", "sort"))
    return TableView(who, section, show, sort, number)


def chosen(table: GradeTable, asked: TableView) -> list[GradeRow]:
    """Return the requested rows, sorted. Numbers are sorted from the largest or, with a minus before the column, from
    the smallest; rows without a number come last."""
    _, keep = FILTERS.get(asked.show, FILTERS[""])
    word = asked.who.casefold()
    rows = [
        row for row in table.rows if row.student.is_in(asked.section) and word in row.student.searched and keep(row)
    ]
    key = asked.sort.removeprefix("-")
    if key in ("login", "section", "student_number"):
        return sorted(rows, key=lambda row: alphabetical(getattr(row.student, key)), reverse=asked.sort[0] == "-")
    at = next((at for at, column in enumerate(table.columns) if column.key == key), None)
    if at is None:
        return rows
    sign = 1 if asked.sort.startswith("-") else -1
    return sorted(rows, key=lambda row: (row.values[at] is None, sign * (row.values[at] or 0)))


def paged(rows: Sequence[GradeRow], page: int) -> tuple[Sequence[GradeRow], int]:
    """Return the rows of a page, and the number of pages."""
    pages = pages_of(len(rows), PAGE)
    begin = (min(page, pages) - 1) * PAGE
    return rows[begin : begin + PAGE], pages


def as_lines(table: GradeTable, rows: Sequence[GradeRow]) -> list[list[Any]]:
    """Return the table as lines of a CSV file."""
    titles = [f"{each.title} (of {each.most:g})" if each.most else each.title for each in table.columns]
    who = ("name", "login", *PARTICULARS)
    return [[*who, *titles, "notes"], *([*_cells_of(row, who)] for row in rows)]


def _cells_of(row: GradeRow, who: Sequence[str]) -> Iterator[str]:
    yield from (getattr(row.student, name) for name in who)
    yield from ("" if value is None else f"{value:.6g}" for value in row.values)
    yield "; ".join(words for _, words in row.notes)


def enrolled(session: Session, course_id: int, pupils: Collection[int] | None = None) -> list[Enrolled]:
    """Return the students of a course, by name; with `pupils` only those with these ids, such as the students whom a
    tutor oversees."""
    kept = [getattr(Membership, name) for name in PARTICULARS]
    wanted = select(User.id, User.login, User.name, *kept).join(Membership)
    wanted = wanted.where(Membership.course_id == course_id, Membership.role == Role.STUDENT)
    found = [Enrolled._make(row) for row in session.execute(wanted) if pupils is None or row.id in pupils]
    return sorted(found, key=lambda each: (alphabetical(each.name), each.login))


def people_in_record(students: Collection[Enrolled]) -> dict[int, dict[str, str]]:
    """Return what the signed record of published marks says about each student, by id."""
    return {each.id: {name: getattr(each, name) for name in ("login", "name", *PARTICULARS)} for each in students}


def student_in(students: Collection[Enrolled], user_id: int) -> Enrolled:
    """Return the student with that id. Raises NotFound."""
    for each in students:
        if each.id == user_id:
            return each
    raise NotFound(missing("mark"))


def listing(table: GradeTable, args: Mapping[str, str]) -> dict[str, Any]:
    """Return the values that a gradebook's template needs to show a table with these query parameters."""
    asked = asked_by(args)
    found = chosen(table, asked)
    rows, pages = paged(found, asked.page)
    shown = {"table": table, "sections": table.sections, "rows": rows, "pages": pages}
    return {**shown, "asked": asked, "found": len(found), "filters": FILTERS}
