"""Positions for the hidden cases: out of games between house bots and random players, and bent towards the edges."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple, TypeAlias

from tournament.games.bo import rules
from tournament.games.bo.bots import builder, planner, stockpile_first
from tournament.games.bo.plays import SEATS, legal_plays
from tournament.games.bo.shape import FROM_STOCKPILE, NO_PLAY, Play
from tournament.games.bo.state import deal


class Position(NamedTuple):
    """The arguments of `comp10001bo_is_valid_play` after the play."""

    player_no: int
    hand: list[str]
    stockpiles: tuple[tuple[str, int], ...]
    discard_piles: tuple[tuple[list[str], ...], ...]
    build_piles: tuple[list[str], ...]

    def plays(self) -> list[Play]:
        """Every legal play but NO_PLAY."""
        top = self.stockpiles[self.player_no][0]
        return list(legal_plays(self.player_no, self.hand, top, self.discard_piles, self.build_piles))

    def is_settled(self, play: Play) -> bool:
        """Whether the seed says what the play is: not so for the last card of a stockpile."""
        return play[0] != FROM_STOCKPILE or self.stockpiles[self.player_no][1] > 1


Player: TypeAlias = Callable[..., Any]


def positions(rng: Random) -> Iterator[Position]:
    """Endless: the positions of game after game, each seat with a player drawn by `rng`, and bent ones between."""
    while True:
        for position in _game(rng):
            yield position
            yield _bend(position, rng)


def _game(rng: Random) -> Iterator[Position]:
    def at_random(*args: Any) -> Play:
        return rng.choice(Position(*args[:5]).plays() or [NO_PLAY])

    choices: tuple[Player, ...] = (
        at_random,
        builder.comp10001bo_play,
        stockpile_first.comp10001bo_play,
        planner.comp10001bo_play,
    )
    players = [rng.choice(choices) for _ in SEATS]
    state = deal(rng, len(SEATS))
    while requests := rules.requests(state):
        (request,) = requests
        *table, history = request.args
        position = _copy(*table)
        play = players[request.seat](*table, history.items)
        rules.apply(state, [(request.seat, rules.parse(state, request.seat, play))])
        yield position


def _copy(
    player_no: int,
    hand: list[str],
    stockpiles: tuple[tuple[str, int], ...],
    discard_piles: tuple[tuple[list[str], ...], ...],
    build_piles: tuple[list[str], ...],
) -> Position:
    discards = tuple(tuple(map(list, piles)) for piles in discard_piles)
    return Position(player_no, list(hand), stockpiles, discards, tuple(map(list, build_piles)))


def _bend(position: Position, rng: Random) -> Position:
    """The position with fewer things: an empty hand or Aces only, as with an empty draw pile, or piles taken away."""
    aces = rng.sample(["AS", "AH", "AD", "AC"], rng.randrange(1, 4))
    hand = rng.choice([position.hand, position.hand[:1], aces, [], []])
    kept = rng.choice([0.1, 0.3, 1.0])

    def thin(piles: tuple[list[str], ...]) -> tuple[list[str], ...]:
        return tuple(list(pile) if rng.random() < kept else [] for pile in piles)

    return position._replace(
        hand=list(hand),
        discard_piles=tuple(thin(piles) for piles in position.discard_piles),
        build_piles=thin(position.build_piles),
    )
