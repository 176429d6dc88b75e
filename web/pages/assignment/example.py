"""Replays of house bots that show how a game goes: a whole game, and a turn with a sentence for each play."""

from typing import Any

from flask import Blueprint
from werkzeug.exceptions import NotFound

from web.replay.examples import HOUSE_GAME, WORKED_TURN, example
from web.replay.frames import show_play
from web.site.auth import user
from web.site.rights import access
from web.site.store import read

page = Blueprint("example", __name__, url_prefix="/courses/<course>/<slug>")


@page.get(f"/<any('{HOUSE_GAME}', '{WORKED_TURN}'):which>/plays/<int:number>")
def play(course: str, slug: str, which: str, number: int) -> Any:
    """The table after `number` plays."""
    seen = access.assignment_named(read(), user().id, course, slug)
    found = example(seen.assignment.game, which)
    if found is None:
        raise NotFound("This assignment has no game of house bots to show.")
    around = {"assignment": seen.assignment, "viewer": seen.viewer, "which": which}
    return show_play(found.record, number, {}, "assignment/example.html", lambda: around, found.steps)
