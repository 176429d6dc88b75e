"""Setting the deadline of an assignment from a form, which is logged, and the times that forms of dates send."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.assignment.deadline import DeadlineError, deadlines, set_deadline, tell_class
from grader.definition.local_times import BadTime, LocalTime, parse
from grader.store.models import Assignment, Extension, note_change, students_of
from tournament.store.database import now
from web.models import User
from web.site import access
from web.site.access import Seen
from web.site.store import read


class NoSuchStudent(DeadlineError):
    """No student of the course has that name."""

    field = "login"


def change_deadline(
    session: Session, assignment: Assignment, seen: Seen, text: str, confirmed: bool
) -> LocalTime | None:
    """Set the deadline; one that has passed only if that is confirmed. Raises DeadlineError, DeadlinePast."""
    former = _local(assignment.due_at, seen)
    due = read_time(text, seen, former)
    dates = deadlines(session, assignment, students_of(session, assignment.course_id))
    set_deadline(session, assignment, due, now(), confirmed)
    note_change(session, assignment.id, seen.viewer.user_id, "Deadline", _logged(former), _logged(due))
    tell_class(session, assignment, dates, seen.viewer.course.zone)
    return due


def extended(session: Session, assignment: Assignment, people: Mapping[int, User]) -> list[tuple[User, Extension]]:
    """The extensions of those who are in the course, by name."""
    rows = session.scalars(select(Extension).where(Extension.assignment_id == assignment.id))
    given = [(people[row.user_id], row) for row in rows if row.user_id in people]
    return sorted(given, key=lambda each: (each[0].name, each[0].id))


def student_named(seen: Seen, login: str) -> int:
    """The id of a student of the course. Raises NoSuchStudent."""
    for member in access.students(read(), seen.assignment.course_id):
        if member.user.login == login.strip():
            return member.user_id
    raise NoSuchStudent(f"No student of this course signs in as “{login.strip()}”.")


def _local(at: datetime | None, seen: Seen) -> LocalTime | None:
    return LocalTime(at, seen.viewer.course.zone) if at else None


def _logged(time: LocalTime | None) -> str:
    return time.in_words if time else "none"


def read_time(text: str, seen: Seen, former: LocalTime | None) -> LocalTime | None:
    """The time in a form. A field that still shows the former time means that very instant: it may be the first of
    two, which the clock alone does not say."""
    if not text.strip():
        return None
    if former and text.strip() == former.field:
        return former
    try:
        return parse(text, seen.viewer.course.zone)
    except BadTime as error:
        raise DeadlineError(str(error)) from None


def said(what: str, ends: LocalTime | None) -> str:
    """What the instructor is told of a deadline or an extension that was set, or removed."""
    if ends is None:
        return f"The {what} has been removed."
    return f"The {what} has been set. Students see {ends.in_words}. {ends.remark}".rstrip()
