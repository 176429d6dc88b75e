"""Setting the deadline and the extensions of an assignment from a form. Changes are logged."""

from collections.abc import Mapping
from datetime import UTC, datetime

from sqlalchemy.orm import Session

from grader.changes import note
from grader.deadline import DeadlineError, extend, extensions, last_moment, set_deadline
from grader.models import Assignment
from tournament.final.lifecycle import final_of
from tournament.store.database import now
from tournament.store.notices import tell
from tournament.store.tables import FinalPhase
from web.models import User
from web.site import access
from web.site.access import Seen
from web.site.store import read, write

TIME_FORMAT = "%Y-%m-%d %H:%M"


class NoSuchStudent(DeadlineError):
    """No student of the course has that name."""


def shown(at: datetime | None) -> str:
    """A time as a form shows and takes it."""
    return at.strftime(TIME_FORMAT) if at else ""


def change_deadline(seen: Seen, form: Mapping[str, str]) -> datetime | None:
    """Set the deadline `due`; one that has passed only with `confirm`. Raises DeadlineError, DeadlinePast."""
    due = _time(form.get("due", ""))
    with write() as session:
        assignment = session.get_one(Assignment, seen.assignment.id, with_for_update=True)
        former = assignment.due_at
        set_deadline(session, assignment, due, now(), "confirm" in form)
        note(session, assignment.id, seen.viewer.user_id, "Deadline", _logged(former), _logged(due))
        _tell_class(session, assignment, former)
    return due


def change_extension(seen: Seen, form: Mapping[str, str]) -> datetime | None:
    """Give the student `login` until `until`, or take the extension back. Raises DeadlineError, NoSuchStudent."""
    student = student_named(seen, form.get("login", ""))
    until = _time(form.get("until", ""))
    with write() as session:
        assignment = session.get_one(Assignment, seen.assignment.id, with_for_update=True)
        former = extensions(session, assignment).get(student)
        extend(session, assignment, student, until)
        what = f"Extension of {form.get('login', '').strip()}"
        note(session, assignment.id, seen.viewer.user_id, what, _logged(former), _logged(until))
        if former != until:
            given = (
                "An instructor has given you more time." if until else "An instructor has taken your extension away."
            )
            _tell(session, assignment, student, last_moment(assignment.due_at, until), given)
    return until


def _tell_class(session: Session, assignment: Assignment, former: datetime | None) -> None:
    """Tell the students whose own deadline has moved; an extension may end later than both deadlines."""
    given = extensions(session, assignment)
    for member in access.students(session, assignment.course_id):
        own = given.get(member.user_id)
        was, is_ = last_moment(former, own), last_moment(assignment.due_at, own)
        if was != is_:
            done = f"An instructor has moved it; it was {_told(was)}." if was and is_ else ""
            done = done or f"An instructor has {'set' if is_ else 'removed'} it."
            _tell(session, assignment, member.user_id, is_, done)


def _tell(session: Session, assignment: Assignment, student: int, ends: datetime | None, done: str) -> None:
    """Tell a student their new deadline."""
    subject = f"{assignment.title} has no deadline"
    if ends:
        subject = f"Your deadline for {assignment.title} is {_told(ends)}"
    if frozen(session, assignment):
        done = f"{done} The final is already frozen and does not change."
    elif ends:
        done = f"{done} The final uses your last entry before your deadline."
    tell(session, student, assignment.id, subject, done, [("assignment", assignment.id, assignment.title)])


def frozen(session: Session, assignment: Assignment) -> bool:
    """Whether the final has been frozen, so that moving a deadline changes nothing in it."""
    final = final_of(session, assignment.id)
    return final is not None and final.phase is not FinalPhase.ABORTED


def _told(at: datetime) -> str:
    return f"{at:%-d %b %Y, %H:%M} UTC"


def extended(session: Session, assignment: Assignment, people: Mapping[int, User]) -> list[tuple[str, int, datetime]]:
    """The extensions of those who are in the course: name, user id and end of each."""
    given = extensions(session, assignment).items()
    return sorted((people[id_].name, id_, until) for id_, until in given if id_ in people)


def student_named(seen: Seen, login: str) -> int:
    """The id of a student of the course. Raises NoSuchStudent."""
    for member in access.students(read(), seen.assignment.course_id):
        if member.user.login == login.strip():
            return member.user_id
    raise NoSuchStudent(f"No student of this course signs in as “{login.strip()}”.")


def _logged(at: datetime | None) -> str:
    return f"{shown(at)} UTC" if at else "none"


def _time(text: str) -> datetime | None:
    if not text.strip():
        return None
    try:
        at = datetime.fromisoformat(text.strip())
    except ValueError:
        raise DeadlineError(f"“{text.strip()}” is not a date and time such as 2026-05-29 23:59.") from None
    return at if at.tzinfo else at.replace(tzinfo=UTC)
