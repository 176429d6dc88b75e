"""Tables for the tests, written in short: cards apart by spaces, groups by commas."""

from random import Random

from tournament.games import go
from tournament.games.go.rules import GoState, deal

TEN = (
    "KC KD 2S 3H 4S 9C 9D 9H AD 7C",
    "KS KH 2D 3C 4H 8C 8D 8S AC 6H",
    "QS QH 2C 3D 4C 0C 0D 0S AS 6S",
    "JS JH 2H 3S 4D 5C 5D 5S AH 6D",
)
"""What each seat discards in `grouping`."""


def groups(text: str) -> list[list[str]]:
    """`KC KD, 2S` is [['KC', 'KD'], ['2S']]."""
    return [group.split() for group in text.split(",")] if text else []


def hands(*held: str) -> GoState:
    """The first turn of a game in which the seats hold these cards."""
    state = deal(Random(1), 4)
    state.hands[:] = [hand.split() for hand in held]
    return state


def play_all(state: GoState, *cards: str) -> GoState:
    """One turn with these discards."""
    go.apply(state, [(seat, go.parse(state, seat, card)) for seat, card in enumerate(cards)])
    return state


def grouping() -> GoState:
    """A game in which it is time to group: seat p has discarded `TEN[p]`."""
    discards = [cards.split() for cards in TEN]
    dealt = [[discards[(seat + turn) % 4][turn] for turn in range(10)] for seat in range(4)]
    state = hands(*map(" ".join, dealt))
    for turn in range(10):
        play_all(state, *(discards[seat][turn] for seat in range(4)))
    return state
