"""The gradebooks of an assignment and of its course, for staff."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal

from flask import request
from pydantic import Field

from grader.marks.book import course_book, why_missing
from grader.marks.scheme import course_in_words, in_words
from grader.marks.schemes import publication_of
from tournament.store.database import now
from web.api.models import TYPED, Model
from web.api.operations import operation
from web.gradebook import books
from web.gradebook.publication import seen_book
from web.gradebook.table import GradeRow, GradeTable, TableView, chosen, enrolled, paged
from web.models import PARTICULARS, User
from web.site.rights import access
from web.site.rights.access import Seen
from web.site.serving.problems import ApiRefusal
from web.site.store import read

MARKS = "/assignments/<int:assignment_id>/marks"
Words = Annotated[str, Field(max_length=200, json_schema_extra=TYPED)]


class GradebookQuery(Model):
    """The part of a gradebook to get, a page of 100 students."""

    who: Words = Field("", description="a part of a name, login, student number, e-mail or group")
    section: Words = ""
    show: Literal["", "missing", "noted"] = Field("", description="only those without a mark, or with notes")
    sort: Words = Field("", description="a column’s key, login, section or student_number; with -, the other way")
    page: int = Field(1, ge=1, le=10_000)


class GradebookColumn(Model):
    key: str = Field(description="a question, points, tournament, rubric-…, late or total; of a course, the assignment")
    title: str
    most: float | None = Field(description="the possible marks; null: of lateness")


class GradebookRow(Model):
    """A student with a value for each column."""

    user_id: int
    login: str
    name: str
    student_number: str
    email: str
    section: str
    group: str
    values: dict[str, float | None] = Field(description="by the key of the column; null if there is no value")
    notes: list[str] = Field(description="what the mark lacks, and special cases")


class Gradebook(Model):
    title: str = Field(description="of the assignment or the course")
    formula: str = Field(description="what makes up the total, in words")
    published_at: datetime | None = Field(description="null: students do not see these marks; of a course always null")
    columns: list[GradebookColumn] = Field(description="the last one is the total")
    students: list[GradebookRow] = Field(description="by name, unless sorted otherwise")
    found: int = Field(description="students on all pages")
    pages: int


@operation("GET", MARKS, {200: Gradebook}, problems=(400, 403), query=GradebookQuery)
def read_gradebook(user: User, assignment_id: int) -> Gradebook:
    """The marks of the students whom you oversee as they would be now, with their parts."""
    seen = with_marks(access.overseeing(read(), user.id, assignment_id))
    students, book = seen_book(read(), seen)
    publication = publication_of(read(), assignment_id)
    return _gradebook(
        books.of_assignment(book, students, why_missing(read(), book)),
        title=seen.assignment.title,
        formula=", ".join(in_words(book.scheme, book.possible.points, book.possible.tournament)),
        published_at=publication.published_at if publication else None,
    )


@operation(
    "GET",
    "/assignments/<int:assignment_id>/course-marks",
    {200: Gradebook},
    problems=(400, 403),
    query=GradebookQuery,
)
def read_course_gradebook(user: User, assignment_id: int) -> Gradebook:
    """Their marks in all assignments of the assignment's course, and the total of each."""
    viewer = access.overseeing(read(), user.id, assignment_id).viewer
    course, students = viewer.course, enrolled(read(), viewer.course.id, viewer.pupils)
    book = course_book(read(), course.id, [each.id for each in students], now())
    words = course_in_words([(each.assignment.title, book.weights[each.assignment.id]) for each in book.books])
    return _gradebook(books.of_course(book, students), title=course.title, formula=words, published_at=None)


def with_marks(seen: Seen) -> Seen:
    """Allow only an assignment that is published."""
    if not seen.assignment.version:
        raise ApiRefusal(404, "This assignment has not been published yet, so it has no marks.")
    return seen


def _gradebook(table: GradeTable, *, title: str, formula: str, published_at: datetime | None) -> Gradebook:
    asked = TableView(**GradebookQuery.model_validate(request.args.to_dict()).model_dump())
    found = chosen(table, asked)
    rows, pages = paged(found, asked.page)
    return Gradebook(
        title=title,
        formula=formula,
        published_at=published_at,
        columns=[GradebookColumn(key=each.key, title=each.title, most=each.most) for each in table.columns],
        students=[_row(each, [column.key for column in table.columns]) for each in rows],
        found=len(found),
        pages=pages,
    )


def _row(row: GradeRow, keys: Sequence[str]) -> GradebookRow:
    return GradebookRow(
        user_id=row.student.id,
        values=dict(zip(keys, row.values, strict=True)),
        notes=[words for _, words in row.notes],
        **{name: getattr(row.student, name) for name in ("login", "name", *PARTICULARS)},
    )
