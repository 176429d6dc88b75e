"""The gradebooks of an assignment and of its course, a student's mark, what staff decide about it, and the publication
of all marks of an assignment."""

from dataclasses import replace
from datetime import datetime
from typing import Annotated, Literal

from flask import request
from pydantic import Field

from grader.marks import publishing
from grader.marks.book import course_book, mark_book, why_missing
from grader.marks.mark import Decision, MarkAccount, account
from grader.marks.publishing import own_account
from grader.marks.scheme import RubricItem, course_in_words, scheme_in_words
from grader.marks.tables import LONGEST, MOST, Decided, decide, publication_of, refused
from tournament.store.database import now
from web.api.operations import TYPED, Model, json_body, operation
from web.marks import books
from web.marks.books import publish, seen_book, with_marks, withdraw
from web.marks.table import Enrolled, GradeTable, TableView, chosen, enrolled, paged, student_in
from web.site import access, roles
from web.site.access import Seen
from web.site.errors import ApiRefusal
from web.site.inputs import LARGEST_ID
from web.site.models import User
from web.site.store import fresh, read, write

MARKS = "/assignments/<int:assignment_id>/marks"
ONE = f"{MARKS}/<int:user_id>"
PUBLICATION = f"{MARKS}/publication"
Words = Annotated[str, Field(max_length=200, json_schema_extra=TYPED)]
GivenMark = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, lt=MOST)]
Remark = Annotated[str, Field(max_length=LONGEST, json_schema_extra=TYPED)]


class GradebookQuery(Model):
    """Which part of a gradebook to return, in pages of 100 students."""

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
    """The marks of the students whom you oversee, as calculated now, with the parts of each mark."""
    seen = with_marks(access.overseeing(read(), user.id, assignment_id))
    students, book = seen_book(read(), seen)
    publication = publication_of(read(), assignment_id)
    return _gradebook(
        books.of_assignment(read(), book, students),
        title=seen.assignment.title,
        formula=", ".join(scheme_in_words(book.scheme, book.possible.points, book.possible.tournament)),
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
    """The marks of the students whom you oversee, for all assignments of this assignment's course, and each student's
    total."""
    viewer = access.overseeing(read(), user.id, assignment_id).viewer
    course, students = viewer.course, enrolled(read(), viewer.course.id, viewer.pupils)
    book = course_book(read(), course.id, [each.id for each in students], now())
    words = course_in_words([(each.assignment.title, book.weights[each.assignment.id]) for each in book.books])
    return _gradebook(books.of_course(book, students), title=course.title, formula=words, published_at=None)


def _gradebook(table: GradeTable, *, title: str, formula: str, published_at: datetime | None) -> Gradebook:
    asked = TableView(**GradebookQuery.model_validate(request.args.to_dict()).model_dump())
    found = chosen(table, asked)
    rows, pages = paged(found, asked.page)
    keys = [column.key for column in table.columns]
    return Gradebook(
        title=title,
        formula=formula,
        published_at=published_at,
        columns=table.columns,
        students=[
            GradebookRow.of(
                each.student,
                user_id=each.student.id,
                values=dict(zip(keys, each.values, strict=True)),
                notes=[words for _, words in each.notes],
            )
            for each in rows
        ],
        found=len(found),
        pages=pages,
    )


class DecisionJson(Model):
    """What staff decided about a mark."""

    rubric: dict[str, float] = Field(description="marks by hand, by the item's key")
    remark: str = Field(description="the student reads it")
    excused: bool
    override: float | None = Field(description="a total that replaces the computed one")
    reason: str = Field(description="of the override or the excuse; the student reads it")
    revision: int = Field(description="send it back with a change")


class MarkJson(Model):
    """A mark and how it was calculated, step by step."""

    published_at: datetime | None = Field(description="null: the student does not see it")
    published: MarkAccount | None = Field(description="as the student sees it; null before it is published")
    account: MarkAccount | None = Field(description="for staff: as it would be now")
    decision: DecisionJson | None = Field(description="for staff")
    rubric: list[RubricItem] = Field(description="for staff: what can be marked by hand")


class NewDecision(Model):
    """A change to a decision. Fields that are left out stay unchanged; null removes a mark or an override. An override
    or an excuse needs a reason."""

    revision: int = Field(ge=0, le=LARGEST_ID, description="the one that you have read; 0 before the first decision")
    rubric: dict[str, GivenMark | None] = Field({}, description="by the item's key")
    remark: Remark = ""
    excused: bool = Field(False, strict=True)
    override: GivenMark | None = None
    reason: Remark = ""


class IncompleteMark(Model):
    user_id: int
    login: str
    why: list[str]


class Publication(Model):
    """What students see of the marks of an assignment, and what is still incomplete."""

    published_at: datetime | None = Field(description="null: no marks are published")
    changed: int = Field(description="marks that are no longer the published ones")
    ungraded: int = Field(description="uploads before the deadline that are still to be graded")
    incomplete: list[IncompleteMark]


class NewPublication(Model):
    confirm: bool = Field(False, description="publish although marks are incomplete")


@operation("GET", ONE, {200: MarkJson}, problems=(403,))
def read_mark(user: User, assignment_id: int, user_id: int) -> MarkJson:
    """How a student's mark was calculated. You see your own published mark; staff also see the mark as calculated
    now."""
    seen = with_marks(access.mark(read(), user.id, assignment_id, user_id))
    if not seen.viewer.staff:
        return _mark_answer(seen, user_id)
    return _mark_answer(seen, _student(seen, user_id).id, staff=True)


def _student(seen: Seen, user_id: int) -> Enrolled:
    return student_in(enrolled(read(), seen.assignment.course_id, seen.viewer.pupils), user_id)


def _mark_answer(seen: Seen, user_id: int, staff: bool = False) -> MarkJson:
    with fresh() as session:
        publication, published = own_account(session, seen.assignment.id, user_id) or (None, None)
        found = MarkJson(
            published_at=publication.published_at if publication else None,
            published=published,
            account=None,
            decision=None,
            rubric=[],
        )
        if staff:
            book = mark_book(session, seen.assignment, [user_id])
            mark = book.marks[user_id]
            found.account = account(book.rules(seen.viewer.course.zone), mark)
            found.decision, found.rubric = DecisionJson.of(mark.decision), [*book.scheme.rubric]
        return found


@operation("PATCH", ONE, {200: MarkJson}, body=NewDecision, problems=(403, 409))
def decide_mark(user: User, assignment_id: int, user_id: int) -> MarkJson:
    """Mark the rubric of a student whom you teach. As an instructor, you can also excuse the student, or set or remove
    an override."""
    seen = with_marks(access.marking(read(), user.id, assignment_id, user_id))
    student, given = _student(seen, user_id), json_body(NewDecision)
    if given.model_fields_set & {"excused", "override", "reason"}:
        roles.deciding(seen.viewer)
    book = mark_book(read(), seen.assignment, [student.id])
    decision = _decision(given, book.marks[student.id].decision, [each.key for each in book.scheme.rubric])
    if problems := refused(decision, book.scheme):
        raise ApiRefusal(409, " ".join(problems.values()), "bad_decision")
    with write() as session:
        decide(session, assignment_id, user.id, [Decided(student.id, student.login, decision)], now())
    return _mark_answer(seen, student.id, staff=True)


def _decision(given: NewDecision, former: Decision, items: list[str]) -> Decision:
    """Return the former decision with the given changes, without marks for items that are no longer in the rubric."""
    rubric = {key: value for key, value in former.rubric.items() if key in items} | given.rubric
    changed = given.model_dump(exclude_unset=True, exclude={"rubric"})
    return replace(former, **changed, rubric={key: value for key, value in rubric.items() if value is not None})


@operation("GET", PUBLICATION, {200: Publication}, problems=(403,))
def read_publication(user: User, assignment_id: int) -> Publication:
    """Whether the marks of an assignment are published, which of them are incomplete, and why."""
    return _publication_answer(_taught_marks(user, assignment_id))


@operation("POST", PUBLICATION, {200: Publication}, body=NewPublication, problems=(403, 409))
def publish_marks(user: User, assignment_id: int) -> Publication:
    """Publish the marks as they are now: every student sees their own. Publish again after changes."""
    seen, given = _taught_marks(user, assignment_id), json_body(NewPublication)
    publish(seen, given.confirm)
    return _publication_answer(seen)


@operation("DELETE", PUBLICATION, {200: Publication}, problems=(403, 409))
def withdraw_marks(user: User, assignment_id: int) -> Publication:
    """Hide the marks of an assignment from its students again."""
    seen = _taught_marks(user, assignment_id)
    withdraw(seen)
    return _publication_answer(seen)


def _taught_marks(user: User, assignment_id: int) -> Seen:
    return with_marks(access.taught(read(), user.id, assignment_id))


def _publication_answer(seen: Seen) -> Publication:
    with fresh() as session:
        students, book = seen_book(session, seen)
        publication, missing = publication_of(session, seen.assignment.id), why_missing(session, book)
        return Publication(
            published_at=publication.published_at if publication else None,
            changed=len(book.changed),
            ungraded=publishing.pending(session, seen.assignment),
            incomplete=[
                IncompleteMark.of(each, user_id=each.id, why=missing[each.id])
                for each in students
                if each.id in missing
            ],
        )
