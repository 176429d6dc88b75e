"""Tells students that their deadline for an assignment has moved. Each function works in the caller's transaction."""

from collections.abc import Iterable, Mapping
from zoneinfo import ZoneInfo

from sqlalchemy.orm import Session

from grader.assignment.deadline import special_dates
from grader.definition.local_times import LocalTime, OwnDates
from grader.store.models import Assignment
from tournament.final.lifecycle import final_of
from tournament.store.database import now
from tournament.store.notices import tell
from tournament.store.tables import FinalPhase


def deadlines(session: Session, assignment: Assignment, students: Iterable[int]) -> dict[int, OwnDates]:
    """The own dates of these students."""
    special, general = special_dates(session, assignment), assignment.dates_of()
    return {student: special.get(student, general) for student in students}


def tell_class(session: Session, assignment: Assignment, former: Mapping[int, OwnDates], zone: ZoneInfo) -> None:
    """Leave a notice with each student whose own deadline has moved. `former`: their dates before.
    Students get none about an assignment that they cannot see."""
    if not assignment.version or assignment.archived:
        return
    at = now()
    for student, dates in deadlines(session, assignment, former).items():
        was, is_ = former[student].due_at, dates.due_at
        if was != is_ and (dates.visible_from is None or dates.visible_from <= at):
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
