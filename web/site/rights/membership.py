"""Which courses exist for a person, and as whom they are in them."""

from flask import request
from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session, contains_eager
from werkzeug.exceptions import Forbidden, NotFound

from grader.members import sections
from web.models import Course, Membership, Role, User
from web.site.rights.roles import Viewer
from web.site.rights.viewing import READING, viewing

_COURSES = (
    select(Membership)
    .join(Membership.course)
    .options(contains_eager(Membership.course))
    .where(Membership.user_id == bindparam("user"))
    .order_by(Course.title)
)


def courses(session: Session, user_id: int) -> list[Viewer]:
    """The user's courses, by title."""
    found = session.scalars(_COURSES, {"user": user_id}).all()
    return [
        viewer_of(session, user_id, each.course, each.role, each.pseudonym, each.section)
        for each in found
        if _open(each.course)
    ]


def course(session: Session, user_id: int, slug: str) -> Viewer:
    """One of the user's courses."""
    for viewer in courses(session, user_id):
        if viewer.course.slug == slug:
            return acting_in(viewer)
    raise NotFound("There is no such course among yours.")


def students(session: Session, course_id: int) -> list[Membership]:
    """The students of a course by name, for its instructors."""
    members = select(Membership).join(User).where(Membership.course_id == course_id, Membership.role == Role.STUDENT)
    return list(session.scalars(members.order_by(User.name).options(contains_eager(Membership.user))))


def viewer_of(session: Session, user_id: int, course: Course, role: Role, pseudonym: str, section: str) -> Viewer:
    """A member of a course, by the columns of their membership."""
    own = sections(section) if section else frozenset()
    return Viewer(user_id, pseudonym, role, course, _pupils(session, course, role, own), own)


def _pupils(session: Session, course: Course, role: Role, own: frozenset[str]) -> frozenset[int] | None:
    """The students whom a member oversees; None: everybody."""
    if role is Role.STUDENT:
        return frozenset()
    if role is not Role.TUTOR or not own:
        return None
    students = select(Membership.user_id, Membership.section)
    students = students.where(Membership.course_id == course.id, Membership.role == Role.STUDENT)
    return frozenset(id_ for id_, section in session.execute(students) if own & sections(section))


def acting_in(viewer: Viewer) -> Viewer:
    """Refuse an observer who sends something, and whoever views another course as its student."""
    if not _open(viewer.course):
        raise NotFound("You view another course as one of its students. Leave that view first.")
    if viewer.role is Role.OBSERVER and request.method not in READING:
        raise Forbidden("You observe this course: you see what its staff see, and change nothing.")
    return viewer


def _open(course: Course) -> bool:
    """Whether this course exists at present: while an instructor views one as its student, there is no other."""
    viewed = viewing()
    return viewed is None or viewed.course.id == course.id
