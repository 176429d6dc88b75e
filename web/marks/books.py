"""The gradebook tables of an assignment and of a course, built from the marks; and publishing or withdrawing the marks
of a class, for the pages and the API."""

from collections.abc import Sequence

from flask import url_for
from sqlalchemy.orm import Session
from werkzeug.exceptions import NotFound

from grader.definition.question import label
from grader.marks import publishing
from grader.marks.book import CourseBook, MarkBook, mark_book, why_missing
from grader.marks.mark import Mark, by_hand, worth
from grader.marks.publishing import NotPublishable
from grader.store.models import Assignment
from tournament.store.database import now
from web.marks.lms import MarkColumn
from web.marks.table import Column, Enrolled, GradeRow, GradeTable, enrolled
from web.site.access import Seen
from web.site.store import write


def of_assignment(session: Session, book: MarkBook, students: Sequence[Enrolled]) -> GradeTable:
    """Return the gradebook of an assignment: its questions, all parts of the mark, and notes on what each mark
    lacks."""
    missing = why_missing(session, book)
    most, scheme = worth(book.scheme, book.possible), book.scheme
    asked, final, late = book.definition.asked, most[1] > 0, scheme.late.takes_late
    columns = [Column(each.slug, label(each.slug), each.points) for each in asked]
    columns.append(Column("points", "Points", most[0]))
    if final:
        columns.append(Column("tournament", "Final", most[1]))
    columns += [Column(f"rubric-{each.key}", each.title, each.most) for each in scheme.rubric]
    if late:
        columns.append(Column("late", "Lateness"))
    columns.append(Column("total", "Total", book.most))
    slugs = [each.slug for each in asked]
    rows = []
    for each in students:
        mark = book.marks[each.id]
        values = [*map(mark.upload.questions.get, slugs)] if mark.upload else [None] * len(slugs)
        values += [mark.points, mark.tournament] if final else [mark.points]
        values += [by_hand(item, mark.decision) for item in scheme.rubric]
        values += [-mark.deduction if mark.deduction else None] if late else []
        rows.append(GradeRow(each, [*values, mark.total], _notes(book, mark, missing.get(each.id, ()), each.id)))
    return GradeTable(columns, rows)


def _notes(book: MarkBook, mark: Mark, missing: Sequence[str], id_: int) -> list[tuple[str, str]]:
    notes = [("warn", words) for words in missing]
    if mark.decision.excused:
        notes.append(("", "excused"))
    elif mark.decision.override is not None:
        notes.append(("", "set by hand"))
    if mark.upload and mark.upload.late.days_spent:
        notes.append(("", f"late days: {mark.upload.late.days_spent}"))
    if book.published is not None and mark.total != book.published.get(id_):
        notes.append(("warn", "not as published"))
    return notes


def of_course(book: CourseBook, students: Sequence[Enrolled]) -> GradeTable:
    """Return the gradebook of a course: the total of each assignment, and the course total."""
    columns = []
    for one in book.books:
        id_, title = one.assignment.id, one.assignment.title
        columns.append(Column(str(id_), title, one.most, url_for("marks.show", assignment_id=id_)))
    columns.append(Column("total", "Total", sum(book.weights[id_] for id_ in book.over)))
    rows = []
    for each in students:
        marks = [one.marks[each.id] for one in book.books]
        excused = [one.assignment.title for one, mark in zip(book.books, marks, strict=True) if mark.decision.excused]
        notes = [("", f"excused: {', '.join(excused)}")] if excused else []
        rows.append(GradeRow(each, [*(mark.total for mark in marks), book.totals[each.id]], notes))
    return GradeTable(columns, rows)


def mark_column(book: MarkBook) -> MarkColumn:
    """Return the marks of an assignment for another system's file: the published marks or, if none are published, the
    marks as calculated now."""
    totals = book.published if book.published is not None else {id_: mark.total for id_, mark in book.marks.items()}
    excused = {id_ for id_, mark in book.marks.items() if mark.decision.excused and totals.get(id_) is None}
    return MarkColumn(book.assignment.title, book.out_of, totals, excused)


def with_marks(seen: Seen) -> Seen:
    """Return `seen` if its assignment is published; otherwise raise NotFound."""
    if not seen.assignment.version:
        raise NotFound("This assignment has not been published yet, so it has no marks.")
    return seen


def seen_book(session: Session, seen: Seen) -> tuple[list[Enrolled], MarkBook]:
    """Return the students whom the viewer oversees, and their marks."""
    students = enrolled(session, seen.assignment.course_id, seen.viewer.pupils)
    assignment = session.get_one(Assignment, seen.assignment.id)
    return students, mark_book(session, assignment, [each.id for each in students])


def publish(seen: Seen, confirmed: bool) -> int:
    """Publish the marks of the whole class and return their number. Raises NotPublishable, for example if some marks
    are incomplete and publishing them is not `confirmed`."""
    with write() as session:
        session.get_one(Assignment, seen.assignment.id, with_for_update=True)
        _, book = seen_book(session, seen)
        if not confirmed and why_missing(session, book):
            raise NotPublishable("Nothing was published: some marks are incomplete. Confirm that you want that.")
        return publishing.publish(session, book, seen.viewer.user_id, now(), seen.viewer.course.zone)


def withdraw(seen: Seen) -> None:
    """Hide the marks from the students again. Raises NotPublishable if no marks are published."""
    with write() as session:
        assignment = session.get_one(Assignment, seen.assignment.id, with_for_update=True)
        publishing.unpublish(session, assignment, seen.viewer.user_id, now())
