"""The title, the dates and the game of a draft."""

from typing import Any

from flask import flash, request

from grader.authoring.drafts import Content
from web.editing import drafts, forms
from web.editing.assignments import games
from web.pages.edit.common import editor, keep, opened, page
from web.site.access import Seen
from web.site.forms import tag
from web.site.pages import see_other
from web.site.store import read


def _part(content: Content) -> Content:
    return {name: content.get(name) for name in forms.SETTINGS}


@page.get("/")
def show(assignment_id: int) -> str:
    """The page."""
    seen, content = opened(assignment_id)
    return _page(seen, content, was=tag(_part(content)))


def _page(seen: Seen, content: Content, **more: Any) -> str:
    known = games(read())
    if content["game"] and content["game"] not in known:
        known[content["game"]] = f"{content['game']} (not offered any more)"
    options = [(each, forms.shown_option(each, content["options"])) for each in forms.options_of_game(content["game"])]
    return editor("general", seen, content, games=known, options=options, **more)


@page.post("/")
def save(assignment_id: int) -> Any:
    """Save them."""
    seen, _ = opened(assignment_id)

    def change(content: Content) -> None:
        forms.put_general(content, request.form, seen.viewer.course.zone)

    return keep(seen, _part, change, _page, ("edit.show", {}))


@page.post("/discard")
def discard(assignment_id: int) -> Any:
    """Forget the draft."""
    seen, _ = opened(assignment_id)
    if "confirm" not in request.form:
        flash("Nothing was discarded: tick the box to confirm it.")
    else:
        drafts.discard(seen)
        flash("The draft is discarded. The editor shows what is published.")
    return see_other("edit.show", assignment_id=assignment_id)
