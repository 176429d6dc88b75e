"""Notices: how many are new, where their links lead, and which are no longer needed."""

from collections.abc import Container
from typing import Any

from flask import g, url_for

from grader.store.models import Assignment
from tournament.store.notices import see, unread, unread_about
from tournament.store.tables import Link
from web.site.auth import user, viewing
from web.site.models import Course
from web.site.store import read, under_way, write

PAGES = {
    "entry": ("entry.show", "entry_id"),
    "game": ("game.show", "game_id"),
    "offence": ("game.offence", "game_id"),
    "submission": ("submission.show", "submission_id"),
    "comment": ("code.show_comment", "comment_id"),
    "final": ("final.show", "assignment_id"),
    "leaderboard": ("leaderboard.show", "tournament_id"),
    "comparison": ("compare.show_one", "comparison_id"),
    "custom_game": ("custom.show_one", "game_id"),
    "custom_batch": ("batch.show", "batch_id"),
    "regrades": ("regrade.show_one", "batch_id"),
    "queue": ("queue.show", "assignment_id"),
    "mark": ("mark.own", "assignment_id"),
    "editor": ("edit.show", "assignment_id"),
    "publication": ("edit.publication", "assignment_id"),
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
    """How many of the user's notices are new; queried once per page."""
    if "unread_notices" not in g:
        g.unread_notices = unread(read(), user().id)
    number: int = g.unread_notices
    return number


def looked_at(user_id: int, kind: str, ids: Container[int]) -> None:
    """Mark notices about these as read: the user has just been shown how they ended."""
    found = [notice.id for notice in unread_about(read(), user_id, kind, ids)]
    if found and not under_way() and not viewing():
        g.unread_notices = unread(read(), user_id) - len(found)
        with write() as session:
            see(session, found)
