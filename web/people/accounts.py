"""Accounts of students that their instructors may change: a new password, a corrected name.

An account is more than a membership: the person who signs in to it sees and does everything in all its courses, and its
name is shown in all of them. So an instructor may change it only if they teach everything in it:

- it is a student of the course in which they ask;
- they also teach every other course of it, including those from which it was removed: otherwise an instructor could
  add anybody's account to a course of their own by its login, and read that student's work in the other one;
- it does not teach anywhere, and never did: otherwise an instructor could make a colleague a student first.
  (Instructors give and take roles, and `User.once_taught` remembers it.) So nobody can change their own account this
  way either.

Administrators have no account: the person who runs the server has the command line, and can replace any password there.
Each function works in the caller's transaction.
"""

from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.orm import Session

from tournament.store.notices import tell
from web.models import Account, Course, FormerMember, Membership, Role, User
from web.people.people_file import bad_name, sentence
from web.people.roster import RosterError
from web.site.passwords import replace_password


class NotYours(RosterError):
    """This instructor may not change this account; the message says why, and who can."""


def account(session: Session, course: Course, by: int, user_id: int) -> User:
    """The account of a student, locked, if the instructor `by` of the course may change it. Raises NotYours."""
    user = session.get(User, user_id, with_for_update=True, populate_existing=True)
    if user is None:
        raise NotYours("There is no such account.")
    if why := why_not(session, course, by, user):
        raise NotYours(why)
    return user


def why_not(session: Session, course: Course, by: int, user: User) -> str:
    """Why the instructor `by` of the course may not change this account, and who can; "" if they may."""
    own = select(Membership.course_id, Membership.role).where(Membership.user_id == user.id)
    roles = dict(session.execute(own).all())
    if course.id not in roles:
        return "This is only possible for a student of this course."
    if user.once_taught or Role.INSTRUCTOR in roles.values():
        return f"{user.name} teaches, or has taught, a course. {_operator(user)}"
    former = select(FormerMember.course_id).where(FormerMember.user_id == user.id)
    elsewhere = {*roles, *session.scalars(former)} - {course.id}
    if elsewhere - _taught(session, by, elsewhere):
        return (
            f"{user.name} is, or was, in another course, which you do not teach. Somebody who teaches all their "
            f"courses can do it here. {_operator(user)}"
        )
    return ""


def _operator(user: User) -> str:
    return f"The person who runs the server can give them a new password: quadrille course password {user.login}"


def _taught(session: Session, by: int, courses: Iterable[int]) -> set[int]:
    """Those of the courses that this person teaches."""
    own = select(Membership.course_id).where(Membership.user_id == by, Membership.role == Role.INSTRUCTOR)
    return set(session.scalars(own.where(Membership.course_id.in_(courses))))


def reset(session: Session, course: Course, by: Account, user_id: int) -> str:
    """Give a student a one-time password, to be shown once. Their sessions and API tokens end. Raises NotYours."""
    user = account(session, course, by.id, user_id)
    password = replace_password(session, user)
    text = (
        f"{by.name}, who teaches {course.title}, has replaced it with a one-time password. You were signed out"
        " everywhere, and your API tokens no longer work. If you did not ask for this, talk to them."
    )
    tell(session, user_id, None, "Your password was replaced", text)
    return password


def correct_name(session: Session, course: Course, by: Account, user_id: int, name: str) -> str:
    """Correct a student's name and return the former one. Raises RosterError, of which NotYours is one."""
    user, name = account(session, course, by.id, user_id), name.strip()
    if why := bad_name(name, "the name"):
        raise RosterError(sentence(why))
    former, user.name = user.name, name
    if former != name:
        tell(session, user_id, None, f"You are now {name}", f"An instructor has corrected your name; it was {former}.")
    return former
