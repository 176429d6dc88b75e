"""Show the elimination bracket of a ladder, on the page and in the API, and let instructors hold, pause, resume and
abort a bracket."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, flash, request
from sqlalchemy.orm import Session
from werkzeug.exceptions import BadRequest

from grader.assignment.ladders import PAIR
from tournament.bracket import brackets
from tournament.bracket.brackets import BracketStanding, BracketState, parked_blocks
from tournament.bracket.draw import Bracket, Match, MatchState, build_bracket, champion_of, final_places, round_title
from tournament.play.games import find_game
from tournament.store.database import after_commit
from tournament.store.tables import BracketDraw, Entry, Tournament, TournamentKind
from web.site import access
from web.site.access import seen_people
from web.site.auth import user
from web.site.inputs import number
from web.site.pages import page_about, see_other
from web.site.store import read, settings, write

page = Blueprint("bracket", __name__, url_prefix="/tournaments/<int:tournament_id>/bracket")
BEST_OF = (1, 3, 5, 7, 9)
DONE = {
    "pause": "The bracket is paused. Games that have started will finish, and count.",
    "resume": "The bracket has been resumed.",
    "abort": "The bracket has been aborted. You can start another one.",
}
ACTIONS: Mapping[str, Callable[[Session, int], None]] = {
    "pause": brackets.pause,
    "resume": brackets.resume,
    "abort": brackets.abort,
}


@dataclass(frozen=True, slots=True)
class BracketView:
    """The latest bracket. Before the first bracket, `draw` and `state` are None, and the other fields show how the
    current standings would seed a bracket. `results`: the entries whose place is settled, best first."""

    draw: BracketDraw | None
    state: BracketState | None
    standing: BracketStanding
    champion: Entry | None
    results: Sequence[tuple[int, Entry]]

    @property
    def going(self) -> bool:
        """Whether the bracket is being played or paused."""
        return self.state in brackets.GOING


@page.app_template_test()
def for_two(tournament: Tournament) -> bool:
    """Whether a tournament can have brackets."""
    return tournament.kind is TournamentKind.LADDER and 2 in find_game(tournament.game).seats


def bracket_of(session: Session, tournament: Tournament) -> BracketView:
    """The bracket of a ladder; it has no rounds if the game is not for two players."""
    draw = brackets.latest(session, tournament.id)
    if draw is None:
        entries = brackets.contenders(session, tournament) if for_two(tournament) else []
        rounds: Bracket = build_bracket(len(entries), 1, {}) if len(entries) > 1 else []
        return BracketView(None, None, BracketStanding(rounds, entries, {}), None, ())
    standing = brackets.stand(session, draw)
    winner, settled = champion_of(standing.rounds), final_places(standing.rounds)
    return BracketView(
        draw,
        brackets.state_of(draw, standing.rounds),
        standing,
        None if winner is None else standing.entries[winner],
        [(place, standing.entries[seed]) for seed, place in sorted(settled.items(), key=lambda each: each[::-1])],
    )


def sides(match: Match) -> Sequence[int | None]:
    """The seeds of a match's two sides; a bye has one side."""
    return match.sides[:1] if match.state is MatchState.BYE else match.sides


def counted(standing: BracketStanding, match: Match) -> list[int]:
    """The ids of the games in a match that counted."""
    return [id_ for id_, _ in standing.games.get(match.place, [])[: match.games]]


def hold_bracket(tournament_id: int, best_of: int) -> None:
    """Start a bracket seeded by the current standings. Raises BracketError."""
    with write() as session:
        brackets.hold(session, tournament_id, best_of)
        after_commit(session, lambda: settings().send(PAIR))


def act_on_bracket(tournament_id: int, do: str) -> None:
    """Apply one of ACTIONS to the bracket that is being played. Raises BracketError."""
    with write() as session:
        ACTIONS[do](session, tournament_id)
        after_commit(session, lambda: settings().send(PAIR))


@page.get("/")
def show(tournament_id: int) -> str:
    """Show the latest bracket or, before the first one, how the standings would seed a bracket now."""
    return _bracket_page("board/bracket.html", tournament_id)


@page.get("/live")
def live(tournament_id: int) -> str:
    """Return the part of the page that changes while games are played, for `refresh.js`."""
    return _bracket_page("board/_bracket.html", tournament_id)


def _bracket_page(template: str, tournament_id: int) -> str:
    session = read()
    tournament, seen = access.tournament(session, user().id, tournament_id)
    shown = bracket_of(session, tournament)
    helps = seen.viewer.instructs
    return page_about(
        template,
        seen,
        tournament=tournament,
        bracket=shown,
        running=shown.state is BracketState.PLAYING,
        rounds=[
            (round_title(len(each)), [_match(shown.standing, match) for match in each])
            for each in shown.standing.rounds
        ],
        mine=user().id,
        people=seen_people(session, seen.viewer),
        parked=parked_blocks(session, shown.draw) if shown.draw and shown.going and helps else [],
        choices=BEST_OF,
        holdable=helps and for_two(tournament) and not shown.going,
    )


@page.post("/")
def hold_one(tournament_id: int) -> Any:
    """Start a bracket seeded by the current standings."""
    access.taught_tournament(read(), user().id, tournament_id)
    hold_bracket(tournament_id, request.form.get("best_of", 0, number))
    flash("The bracket has been drawn, and its first matches are queued.")
    return see_other("bracket.show", tournament_id=tournament_id)


@page.post("/do")
def act(tournament_id: int) -> Any:
    """Pause, resume or abort the bracket that is being played."""
    access.taught_tournament(read(), user().id, tournament_id)
    do = request.form.get("do", "")
    if do not in ACTIONS:
        raise BadRequest("A bracket can be paused, resumed or aborted.")
    act_on_bracket(tournament_id, do)
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
            for number, side in enumerate(sides(match))
        ],
        "games": counted(standing, match),
    }
