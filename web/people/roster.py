"""Removing students from a course, bringing them back, and changing their accounts. Each function works in the caller's
transaction.

Played games stay, under a neutral name. Frozen finals do not change.
"""

from collections.abc import Sequence
from typing import Final

from flask import current_app
from sqlalchemy import Select, delete, select, update
from sqlalchemy.orm import Session, joinedload

from grader.store.models import Assignment, Regrade, Submission
from tournament.ladder.ladder import leave, lock
from tournament.ladder.results import lock_entries
from tournament.practice import custom_games
from tournament.store.database import now
from tournament.store.jobs import UNFINISHED, JobState
from tournament.store.notices import NoticeKind, tell
from tournament.store.tables import Entry, EntryState, Tournament, TournamentKind
from tournament.store.validation import Refusal
from web.site.models import PARTICULARS, Account, Course, FormerMember, Membership, Role, User
from web.site.passwords import replace_password
from web.site.people_file import bad_name, sentence


class RosterError(Refusal):
    """Somebody cannot be removed or brought back; the message says why."""


def former_members(session: Session, course_id: int) -> Sequence[FormerMember]:
    """Return the students who were removed from a course, the latest first."""
    wanted = select(FormerMember).where(FormerMember.course_id == course_id).options(joinedload(FormerMember.user))
    return session.scalars(wanted.order_by(FormerMember.removed_at.desc())).all()


def remove(session: Session, course: Course, user_id: int, by: int) -> None:
    """Remove a student: their players leave the ladders, and none of their waiting submissions is entered. Raises
    RosterError."""
    member = session.get(Membership, (user_id, course.id))
    if member is None or member.role is not Role.STUDENT:
        raise RosterError("Only students in this course can be removed from it.")
    retire(session, member, by)
    kept = {name: getattr(member, name) for name in ("pseudonym", *PARTICULARS)}
    session.add(FormerMember(user_id=user_id, course_id=course.id, removed_by=by, **kept))
    session.delete(member)
    text = "An instructor has removed you from the course. Your players have left its tournaments. Nothing was deleted."
    tell(session, user_id, None, f"You are no longer in {course.title}", text, kind=NoticeKind.ACCOUNT)
    session.flush()


def retire(session: Session, member: Membership, by: int) -> None:
    """Withdraw a member's players from the ladders of a course, show them under a neutral name, and enter none of the
    member's waiting submissions."""
    course_id, user_id = member.course_id, member.user_id
    for ladder in session.scalars(_tournaments_of(course_id).where(Tournament.kind == TournamentKind.LADDER)):
        _take_out(session, ladder, user_id, by)
    rename(session, course_id, user_id, member.pseudonym, neutral(user_id))
    _forget_pending(session, course_id, user_id)


def bring_back(session: Session, course: Course, user_id: int) -> None:
    """Bring a removed student back, under the former pseudonym. Raises RosterError.

    The student's players stay withdrawn until the student reinstates them.
    """
    former = session.get(FormerMember, (user_id, course.id))
    if former is None:
        raise RosterError("No such student was removed from this course.")
    name, kept = former.pseudonym, {name: getattr(former, name) for name in PARTICULARS}
    session.add(Membership(user_id=user_id, course_id=course.id, role=Role.STUDENT, pseudonym=name, **kept))
    rename(session, course.id, user_id, neutral(user_id), name)
    withdrawn = _entries_of(course.id, user_id).where(Entry.state == EntryState.WITHDRAWN)
    for entry in session.scalars(withdrawn.where(Entry.withdrawn_by == former.removed_by)):
        entry.withdrawn_by = user_id
    session.execute(delete(FormerMember).where(FormerMember.user_id == user_id, FormerMember.course_id == course.id))
    text = (
        "An instructor has brought you back. Your players have been withdrawn. You can reinstate them on their pages, "
        "or enter again."
    )
    tell(session, user_id, None, f"You are in {course.title} again", text, kind=NoticeKind.ACCOUNT)
    session.flush()


def _take_out(session: Session, ladder: Tournament, user_id: int, by: int) -> None:
    lock(session, ladder)
    own = select(Entry.id).where(Entry.tournament_id == ladder.id, Entry.author_id == user_id)
    for entry in lock_entries(session, session.scalars(own).all()).values():
        if entry.state is EntryState.ACTIVE:
            leave(entry, EntryState.WITHDRAWN, now())
            entry.withdrawn_by = by


def neutral(user_id: int) -> str:
    """Return the name under which everybody sees a student who was removed."""
    return f"Former player {user_id}"


def rename(session: Session, course_id: int, user_id: int, former: str, name: str) -> None:
    """Show a student's players in a course under another name than the `former` one."""
    tournaments = session.scalars(_tournaments_of(course_id).with_only_columns(Tournament.id)).all()
    custom_games.rename(session, tournaments, user_id, former, name)
    ids = [entry.id for entry in session.scalars(_entries_of(course_id, user_id))]
    for entry in lock_entries(session, ids).values():
        entry.name = name


def has_entered(session: Session, course_id: int, user_id: int) -> bool:
    """Whether a student has ever entered a tournament of the course."""
    return session.scalar(_entries_of(course_id, user_id).with_only_columns(Entry.id).limit(1)) is not None


def _forget_pending(session: Session, course_id: int, user_id: int) -> None:
    """Cancel ungraded submissions and waiting regrades, so that they are not entered afterwards."""
    of_course = select(Assignment.id).where(Assignment.course_id == course_id)
    own = (Submission.author_id == user_id, Submission.assignment_id.in_(of_course), Submission.state.in_(UNFINISHED))
    session.execute(update(Submission).where(*own).values(wants_entry=False))
    waiting = update(Submission).where(*own, Submission.state == JobState.QUEUED)
    session.execute(waiting.values(state=JobState.CANCELLED, finished_at=now()))
    submissions = select(Submission.id).where(Submission.author_id == user_id, Submission.assignment_id.in_(of_course))
    again = update(Regrade).where(Regrade.submission_id.in_(submissions), Regrade.state.in_(UNFINISHED))
    session.execute(again.values(state=JobState.CANCELLED, finished_at=now()))


def _tournaments_of(course_id: int) -> Select[Tournament]:
    of_course = select(Tournament).join(Assignment, Tournament.assignment_id == Assignment.id)
    return of_course.where(Assignment.course_id == course_id).order_by(Tournament.id)


def _entries_of(course_id: int, user_id: int) -> Select[Entry]:
    ids = _tournaments_of(course_id).with_only_columns(Tournament.id).order_by(None)
    return select(Entry).where(Entry.tournament_id.in_(ids), Entry.author_id == user_id).order_by(Entry.id)


# Accounts of students that their instructors may change: a new password, a corrected name.
#
# An account is more than a membership: it gives access to everything in all its courses, and its name is shown in all
# of them. So an instructor may change an account only under these conditions:
#
# - the account is a student's in the course where the instructor asks;
# - the instructor teaches every other course of the account too, including those from which it was removed:
#   otherwise an instructor could add anybody's account to their own course by its login, and read the student's work
#   elsewhere;
# - the account has never taught anywhere: otherwise an instructor could first turn a colleague into a student.
#   (Instructors can change roles; `User.once_taught` records that an account has taught.) So nobody can change
#   their own account this way either.
#
# There are no administrator accounts: the person who runs the server can replace any password on the command line.


PROTECTED: Final = "quadrille-protected"
"""The key in an application's extensions for the logins whose accounts no instructor may change."""


class NotYours(RosterError):
    """This instructor may not change this account; the message says why, and who can."""


def account(session: Session, course: Course, by: int, user_id: int) -> User:
    """Lock and return a student's account, if the instructor `by` of the course may change it. Raises NotYours."""
    user = session.get(User, user_id, with_for_update=True, populate_existing=True)
    if user is None:
        raise NotYours("There is no such account.")
    if why := why_not(session, course, by, user):
        raise NotYours(why)
    return user


def why_not(session: Session, course: Course, by: int, user: User) -> str:
    """Return the reason why the instructor `by` of the course may not change this account, and who can; "" if they
    may."""
    if current_app and user.login in current_app.extensions.get(PROTECTED, ()):
        return f"{user.name} connects learning management systems to this site. {_operator(user)}"
    own = select(Membership.course_id, Membership.role).where(Membership.user_id == user.id)
    roles = dict(session.execute(own).all())
    if course.id not in roles:
        return "This is only possible for a student of this course."
    if user.once_taught or Role.INSTRUCTOR in roles.values():
        return f"{user.name} teaches, or has taught, a course. {_operator(user)}"
    former = select(FormerMember.course_id).where(FormerMember.user_id == user.id)
    elsewhere = {*roles, *session.scalars(former)} - {course.id}
    taught = select(Membership.course_id).where(Membership.user_id == by, Membership.role == Role.INSTRUCTOR)
    if elsewhere - {*session.scalars(taught.where(Membership.course_id.in_(elsewhere)))}:
        return (
            f"{user.name} is, or was, in another course that you do not teach. An instructor in all these courses "
            f"can do it here. {_operator(user)}"
        )
    return ""


def _operator(user: User) -> str:
    return f"The person who runs the server can give them a new password: quadrille course password {user.login}"


ONE_TIME = "a one-time password"
BY_LINK = "a link that was sent to you by e-mail"


def reset(session: Session, course: Course, by: Account, user_id: int, how: str) -> str:
    """Give a student a new password and return it, to be shown once, or never if the student gets a link instead. The
    student is told `how` the password was replaced; their sessions and API tokens end. Raises NotYours."""
    user = account(session, course, by.id, user_id)
    password = replace_password(session, user)
    text = (
        f"{by.name}, who teaches {course.title}, has replaced it with {how}. You were signed out"
        " everywhere, and your API tokens no longer work. If you did not ask for this, contact them."
    )
    tell(session, user_id, None, "Your password was replaced", text, kind=NoticeKind.ACCOUNT)
    return password


def correct_name(session: Session, course: Course, by: Account, user_id: int, name: str) -> str:
    """Correct a student's name and return the former one. Raises RosterError or its subclass NotYours."""
    user, name = account(session, course, by.id, user_id), name.strip()
    if why := bad_name(name, "the name"):
        raise RosterError(sentence(why))
    former, user.name = user.name, name
    if former != name:
        text = f"An instructor has corrected your name; it was {former}."
        tell(session, user_id, None, f"You are now {name}", text, kind=NoticeKind.ACCOUNT)
    return former
