"""For instructors: the students of a course, removing them and bringing them back."""

from collections.abc import Callable
from typing import Any

from flask import Blueprint, flash, redirect, render_template, request, url_for
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from grader.models import Submission
from web import access, roster
from web.access import Seen
from web.auth import user
from web.models import Course
from web.overview import real_names
from web.store import read, write

page = Blueprint("people", __name__, url_prefix="/assignments/<int:assignment_id>/people")


@page.get("/")
def show(assignment_id: int) -> str:
    """The page."""
    return _page(access.taught(read(), user().id, assignment_id))


def _page(seen: Seen, problem: str = "", unconfirmed: int = 0) -> str:
    session, course = read(), seen.viewer.course
    uploads = select(Submission.author_id, func.count()).where(Submission.assignment_id == seen.assignment.id)
    return render_template(
        "people.html",
        assignment=seen.assignment,
        viewer=seen.viewer,
        students=access.students(session, course.id),
        uploads=dict(session.execute(uploads.group_by(Submission.author_id)).all()),
        former=roster.former_members(session, course.id),
        people=real_names(session, course.id),
        problem=problem,
        unconfirmed=unconfirmed,
    )


@page.post("/<int:user_id>/remove")
def remove(assignment_id: int, user_id: int) -> Any:
    """Remove a student from the course; that is confirmed first."""
    seen = access.taught(read(), user().id, assignment_id)
    if "confirm" not in request.form:
        return _page(seen, unconfirmed=user_id), 422
    by = seen.viewer.user_id
    return _done(seen, "removed", lambda session, course: roster.remove(session, course, user_id, by))


@page.post("/<int:user_id>/bring-back")
def bring_back(assignment_id: int, user_id: int) -> Any:
    """Let a removed student in again."""
    seen = access.taught(read(), user().id, assignment_id)
    return _done(seen, "back", lambda session, course: roster.bring_back(session, course, user_id))


def _done(seen: Seen, what: str, act: Callable[[Session, Course], None]) -> Any:
    try:
        with write() as session:
            act(session, session.get_one(Course, seen.viewer.course.id, with_for_update=True))
    except roster.RosterError as error:
        return _page(seen, str(error)), 409
    flash(f"The student is {what}.")
    return redirect(url_for("people.show", assignment_id=seen.assignment.id), 303)
