"""Tells students that their deadline for an assignment has moved. Each function works in the caller's transaction."""

from collections.abc import Iterable
from datetime import datetime
from zoneinfo import ZoneInfo

from sqlalchemy.orm import Session

from grader.dates import LocalTime
from grader.deadline import extensions, last_moment
from grader.models import Assignment
from tournament.final.lifecycle import final_of
from tournament.store.database import now
from tournament.store.notices import tell
from tournament.store.tables import FinalPhase


def tell_class(
    session: Session, assignment: Assignment, former: datetime | None, students: Iterable[int], zone: ZoneInfo
) -> None:
    """Tell the students whose own deadline has moved; `former` is that for everybody. An extension may end later than
    both deadlines. Nobody is told of an assignment that students do not see."""
    if not assignment.is_public(now()):
        return
    given = extensions(session, assignment)
    for student in students:
        was, is_ = (last_moment(due_at, given.get(student)) for due_at in (former, assignment.due_at))
        if was != is_:
            done = f"An instructor has moved it; it was {LocalTime(was, zone).in_words}." if was and is_ else ""
            done = done or f"An instructor has {'set' if is_ else 'removed'} it."
            tell_student(session, assignment, student, LocalTime(is_, zone) if is_ else None, done)


def tell_student(session: Session, assignment: Assignment, student: int, ends: LocalTime | None, done: str) -> None:
    """Tell a student their new deadline, and what was done."""
    subject = f"{assignment.title} has no deadline"
    if ends:
        subject = f"Your deadline for {assignment.title} is {ends.in_words}"
    if frozen(session, assignment):
        done = f"{done} The final is already frozen and does not change."
    elif ends and assignment.game:
        done = f"{done} The final uses your last entry before your deadline."
    elif ends:
        done = f"{done} Later uploads do not count, or count less."
    tell(session, student, assignment.id, subject, done, [("assignment", assignment.id, assignment.title)])


def frozen(session: Session, assignment: Assignment) -> bool:
    """Whether the final has been frozen, so that moving a deadline changes nothing in it."""
    final = final_of(session, assignment.id)
    return final is not None and final.phase is not FinalPhase.ABORTED
