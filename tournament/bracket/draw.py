"""Elimination brackets for two-player games, without a database: who meets whom, and the score of each match. Also
plays a whole bracket.

Players are numbered by their seeding, from 0 for the best. The number of places in the first round is the next power of
two; empty places are byes, which go to the top seeds. Only the games played are stored; everything else follows from
them.

A match is best of an odd number of games: the side that has won more than half of them wins the match, and the rest are
not played. A game that nobody wins counts as played. If the match is level after all its games, it continues until one
side leads. If it is still level after twice as many games, the better seed goes through.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from sandbox.api import Limits
from tournament.games.api import Game, State
from tournament.play.record import Record, block_seed, hashed_seed
from tournament.play.table import Contestant, UnplayableTable, play_table

Place: TypeAlias = tuple[int, int]
"""The place of a match: its round, and its number within the round from top to bottom, both counted from 0."""

Winner: TypeAlias = int | None
"""Who won a game: side 0 or 1 of the match, or nobody."""


class MatchState(StrEnum):
    """The progress of a match."""

    WAITING = "waiting"  # for the winner of an earlier match
    OPEN = "open"  # the next game can be played
    DECIDED = "decided"
    BYE = "bye"  # side 0 goes through without a game


@dataclass(frozen=True, slots=True)
class Match:
    """A match. `sides` and `winner` are seeds. A side is None if it is not known yet, or if it is empty."""

    place: Place
    state: MatchState
    sides: tuple[int | None, int | None]
    wins: tuple[int, int] = (0, 0)
    games: int = 0
    winner: int | None = None

    @property
    def loser(self) -> int | None:
        """The seed that this match eliminates; None if the match is not decided, or a bye."""
        first, second = self.sides
        return None if self.winner is None else second if self.winner == first else first


Bracket: TypeAlias = list[list[Match]]
"""Rounds of matches, the final last."""


def seeding(size: int) -> list[int]:
    """Return the order of `size` seeds (a power of two) from top to bottom, such that the best two can meet only in the
    final, and the best four not before the semi-finals: for 8 seeds, 0 7 3 4 1 6 2 5."""
    order = [0]
    while len(order) < size:
        last = 2 * len(order) - 1
        order = [seed for better in order for seed in (better, last - better)]
    return order


def place_of_match(players: int, first: int, second: int) -> Place:
    """Return the place of the only match in which two seeds can meet."""
    order = seeding(_bracket_size(players))
    one, other = order.index(first), order.index(second)
    round_ = (one ^ other).bit_length() - 1
    return round_, one >> (round_ + 1)


def build_bracket(players: int, best_of: int, games: Mapping[Place, Sequence[Winner]]) -> Bracket:
    """Return the bracket of `players` players after these games. Games after the one that decided a match do not count.
    Raises ValueError for fewer than two players, or an even `best_of`."""
    if players < 2:
        raise ValueError("A bracket needs at least two players.")
    if best_of < 1 or best_of % 2 == 0:
        raise ValueError(f"A match must be the best of an odd number of games, not of {best_of}.")
    sides: list[int | None] = [seed if seed < players else None for seed in seeding(_bracket_size(players))]
    rounds: Bracket = []
    while len(sides) > 1:
        pairs = zip(sides[::2], sides[1::2], strict=True)
        matches = [_match_at((len(rounds), number), pair, best_of, games) for number, pair in enumerate(pairs)]
        rounds.append(matches)
        sides = [match.winner for match in matches]
    return rounds


def _bracket_size(players: int) -> int:
    return 1 << (players - 1).bit_length()


def _match_at(
    place: Place, sides: tuple[int | None, int | None], best_of: int, games: Mapping[Place, Sequence[Winner]]
) -> Match:
    first, second = sides
    if place[0] == 0 and second is None:  # in the first round, the better seed of a pair is its first side
        return Match(place, MatchState.BYE, sides, winner=first)
    if first is None or second is None:
        return Match(place, MatchState.WAITING, sides)
    wins, played, ahead = match_score(games.get(place, ()), best_of, better=int(second < first))
    if ahead is None:
        return Match(place, MatchState.OPEN, sides, wins, played)
    return Match(place, MatchState.DECIDED, sides, wins, played, sides[ahead])


def match_score(games: Sequence[Winner], best_of: int, better: int) -> tuple[tuple[int, int], int, Winner]:
    """Return the wins of both sides, the number of games that counted, and the side that has won the match (None if it
    is not decided). `better` is the side with the better seed."""
    wins = [0, 0]
    for played, winner in enumerate(games, start=1):
        if winner is not None:
            wins[winner] += 1
        ahead = None if wins[0] == wins[1] else int(wins[1] > wins[0])
        if played >= 2 * best_of and ahead is None:
            ahead = better
        if ahead is not None and (played >= best_of or wins[ahead] > best_of // 2):
            return (wins[0], wins[1]), played, ahead
    return (wins[0], wins[1]), len(games), None


def open_matches(bracket: Bracket) -> list[Match]:
    """Return the matches in which a game can be played now, earlier rounds first."""
    return [match for matches in bracket for match in matches if match.state is MatchState.OPEN]


def champion_of(bracket: Bracket) -> int | None:
    """Return the winner of the final; None if it is not decided."""
    return bracket[-1][0].winner


def final_places(bracket: Bracket) -> dict[int, int]:
    """Return the place of every eliminated seed, and of the champion: 1, 2, then 3 for both losers of the semi-finals,
    5 for the four losers of the quarter-finals, 9 for the eight losers of the round before."""
    found = {match.loser: len(matches) + 1 for matches in bracket for match in matches if match.loser is not None}
    winner = champion_of(bracket)
    return {seed: place for seed, place in found.items() if seed is not None} | ({} if winner is None else {winner: 1})


def seats_in_game(game: int) -> tuple[int, int]:
    """Return the side in each seat of game number `game` of a match, counted from 0. The sides swap seats after each
    game."""
    return (0, 1) if game % 2 == 0 else (1, 0)


def game_winner(ranks: Sequence[int], game: int) -> Winner:
    """Return the side that won game number `game` of a match, given the ranks by seat."""
    if ranks[0] == ranks[1]:
        return None
    return seats_in_game(game)[int(ranks[1] < ranks[0])]


def match_seed(seed: int, place: Place) -> int:
    """Return the base seed of a match."""
    return hashed_seed("quadrille match", seed, *place)


def round_title(matches: int) -> str:
    """Return the name of a round of that many matches."""
    return {1: "Final", 2: "Semi-finals", 4: "Quarter-finals"}.get(matches, f"Round of {2 * matches}")


@dataclass(frozen=True, slots=True)
class BracketGame:
    """A game of the match at `place`, and the side of the match that won the game."""

    place: Place
    record: Record
    winner: Winner


def play_bracket(
    game: Game[State], contestants: Sequence[Contestant], best_of: int, seed: int
) -> Iterator[BracketGame]:
    """Play a bracket match by match. `contestants` are listed with the best seed first. Seats alternate, each game has
    a fresh deal, and the same players and seed always give the same games. Raises UnplayableTable unless the game is
    for two and there are at least two contestants, ValueError for an even `best_of`, and SandboxError."""
    if 2 not in game.seats:
        raise UnplayableTable(f"A bracket needs a game for two players; {game.title} is not one.")
    if len(contestants) < 2:
        raise UnplayableTable("A bracket needs at least two players.")
    winners: dict[Place, list[Winner]] = {}
    while due := open_matches(build_bracket(len(contestants), best_of, winners)):
        match = due[0]
        sides = [contestants[side] for side in match.sides if side is not None]
        deal, first = match_seed(seed, match.place), seats_in_game(match.games)
        record = play_table(game, block_seed(deal, match.games), [sides[side] for side in first], Limits())
        winner = game_winner(record.places, match.games)
        winners.setdefault(match.place, []).append(winner)
        yield BracketGame(match.place, record, winner)
