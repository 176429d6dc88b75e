"""How many notices are new, and where the links of a notice lead."""

from typing import Any

from flask import g, url_for

from grader.models import Assignment
from tournament.notices import Link, unread
from web.auth import user
from web.models import Course
from web.store import read

PAGES = {
    "entry": ("entry.show", "entry_id"),
    "game": ("game.show", "game_id"),
    "offence": ("game.offence", "game_id"),
    "submission": ("submission.show", "submission_id"),
    "final": ("final.show", "assignment_id"),
}


def href(link: Link, external: bool = False) -> str:
    """The address that a link leads to."""
    kind, id_, _ = link
    if kind == "assignment":
        assignment = read().get_one(Assignment, id_)
        course = read().get_one(Course, assignment.course_id)
        return url_for("assignment.show", course=course.slug, slug=assignment.slug, _external=external)
    endpoint, parameter = PAGES[kind]
    values: dict[str, Any] = {parameter: id_}
    return url_for(endpoint, **values, _external=external)


def unread_notices() -> int:
    """How many notices of the user's are new; asked once a page."""
    if "unread_notices" not in g:
        g.unread_notices = unread(read(), user().id)
    number: int = g.unread_notices
    return number
