"""Positions for the hidden cases: from games between house bots and random players, and the ends of long games."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple, TypeAlias

from tournament.games.bo import rules
from tournament.games.bo.bots import builder, planner, stockpile_first
from tournament.games.bo.plays import ACES, PILES, SEATS, legal_plays
from tournament.games.bo.shape import FROM_HAND, FROM_STOCKPILE, NO_PLAY, TO_DISCARD, Play
from tournament.games.bo.state import BoState, deal


class BoPosition(NamedTuple):
    """The arguments of `comp10001bo_is_valid_play` after the play."""

    player_no: int
    hand: list[str]
    stockpiles: tuple[tuple[str, int], ...]
    discard_piles: tuple[tuple[list[str], ...], ...]
    build_piles: tuple[list[str], ...]

    def plays(self) -> list[Play]:
        """Every legal play except NO_PLAY."""
        top = self.stockpiles[self.player_no][0]
        return list(legal_plays(self.player_no, self.hand, top, self.discard_piles, self.build_piles))

    def is_settled(self, play: Play) -> bool:
        """Whether the seed settles this play: it does not for the last card of a stockpile."""
        return play[0] != FROM_STOCKPILE or self.stockpiles[self.player_no][1] > 1


Player: TypeAlias = Callable[..., Any]


def positions(rng: Random, long_games: int = 0) -> Iterator[BoPosition]:
    """Endless: the positions of game after game, each seat with a player drawn by `rng`; after each game the ends of
    `long_games` long ones."""
    while True:
        yield from _game(rng)
        for _ in range(long_games):
            yield from _long_game(rng)


def _game(rng: Random) -> Iterator[BoPosition]:
    players = [rng.choice((_at_random, *_BOTS)) for _ in SEATS]
    for position, state, history in _moments(rng):
        yield position
        rules.apply(state, [(position.player_no, players[position.player_no](rng, *position, history))])


def _long_game(rng: Random) -> Iterator[BoPosition]:
    """The end of a game in which everybody puts the hand on a few discard piles: the draw pile is empty, and hands are
    empty or hold only Aces, which nobody can get rid of."""
    piles = rng.sample([(owner, number) for owner in SEATS for number in PILES], rng.randint(1, 2))
    for position, state, _ in _moments(rng):
        if not state.draw and ACES.issuperset(position.hand):
            yield position
        plays = position.plays()
        onto = [play for play in plays if play[0] == FROM_HAND and play[2][0] == TO_DISCARD and play[2][1] in piles]
        rules.apply(state, [(position.player_no, rng.choice(onto or plays or [NO_PLAY]))])


def _moments(rng: Random) -> Iterator[tuple[BoPosition, BoState, list[tuple[int, Play]]]]:
    """The positions of a game, each with the state to which the play must be applied and the plays before it."""
    state = deal(rng, len(SEATS))
    while requests := rules.requests(state):
        player_no, hand, stockpiles, discard_piles, build_piles, history = requests[0].args
        discards = tuple(tuple(map(list, piles)) for piles in discard_piles)
        position = BoPosition(player_no, list(hand), stockpiles, discards, tuple(map(list, build_piles)))
        yield position, state, history.items


def _at_random(rng: Random, *args: Any) -> Play:
    return rng.choice(BoPosition(*args[:5]).plays() or [NO_PLAY])


def _bot(player: Callable[..., Play]) -> Player:
    return lambda rng, *args: player(*args)


_BOTS: tuple[Player, ...] = tuple(_bot(bot.comp10001bo_play) for bot in (builder, stockpile_first, planner))
