"""Removing students from a course and bringing them back. Each function works in the caller's transaction.

Games that were played stay, under a neutral name. A final that was frozen does not change.
"""

from collections.abc import Sequence

from sqlalchemy import Select, delete, select, update
from sqlalchemy.orm import Session, joinedload

from grader.store.models import Assignment, Regrade, Submission
from tournament.ladder.ladder import leave, lock
from tournament.ladder.results import lock_entries
from tournament.practice import custom_games
from tournament.store.database import now
from tournament.store.jobs import UNFINISHED, JobState
from tournament.store.notices import tell
from tournament.store.tables import Entry, EntryState, Tournament, TournamentKind
from tournament.store.validation import Refusal
from web.models import PARTICULARS, Course, FormerMember, Membership, Role


class RosterError(Refusal):
    """Somebody cannot be removed or brought back; the message says why."""


def former_members(session: Session, course_id: int) -> Sequence[FormerMember]:
    """The students who were removed from a course, the latest first."""
    wanted = select(FormerMember).where(FormerMember.course_id == course_id).options(joinedload(FormerMember.user))
    return session.scalars(wanted.order_by(FormerMember.removed_at.desc())).all()


def remove(session: Session, course: Course, user_id: int, by: int) -> None:
    """Remove a student: their players leave the ladders, and nothing that waits is entered. Raises RosterError."""
    member = session.get(Membership, (user_id, course.id))
    if member is None or member.role is not Role.STUDENT:
        raise RosterError("Only a student of this course can be removed from it.")
    for ladder in session.scalars(_tournaments(course.id).where(Tournament.kind == TournamentKind.LADDER)):
        _take_out(session, ladder, user_id, by)
    rename(session, course.id, user_id, member.pseudonym, neutral(user_id))
    _forget_pending(session, course.id, user_id)
    kept = {name: getattr(member, name) for name in ("pseudonym", *PARTICULARS)}
    session.add(FormerMember(user_id=user_id, course_id=course.id, removed_by=by, **kept))
    session.delete(member)
    text = "An instructor has removed you from the course. Your players have left its tournaments. Nothing was deleted."
    tell(session, user_id, None, f"You are no longer in {course.title}", text)
    session.flush()


def bring_back(session: Session, course: Course, user_id: int) -> None:
    """Bring a removed student back, under the former pseudonym. Raises RosterError.

    Their players stay withdrawn until they reinstate them themselves.
    """
    former = session.get(FormerMember, (user_id, course.id))
    if former is None:
        raise RosterError("No such student was removed from this course.")
    name, kept = former.pseudonym, {name: getattr(former, name) for name in PARTICULARS}
    session.add(Membership(user_id=user_id, course_id=course.id, role=Role.STUDENT, pseudonym=name, **kept))
    rename(session, course.id, user_id, neutral(user_id), name)
    withdrawn = _own(course.id, user_id).where(Entry.state == EntryState.WITHDRAWN)
    for entry in session.scalars(withdrawn.where(Entry.withdrawn_by == former.removed_by)):
        entry.withdrawn_by = user_id
    session.execute(delete(FormerMember).where(FormerMember.user_id == user_id, FormerMember.course_id == course.id))
    text = (
        "An instructor has brought you back. Your players are withdrawn. Reinstate them on their pages, or enter again."
    )
    tell(session, user_id, None, f"You are in {course.title} again", text)
    session.flush()


def _take_out(session: Session, ladder: Tournament, user_id: int, by: int) -> None:
    lock(session, ladder)
    own = select(Entry.id).where(Entry.tournament_id == ladder.id, Entry.author_id == user_id)
    for entry in lock_entries(session, session.scalars(own).all()).values():
        if entry.state is EntryState.ACTIVE:
            leave(entry, EntryState.WITHDRAWN, now())
            entry.withdrawn_by = by


def neutral(user_id: int) -> str:
    """The name that everybody sees of a student who was removed."""
    return f"Former player {user_id}"


def rename(session: Session, course_id: int, user_id: int, former: str, name: str) -> None:
    """Show a student's players of a course under another name than the `former` one."""
    tournaments = session.scalars(_tournaments(course_id).with_only_columns(Tournament.id)).all()
    custom_games.rename(session, tournaments, user_id, former, name)
    ids = [entry.id for entry in session.scalars(_own(course_id, user_id))]
    for entry in lock_entries(session, ids).values():
        entry.name = name


def has_entered(session: Session, course_id: int, user_id: int) -> bool:
    """Whether they have ever entered a tournament of the course."""
    return session.scalar(_own(course_id, user_id).with_only_columns(Entry.id).limit(1)) is not None


def _forget_pending(session: Session, course_id: int, user_id: int) -> None:
    """Cancel what is not graded yet or waits to be graded again; otherwise it would be entered afterwards."""
    of_course = select(Assignment.id).where(Assignment.course_id == course_id)
    own = (Submission.author_id == user_id, Submission.assignment_id.in_(of_course), Submission.state.in_(UNFINISHED))
    session.execute(update(Submission).where(*own).values(wants_entry=False))
    waiting = update(Submission).where(*own, Submission.state == JobState.QUEUED)
    session.execute(waiting.values(state=JobState.CANCELLED, finished_at=now()))
    submissions = select(Submission.id).where(Submission.author_id == user_id, Submission.assignment_id.in_(of_course))
    again = update(Regrade).where(Regrade.submission_id.in_(submissions), Regrade.state.in_(UNFINISHED))
    session.execute(again.values(state=JobState.CANCELLED, finished_at=now()))


def _tournaments(course_id: int) -> Select[Tournament]:
    of_course = select(Tournament).join(Assignment, Tournament.assignment_id == Assignment.id)
    return of_course.where(Assignment.course_id == course_id).order_by(Tournament.id)


def _own(course_id: int, user_id: int) -> Select[Entry]:
    ids = _tournaments(course_id).with_only_columns(Tournament.id).order_by(None)
    return select(Entry).where(Entry.tournament_id.in_(ids), Entry.author_id == user_id).order_by(Entry.id)
