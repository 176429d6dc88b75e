"""Playing an elimination bracket between files without a database, for the command line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sandbox.api import Limits
from tournament.bracket.draw import Place, Winner, build, game_winner, match_seed, open_matches, seats
from tournament.games.api import Game, State
from tournament.play.local import UnplayableTable
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
    game: Game[State], contestants: Sequence[Contestant], best_of: int, seed: int
) -> Iterator[BracketGame]:
    """Play a bracket of `contestants`, the best seed first, round by round and match by match.

    Seats alternate within a match, and each game has a fresh deal. The same players and seed give the same games.

    Raises UnplayableTable unless the game is for two players and there are at least two, ValueError for an even
    `best_of`, and SandboxError.
    """
    if 2 not in game.seats:
        raise UnplayableTable(f"A bracket needs a game for two players; {game.title} is not one.")
    if len(contestants) < 2:
        raise UnplayableTable("A bracket needs at least two players.")
    winners: dict[Place, list[Winner]] = {}
    while due := open_matches(build(len(contestants), best_of, winners)):
        match = due[0]
        sides = [contestants[side] for side in match.sides if side is not None]
        deal, first = match_seed(seed, match.place), seats(match.games)
        record = play_table(game, block_seed(deal, match.games), [sides[side] for side in first], Limits())
        winner = game_winner(record.places, match.games)
        winners.setdefault(match.place, []).append(winner)
        yield BracketGame(match.place, record, winner)
