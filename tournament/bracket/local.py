"""Playing an elimination bracket between files without a database: for the command line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sandbox.api import Limits, Sandbox
from tournament.bracket.draw import Place, Winner, build, game_winner, match_seed, open_matches, seats
from tournament.games.api import Game, State
from tournament.play.local import BadTable, PlayerSpec, program_of
from tournament.play.record import Record
from tournament.play.seeds import block_seed
from tournament.play.table import Contestant, play_table


@dataclass(frozen=True, slots=True)
class BracketGame:
    """A game of the match at `place`, and the side of the match that won it."""

    place: Place
    record: Record
    winner: Winner


def play_bracket(
    game: Game[State],
    players: Sequence[PlayerSpec],
    best_of: int,
    seed: int,
    sandbox: Sandbox,
    trusted: Sandbox,
    limits: Limits | None = None,
) -> Iterator[BracketGame]:
    """Play a bracket of `players`, the best seed first, round after round and match after match.

    Seats alternate within a match, and each game has a fresh deal. The same players and seed give the same games.

    Raises BadTable unless the game is for two and there are two players, ValueError for a `best_of` that is not odd,
    and SandboxError.
    """
    if 2 not in game.seats:
        raise BadTable(f"A bracket is for games of two players; {game.title} is none.")
    if len(players) < 2:
        raise BadTable("A bracket needs at least two players.")
    contestants = [
        Contestant(each.label, program_of(game, each.source, each.filename), trusted if each.trusted else sandbox)
        for each in players
    ]
    winners: dict[Place, list[Winner]] = {}
    while due := open_matches(build(len(players), best_of, winners)):
        match = due[0]
        sides = [contestants[side] for side in match.sides if side is not None]
        deal, first = match_seed(seed, match.place), seats(match.games)
        record = play_table(game, block_seed(deal, match.games), [sides[side] for side in first], limits or Limits())
        winner = game_winner(record.places, match.games)
        winners.setdefault(match.place, []).append(winner)
        yield BracketGame(match.place, record, winner)
