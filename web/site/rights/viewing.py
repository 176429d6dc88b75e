"""“View as this student”: an instructor sees the pages of a course as one of its students does, and changes nothing.

The instructor's session says whom they view. While it does, `web.site.auth.user` is the student; only that course
exists, the student's own account and notices are closed, and whatever is sent is refused. The API knows nothing of it.
"""

from dataclasses import dataclass

from flask import Flask, g, request, session
from flask_login import current_user
from sqlalchemy.orm import Session
from werkzeug.exceptions import Forbidden

from web.models import Account, Course, Membership, Role

KEY = "viewing"
READING = {"GET", "HEAD", "OPTIONS"}
ENDING = {"sign_in.leave_view", "sign_in.leave"}
PRIVATE = "account"
"""The blueprint of pages that belong to the student, and not to the course."""


@dataclass(frozen=True, slots=True)
class Viewing:
    """Whom an instructor views, and where they came from."""

    student: Account
    course: Course
    assignment_id: int


def install(app: Flask) -> None:
    """Tell the pages."""
    app.context_processor(lambda: {"viewing": viewing()})


def viewing() -> Viewing | None:
    """Whom the instructor views in this request, if anybody."""
    found: Viewing | None = g.get(KEY)
    return found


def begin(course_id: int, user_id: int, assignment_id: int) -> None:
    """View the course as this student from the next request on."""
    session[KEY] = [course_id, user_id, assignment_id]


def end() -> None:
    """Be oneself again."""
    session.pop(KEY, None)


def enter(store: Session) -> None:
    """See the request as the student does, if the session says so and the instructor still teaches the course. Raises
    Forbidden for what that excludes."""
    if KEY not in session:
        return
    course_id, user_id, assignment_id = session[KEY]
    mine = store.get(Membership, (current_user.user.id, course_id))
    theirs = store.get(Membership, (user_id, course_id))
    if mine is None or mine.role is not Role.INSTRUCTOR or theirs is None or theirs.role is not Role.STUDENT:
        end()
        return
    if request.endpoint in ENDING:
        return
    g.viewing = Viewing(Account.of(theirs.user), theirs.course, assignment_id)
    g.pop("unread_notices", None)  # those are the instructor's
    name = theirs.user.name
    if request.method not in READING:
        raise Forbidden(f"You view the course as {name} and can change nothing meanwhile. Leave that view first.")
    if request.blueprint == PRIVATE:
        raise Forbidden(f"This page belongs to {name} alone. You view only the course as they do.")
