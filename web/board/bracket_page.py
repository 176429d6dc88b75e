"""The elimination bracket of a ladder; instructors start, pause and abort one."""

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, flash, render_template, request
from werkzeug.exceptions import BadRequest

from tournament.bracket.brackets import BracketStanding, BracketState, parked_blocks
from tournament.bracket.draw import Match, round_title
from web.board import bracket
from web.board.bracket import bracket_of, for_two
from web.overview.overview import seen_people
from web.site import access
from web.site.auth import user
from web.site.inputs import number
from web.site.pages import see_other
from web.site.store import read

page = Blueprint("bracket", __name__, url_prefix="/tournaments/<int:tournament_id>/bracket")
page.add_app_template_test(for_two)
BEST_OF = (1, 3, 5, 7, 9)
DONE = {
    "pause": "The bracket is paused. Games that have started will finish, and count.",
    "resume": "The bracket has been resumed.",
    "abort": "The bracket has been aborted. You can start another one.",
}


@page.get("/")
def show(tournament_id: int) -> str:
    """The latest bracket; before the first, the one that the standings would seed now."""
    return render_template("board/bracket.html", **_context(tournament_id))


@page.get("/live")
def live(tournament_id: int) -> str:
    """The part of the page that changes while games are played, for `refresh.js`."""
    return render_template("board/_bracket.html", **_context(tournament_id))


def _context(tournament_id: int) -> dict[str, Any]:
    session = read()
    tournament, seen = access.tournament(session, user().id, tournament_id)
    shown = bracket_of(session, tournament)
    helps = seen.viewer.instructs
    return {
        "tournament": tournament,
        "assignment": seen.assignment,
        "viewer": seen.viewer,
        "bracket": shown,
        "running": shown.state is BracketState.PLAYING,
        "rounds": [
            (round_title(len(each)), [_match(shown.standing, match) for match in each])
            for each in shown.standing.rounds
        ],
        "mine": user().id,
        "people": seen_people(session, seen.viewer),
        "parked": parked_blocks(session, shown.draw) if shown.draw and shown.going and helps else [],
        "choices": BEST_OF,
        "holdable": helps and for_two(tournament) and not shown.going,
    }


@page.post("/")
def hold_one(tournament_id: int) -> Any:
    """Start a bracket seeded by the current standings."""
    access.taught_tournament(read(), user().id, tournament_id)
    bracket.hold(tournament_id, request.form.get("best_of", 0, number))
    flash("The bracket has been drawn, and its first matches are queued.")
    return see_other("bracket.show", tournament_id=tournament_id)


@page.post("/do")
def act(tournament_id: int) -> Any:
    """Pause, resume or abort the bracket that is being played."""
    access.taught_tournament(read(), user().id, tournament_id)
    do = request.form.get("do", "")
    if do not in bracket.ACTIONS:
        raise BadRequest("A bracket can be paused, resumed or aborted.")
    bracket.act(tournament_id, do)
    flash(DONE[do])
    return see_other("bracket.show", tournament_id=tournament_id)


def _match(standing: BracketStanding, match: Match) -> Mapping[str, Any]:
    return {
        "state": match.state.value,
        "sides": [
            {
                "seed": side,
                "entry": None if side is None else standing.entries[side],
                "wins": match.wins[number],
                "won": side is not None and side == match.winner,
            }
            for number, side in enumerate(bracket.sides(match))
        ],
        "games": bracket.counted(standing, match),
    }
