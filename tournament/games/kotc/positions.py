"""Positions for the hidden cases: from random games, with some that are close to the end.

In each, the other player has just drawn nearly all the cards, including the discards under the top one, and skipped the
turn. So a game can reach it, and only the draw pile of the case is left to draw.
"""

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from tournament.games.cards import PACK
from tournament.games.kotc import rules
from tournament.games.kotc.state import FOLLOWS, KotcState, deal


class KotcPosition(NamedTuple):
    """The arguments of `kotc_turn`."""

    hand: list[str]
    discard: str
    draw_pile: list[str]
    hand_sizes: list[int]

    def turns(self, may_skip: bool) -> tuple[tuple[str | None, int], ...]:
        """Every legal (play, cards drawn before it)."""
        return tuple(
            (play, drawn)
            for drawn in range(len(self.draw_pile) + 1)
            for play in (*playable(self.hand + self.draw_pile[:drawn], self.discard), *((None,) if may_skip else ()))
        )


def playable(hand: list[str], discard: str) -> list[str]:
    """Every legal play but skipping, in the order of the hand; an Eight counts as four, one for each suit."""
    fitting = [card for card in hand if card in FOLLOWS[discard] and card[0] != "8"]
    return fitting + ["8" + suit for suit in "SHDC" if any(card[0] == "8" for card in hand)]


def positions(rng: Random) -> Iterator[KotcPosition]:
    """Endless: a position at each turn of random game after random game, with at most three cards to draw."""
    while True:
        state = deal(rng, 2)
        skips = rng.choice([0.0, 0.05, 0.4])
        while rules.requests(state):
            pile = state.draw[::-1][: rng.choice([0, 0, 1, 2, 3])]
            position = _with_the_rest_held(list(state.hands[state.seat]), state.top, pile)
            yield position
            if rng.random() < 0.2:
                yield _shortened(position, rng)
            _step(state, rng, skips)


def _with_the_rest_held(hand: list[str], top: str, pile: list[str]) -> KotcPosition:
    """The position in which the other player holds every other card."""
    return KotcPosition(hand, top, pile, [len(PACK) - 1 - len(hand) - len(pile)])


def _shortened(position: KotcPosition, rng: Random) -> KotcPosition:
    """The position at the end of a game: one or two cards left, one of which fits."""
    fitting = [card for card in position.hand if card in FOLLOWS[position.discard]]
    hand = list(dict.fromkeys([rng.choice(fitting), rng.choice(position.hand)]))
    return _with_the_rest_held(hand[: rng.choice([1, 2])], position.discard, position.draw_pile)


def _step(state: KotcState, rng: Random, skips: float) -> None:
    seat = state.seat
    while rng.random() < skips:
        rules.answer(state, seat, "draw", ())
    play = None if rng.random() < skips / 2 else rng.choice(playable(state.hands[seat], state.top))
    rules.apply(state, [(seat, play)])
