"""A ladder's elimination bracket, for its page and the API: its state, and what instructors do with it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from grader.assignment.ladders import PAIR
from tournament.bracket import brackets
from tournament.bracket.brackets import BracketStanding, BracketState
from tournament.bracket.draw import Bracket, Match, MatchState, build_bracket, champion_of, final_places
from tournament.play.games import find_game
from tournament.store.database import after_commit
from tournament.store.tables import BracketDraw, Entry, Tournament, TournamentKind
from web.site.store import settings, write

ACTIONS: Mapping[str, Callable[[Session, int], None]] = {
    "pause": brackets.pause,
    "resume": brackets.resume,
    "abort": brackets.abort,
}


@dataclass(frozen=True, slots=True)
class BracketView:
    """The latest bracket; before the first, `draw` and `state` are None and the rest is how the standings would seed it
    now. `results`: the entries whose place is settled, the best first."""

    draw: BracketDraw | None
    state: BracketState | None
    standing: BracketStanding
    champion: Entry | None
    results: Sequence[tuple[int, Entry]]

    @property
    def going(self) -> bool:
        """Whether it is being played, or paused."""
        return self.state in brackets.GOING


def for_two(tournament: Tournament) -> bool:
    """Whether a tournament can have brackets."""
    return tournament.kind is TournamentKind.LADDER and 2 in find_game(tournament.game).seats


def bracket_of(session: Session, tournament: Tournament) -> BracketView:
    """The bracket of a ladder; without rounds if the game is not for two players."""
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
    """The seeds of a match; a bye has one side."""
    return match.sides[:1] if match.state is MatchState.BYE else match.sides


def counted(standing: BracketStanding, match: Match) -> list[int]:
    """The ids of the games of a match that counted."""
    return [id_ for id_, _ in standing.games.get(match.place, [])[: match.games]]


def hold(tournament_id: int, best_of: int) -> None:
    """Start a bracket seeded by the current standings. Raises BracketError."""
    with write() as session:
        brackets.hold(session, tournament_id, best_of)
        after_commit(session, lambda: settings().send(PAIR))


def act(tournament_id: int, do: str) -> None:
    """Do one of ACTIONS to the bracket that is being played. Raises BracketError."""
    with write() as session:
        ACTIONS[do](session, tournament_id)
        after_commit(session, lambda: settings().send(PAIR))
