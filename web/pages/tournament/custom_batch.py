"""A batch of custom games: its progress, its result, and cancelling what has not been played."""

from typing import Any

from flask import Blueprint, flash, render_template

from tournament.practice.batches import cancel
from tournament.practice.pace import batch_time_left_s
from web.assignment.games.batches import show
from web.board.batch_pictures import pictures_of
from web.site.auth import user
from web.site.notices import looked_at
from web.site.rendering.pages import see_other
from web.site.rendering.text import count
from web.site.rights import access
from web.site.store import read, write

page = Blueprint("custom_batch", __name__, url_prefix="/custom-batches/<int:batch_id>")


@page.get("/")
def show_one(batch_id: int) -> str:
    """The page."""
    return render_template("tournament/custom_batch.html", **_context(batch_id))


@page.get("/live")
def live(batch_id: int) -> str:
    """The part of the page that changes while games are played, for `refresh.js`."""
    return render_template("_parts/tournament/custom_batch.html", **_context(batch_id))


def _context(batch_id: int) -> dict[str, Any]:
    row, seen = access.custom_batch(read(), user().id, batch_id)
    shown = show(row)
    looked_at(user().id, "custom_batch", [row.id])
    return {
        "shown": shown,
        "left_s": batch_time_left_s(read(), row),
        "row": row,
        "pictures": pictures_of(row, shown.results),
        "assignment": seen.assignment,
        "viewer": seen.viewer,
        "mine": row.asker_id == user().id,
    }


@page.post("/cancel")
def stop(batch_id: int) -> Any:
    """Cancel the games that have not been begun."""
    row, _ = access.custom_batch(read(), user().id, batch_id)
    access.asked_for(row, user().id)
    with write() as session:
        cancelled = cancel(session, batch_id)
    flash(f"{count(cancelled, 'game')} cancelled; {'it does' if cancelled == 1 else 'they do'} not use up your quota.")
    return see_other("custom_batch.show_one", batch_id=batch_id)
