"""Positions for the hidden cases, taken from random games, some of them close to the end. In each, the other player has
just drawn nearly all the cards, including the discards under the top one, and skipped the turn. A game can therefore
reach each of these positions."""

from collections.abc import Iterator
from random import Random

from tournament.games.cards import PACK
from tournament.games.kotc import rules
from tournament.games.kotc.state import FOLLOWS, KotcPosition, deal, playable


def positions(rng: Random) -> Iterator[KotcPosition]:
    """Yield without end: a position at each turn of one random game after another, with at most three cards to draw."""
    while True:
        state = deal(rng, 2)
        skips = rng.choice([0.0, 0.05, 0.4])
        while rules.requests(state):
            pile = state.draw[::-1][: rng.choice([0, 0, 1, 2, 3])]
            position = _with_the_rest_held(list(state.hands[state.seat]), state.top, pile)
            yield position
            if rng.random() < 0.2:
                yield _near_the_end(position, rng)
            while rng.random() < skips:
                rules.answer(state, state.seat, "draw", ())
            play = None if rng.random() < skips / 2 else rng.choice(playable(state.hands[state.seat], state.top))
            rules.apply(state, [(state.seat, play)])


def _with_the_rest_held(hand: list[str], top: str, pile: list[str]) -> KotcPosition:
    """Return the position in which the other player holds every other card."""
    return KotcPosition(hand, top, pile, [len(PACK) - 1 - len(hand) - len(pile)])


def _near_the_end(position: KotcPosition, rng: Random) -> KotcPosition:
    """Return a position like those at the end of a game: one or two cards left in the hand, one of which fits."""
    fitting = [card for card in position.hand if card in FOLLOWS[position.discard]]
    hand = list(dict.fromkeys([rng.choice(fitting), rng.choice(position.hand)]))
    return _with_the_rest_held(hand[: rng.choice([1, 2])], position.discard, position.draw_pile)
