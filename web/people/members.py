"""The pseudonym and the role of a member of a course, its time zone, and the log of who changed them. Each function
works in the caller's transaction."""

from collections.abc import Mapping, Sequence

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from grader.changes import note
from grader.dates import find_zone
from grader.models import Assignment, Submission
from tournament.store.notices import tell
from web.models import PARTICULARS, Course, Membership, Role
from web.people.enrolment import pseudonyms_of
from web.people.people_file import WORDS, bad_name, bad_particulars, sentence
from web.people.roster import RosterError, rename

LISTED = 20  # names in a line of the log
MEANS = {
    Role.STUDENT: "You are now a student of it, and no longer see the work of others.",
    Role.INSTRUCTOR: "You now teach it: you see everybody's work, and can change what its other instructors can.",
}


def log(session: Session, course: Course, by: int, what: str, former: str, value: str) -> None:
    """Log a change of the people of a course in each of its assignments, because it concerns them all."""
    for id_ in session.scalars(select(Assignment.id).where(Assignment.course_id == course.id)):
        note(session, id_, by, what, former, value)


def listed(logins: Sequence[str]) -> str:
    """Several people in a line of the log."""
    more = len(logins) - LISTED
    return ", ".join(logins[:LISTED]) + (f" and {more} more" if more > 0 else "")


def change_pseudonym(session: Session, course: Course, user_id: int, pseudonym: str) -> str:
    """Give a student another pseudonym, also in the games that they played, and return the former one. Raises
    RosterError."""
    member, pseudonym = _member(session, course, user_id), " ".join(pseudonym.split())
    former = member.pseudonym
    if why := bad_name(pseudonym, "the pseudonym"):
        raise RosterError(sentence(why))
    if pseudonym.lower() in pseudonyms_of(session, course) - {former.lower()}:
        raise RosterError(f"“{pseudonym}” belongs to somebody else in this course, or to somebody removed from it.")
    if pseudonym != former:
        _show_as(session, course, member, pseudonym)
    return former


def _show_as(session: Session, course: Course, member: Membership, pseudonym: str) -> None:
    rename(session, course.id, member.user_id, member.pseudonym, pseudonym)
    of_course = select(Assignment.id).where(Assignment.course_id == course.id)
    own = Submission.author_id == member.user_id, Submission.assignment_id.in_(of_course)
    session.execute(update(Submission).where(*own).values(entry_name=pseudonym))
    text = f"An instructor has changed the name under which your fellow students see you; it was {member.pseudonym}."
    tell(session, member.user_id, None, f"You play as {pseudonym} in {course.title} now", text)
    member.pseudonym = pseudonym


def change_particulars(
    session: Session, course: Course, user_id: int, given: Mapping[str, str]
) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Set the student number, e-mail, section and group of a member, and return the former and the new ones. Raises
    RosterError."""
    member = _member(session, course, user_id)
    fresh = {name: " ".join(given.get(name, "").split()) for name in PARTICULARS}
    if why := bad_particulars(fresh, member.user.name):
        raise RosterError(sentence(why))
    others = select(Membership).where(Membership.course_id == course.id, Membership.user_id != user_id)
    for name in ("email", "student_number"):
        same = func.lower(getattr(Membership, name)) == fresh[name].lower()
        other = session.scalars(others.where(same).limit(1)).first() if fresh[name] else None
        if other:
            raise RosterError(f"The {WORDS[name]} “{fresh[name]}” is that of {other.user.name} ({other.user.login}).")
    former = {name: getattr(member, name) for name in PARTICULARS}
    for name, value in fresh.items():
        setattr(member, name, value)
    return former, fresh


def change_role(session: Session, course: Course, by: int, user_id: int, role: Role) -> Role:
    """Make a student an instructor, or an instructor a student, and return the former role. Raises RosterError.

    Nobody can change their own role, and only an instructor can change that of others, so one is always left.
    """
    member, asking = _member(session, course, user_id), session.get(Membership, (by, course.id), populate_existing=True)
    if asking is None or asking.role is not Role.INSTRUCTOR:
        raise RosterError("You no longer teach this course.")
    if by == user_id:
        raise RosterError("You cannot change your own role. Another instructor of this course can.")
    former, member.role = member.role, role
    if former is not role:
        member.user.once_taught |= former is Role.INSTRUCTOR
        tell(session, user_id, None, f"Your role in {course.title} has changed", MEANS[role])
    return former


def change_time_zone(session: Session, course: Course, by: int, name: str) -> str:
    """Give a course another time zone, log it, and return the former one. Raises UnknownZone.

    Deadlines stay the instants that students were told; only the clock on which they are shown is another.
    """
    former, course.time_zone = course.time_zone, find_zone(name).key
    log(session, course, by, "Time zone of the course", former, course.time_zone)
    return former


def _member(session: Session, course: Course, user_id: int) -> Membership:
    member = session.get(Membership, (user_id, course.id), populate_existing=True)
    if member is None:
        raise RosterError("They are not in this course.")
    return member
