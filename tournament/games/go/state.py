"""The table of a game of Comp10001-Go."""

from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias

from sandbox.api import Log
from tournament.games.api import Option
from tournament.games.cards import PACK

SEATS = range(4)
TURNS = HAND = 10

OPTIONS: tuple[Option, ...] = (Option("hand_size", "Cards dealt to each player, and turns", HAND, 3, 13),)

GROUPED, DISQUALIFIED = "grouped", "disqualified"

Grouping: TypeAlias = list[list[str]]


@dataclass(slots=True)
class GoState:
    """`hands` are by the seat that holds them now, `discards` by the seat that made them, in order.

    `history` is what the players are given: for each turn the four cards discarded in it, by seat. `groupings` are by
    seat, and None until all have grouped. `hand_size` is also the number of turns.
    """

    hands: list[list[str]]
    unused: list[str]
    discards: list[list[str]] = field(default_factory=lambda: [[] for _ in SEATS])
    history: Log = field(default_factory=Log)
    groupings: list[Grouping] | None = None
    offender: int | None = None
    hand_size: int = HAND

    @property
    def turn(self) -> int:
        """The number of turns that are over: 0 after the deal, `hand_size` when it is time to group."""
        return len(self.history.items)

    @property
    def ended(self) -> str | None:
        """How the game ended; None while it is running."""
        if self.offender is not None:
            return DISQUALIFIED
        return GROUPED if self.groupings else None


def deal(rng: Random, seats: int, hand_size: int = HAND) -> GoState:
    """One pack shuffled, ten cards to each player, twelve not used."""
    if seats != len(SEATS):
        raise ValueError(f"Comp10001-Go is for four players, not {seats}.")
    pack = list(PACK)
    rng.shuffle(pack)
    hands = [pack[hand_size * seat : hand_size * (seat + 1)] for seat in SEATS]
    return GoState(hands, pack[hand_size * len(SEATS) :], hand_size=hand_size)


def discard(state: GoState, cards: list[str]) -> None:
    """Everybody discards the card given by seat, and passes the hand to the left: player 0 to player 1 and so on."""
    for seat, card in enumerate(cards):
        state.hands[seat].remove(card)
        state.discards[seat].append(card)
    state.history.append(cards)
    state.hands.insert(0, state.hands.pop())
