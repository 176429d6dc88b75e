"""What happened to one student, to the staff who oversee them and to themselves, in a time line for each assignment."""

from collections import Counter

from flask import Blueprint, request

from web.people.story import KINDS, time_line
from web.site.auth import user
from web.site.rendering.pages import page_about
from web.site.rights import access
from web.site.store import read

page = Blueprint("story", __name__)
SHOWN = 500


@page.get("/assignments/<int:assignment_id>/people/<int:user_id>/history")
def show(assignment_id: int, user_id: int) -> str:
    """The page; `?show=` chooses a kind of lines."""
    member, seen = access.person(read(), user().id, assignment_id, user_id)
    found, pictures = time_line(read(), seen, member.user)
    numbers, asked = Counter(each.kind for each in found), request.args.get("show", "")
    lines = [each for each in found if asked not in KINDS or each.kind == asked]
    return page_about(
        "course/story.html",
        seen,
        member=member,
        person=member.user,
        mine=user_id == seen.viewer.user_id,
        assignments=access.assignments(read(), seen.viewer),
        kinds=KINDS,
        numbers=numbers,
        asked=asked,
        lines=lines[:SHOWN],
        left_out=max(0, len(lines) - SHOWN),
        pictures=pictures,
    )
