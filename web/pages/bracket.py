"""The elimination bracket of a ladder: how it stands, and for instructors a form that holds one."""

from collections.abc import Mapping, Sequence
from typing import Any

from flask import Blueprint, flash, redirect, render_template, request, url_for
from sqlalchemy.orm import Session
from werkzeug.exceptions import BadRequest

from grader.entering import PAIR
from tournament.bracket import Bracket, Match, MatchState, build, champion, places, round_title
from tournament.brackets import BracketError, Standing, contenders, hold, latest, stand
from tournament.db import after_commit
from tournament.games import find_game
from tournament.models import Entry, Tournament, TournamentKind
from web import access
from web.auth import user
from web.overview import real_names
from web.settings import settings
from web.store import read, write

page = Blueprint("bracket", __name__, url_prefix="/tournaments/<int:tournament_id>/bracket")
BEST_OF = (1, 3, 5, 7, 9)


@page.app_template_test("for_two")
def for_two(tournament: Tournament) -> bool:
    """Whether brackets are held on a tournament."""
    return tournament.kind is TournamentKind.LADDER and 2 in find_game(tournament.game).seats


@page.get("/")
def show(tournament_id: int) -> str:
    """The bracket that was held last; before the first, the one that the standings would seed now."""
    session = read()
    tournament, seen = access.tournament(session, user().id, tournament_id)
    draw = latest(session, tournament_id)
    standing = stand(session, draw) if draw else _preview(session, tournament)
    winner = champion(standing.rounds) if standing.rounds else None
    return render_template(
        "bracket.html",
        tournament=tournament,
        assignment=seen.assignment,
        viewer=seen.viewer,
        draw=draw,
        running=draw is not None and winner is None,
        champion=None if winner is None else standing.entries[winner],
        rounds=_rounds(standing),
        results=_results(standing) if draw else [],
        mine=user().id,
        people=real_names(session, seen.viewer.course.id) if seen.viewer.instructs else {},
        choices=BEST_OF,
        holdable=seen.viewer.instructs and for_two(tournament) and (draw is None or winner is not None),
    )


@page.post("/")
def hold_one(tournament_id: int) -> Any:
    """Hold a bracket on the standings as they are now."""
    _, seen = access.tournament(read(), user().id, tournament_id)
    access.teaching(seen)
    try:
        with write() as session:
            hold(session, tournament_id, request.form.get("best_of", 0, int))
            after_commit(session, lambda: settings().send(PAIR))
    except BracketError as refusal:
        raise BadRequest(str(refusal)) from None
    flash("The bracket is drawn, and its first matches are queued.")
    return redirect(url_for("bracket.show", tournament_id=tournament_id), 303)


def _preview(session: Session, tournament: Tournament) -> Standing:
    entries = contenders(session, tournament) if for_two(tournament) else []
    rounds: Bracket = build(len(entries), 1, {}) if len(entries) > 1 else []
    return Standing(rounds, entries, {})


def _rounds(standing: Standing) -> list[tuple[str, list[Mapping[str, Any]]]]:
    return [(round_title(len(each)), [_match(standing, match) for match in each]) for each in standing.rounds]


def _match(standing: Standing, match: Match) -> Mapping[str, Any]:
    bye = match.state is MatchState.BYE
    sides = match.sides[:1] if bye else match.sides
    return {
        "state": match.state.value,
        "sides": [
            {
                "seed": side,
                "entry": None if side is None else standing.entries[side],
                "wins": match.wins[number],
                "won": side is not None and side == match.winner,
            }
            for number, side in enumerate(sides)
        ],
        "games": [id_ for id_, _ in standing.games.get(match.place, [])[: match.games]],
    }


def _results(standing: Standing) -> Sequence[tuple[int, Entry]]:
    """Whose place is settled, the best first."""
    settled = places(standing.rounds)
    return [(place, standing.entries[seed]) for seed, place in sorted(settled.items(), key=lambda each: each[::-1])]
