"""For instructors: view the course as one of its students."""

from typing import Any

from flask import Blueprint, flash
from sqlalchemy.orm import Session
from werkzeug.exceptions import NotFound

from web.models import Course, Membership, Role
from web.people import members
from web.site.auth import user
from web.site.rendering.pages import see_other
from web.site.rights import access, viewing
from web.site.store import read, write

page = Blueprint("view_as", __name__)


@page.post("/assignments/<int:assignment_id>/people/<int:user_id>/view")
def begin(assignment_id: int, user_id: int) -> Any:
    """View the course as this student, which is logged."""
    seen = access.taught(read(), user().id, assignment_id)
    member = _student(read(), user_id, seen.viewer.course.id)
    with write() as session:
        course = session.get_one(Course, seen.viewer.course.id)
        members.log(session, course, seen.viewer.user_id, f"Viewed as {member.user.login}", "", "read-only")
    viewing.begin(seen.viewer.course.id, user_id, assignment_id)
    return see_other("assignment.show", course=seen.viewer.course.slug, slug=seen.assignment.slug)


def _student(session: Session, user_id: int, course_id: int) -> Membership:
    member = session.get(Membership, (user_id, course_id))
    if member is None or member.role is not Role.STUDENT:
        raise NotFound("There is no such student in this course.")
    return member


@page.post("/view/leave")
def leave() -> Any:
    """Be oneself again."""
    viewing.end()
    flash("You are yourself again.")
    return see_other("home.show")
