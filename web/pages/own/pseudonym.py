"""The name that fellow students see: students choose it until they first enter a tournament."""

from typing import Any

from flask import Blueprint, flash, render_template, request

from web.models import Course
from web.people.enrolment import free_pseudonym, pseudonyms_of
from web.people.members import ENTERED, choose_pseudonym
from web.people.pseudonyms import LONGEST, SHORTEST
from web.people.roster import RosterError, has_entered
from web.site.auth import limiter, user
from web.site.rendering.pages import see_other
from web.site.rights import access
from web.site.rights.access import Viewer
from web.site.store import read, write

page = Blueprint("pseudonym", __name__, url_prefix="/courses/<course>/pseudonym")
TRIES = "10 per minute; 60 per hour"  # a taken one says so, so nobody may try a whole class's


@page.get("/")
def show(course: str) -> str:
    """The page."""
    return _page(access.course(read(), user().id, course))


def _page(viewer: Viewer, problem: str = "", given: str = "") -> str:
    fixed = has_entered(read(), viewer.course.id, viewer.user_id)
    return render_template(
        "own/pseudonym.html",
        viewer=viewer,
        fixed=ENTERED if fixed else "",
        problem=problem,
        given=given or viewer.pseudonym,
        idea="" if fixed else free_pseudonym(pseudonyms_of(read(), viewer.course)),
        shortest=SHORTEST,
        longest=LONGEST,
    )


@page.post("/")
@limiter.limit(TRIES, key_func=lambda: f"user:{user().id}")
def choose(course: str) -> Any:
    """Take another one."""
    viewer, wanted = access.course(read(), user().id, course), request.form.get("pseudonym", "")
    try:
        with write() as session:
            held = session.get_one(Course, viewer.course.id, with_for_update=True)
            chosen = choose_pseudonym(session, held, viewer.user_id, wanted)
    except RosterError as error:
        return _page(viewer, str(error), wanted), 409
    flash(f"Your fellow students in {viewer.course.title} now see you as {chosen}.")
    return see_other("pseudonym.show", course=course)
