"""The table of a game of Phazed, and what happens on it without a player's choice: deals, turns, ends of hands."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import product
from random import Random
from typing import Any, TypeAlias

from sandbox.api import Log
from tournament.games.api import Option
from tournament.games.cards import PACK, VALUES
from tournament.games.phazed.groups import LAST_PHASE, score

SEATS = range(4)
DEALT = 10
PACKS = 2
HANDS = 20
TURNS_EACH = 50
TURNS = TURNS_EACH * len(SEATS)

OPTIONS: tuple[Option, ...] = (
    Option("hand_size", "Cards dealt to each player", DEALT, 7, 12),
    Option("packs", "Packs of 52 cards", PACKS, 1, 4),
    Option("hand_limit", "Maximum hands per game", HANDS, 1, 30),
    Option("turn_limit", "Maximum turns per player in a hand", TURNS_EACH, 1, 100),
)

OUT, DECK_EMPTY, TURN_LIMIT = "out of cards", "deck empty", "turn limit"
COMPLETED, HAND_LIMIT, DISQUALIFIED = "phases completed", "hand limit", "disqualified"

PhasePlayed: TypeAlias = tuple[int | None, list[list[str]]]
"""The phase that a player has played in this hand: its number and its groups, or (None, [])."""


@dataclass(frozen=True, slots=True)
class HandEnd:
    """Why a hand ended, whose play was the last, and the penalty points that each seat got."""

    ended: str
    by: int
    points: tuple[int, ...]


@dataclass(slots=True)
class PhazedState:
    """The last card of `deck` and of `pile` (the discard pile) is the top card. `turns` counts the finished turns of
    this hand. `history` covers this hand; the item of a turn is replaced as it grows, never changed. For the options
    see OPTIONS."""

    rng: Random
    hand_size: int = field(default=DEALT, kw_only=True)
    packs: int = field(default=PACKS, kw_only=True)
    hand_limit: int = field(default=HANDS, kw_only=True)
    turn_limit: int = field(default=TURNS_EACH, kw_only=True)
    deck: list[str] = field(default_factory=list)
    pile: list[str] = field(default_factory=list)
    hands: list[list[str]] = field(default_factory=list)
    table: list[PhasePlayed] = field(default_factory=list)
    phase_status: list[int] = field(default_factory=lambda: [0 for _ in SEATS])
    scores: list[int] = field(default_factory=lambda: [0 for _ in SEATS])
    history: Log = field(default_factory=Log)
    hand_ends: list[HandEnd] = field(default_factory=list)
    hand_no: int = -1  # from 0 once dealt
    turns: int = 0
    begun: bool = False  # whether the seat on turn has drawn
    seat: int = 0  # whose turn it is
    last: tuple[int, Any] | None = None  # seat and play
    drawn: str | None = None  # the card that the last draw brought
    ended: str | None = None
    offender: int | None = None

    @property
    def dealer(self) -> int:
        """The seat that dealt this hand; player 0 deals the first hand."""
        return self.hand_no % len(SEATS)


def deal(rng: Random, seats: int, **options: Any) -> PhazedState:
    """Return a game whose first hand has been dealt."""
    if seats != len(SEATS):
        raise ValueError(f"Phazed is for four players, not {seats}.")
    state = PhazedState(rng, **options)
    deal_hand(state)
    return state


def in_order(hand: Iterable[str]) -> list[str]:
    """Return the cards sorted as they are dealt: from 2 to King, then the Aces; within a value clubs, diamonds, hearts,
    spades."""
    return sorted(hand, key=_DEALT_ORDER.__getitem__)


_DEALT_ORDER = {value + suit: place for place, (value, suit) in enumerate(product(VALUES[1:] + VALUES[0], "CDHS"))}


def deal_hand(state: PhazedState) -> None:
    """Shuffle two packs and deal ten cards to each seat, sorted, and one to start the discard pile. The seat after the
    dealer begins."""
    state.hand_no += 1
    state.deck = [*PACK] * state.packs
    state.rng.shuffle(state.deck)
    state.hands = [[] for _ in SEATS]
    state.seat = (state.dealer + 1) % len(SEATS)
    for place in SEATS:
        hand = state.hands[(state.seat + place) % len(SEATS)]
        hand.extend(in_order(state.deck[-state.hand_size :]))
        del state.deck[-state.hand_size :]
    state.pile = [state.deck.pop()]
    state.table = [(None, []) for _ in SEATS]
    state.history = Log()
    state.turns = 0
    state.begun = False


def end_turn(state: PhazedState) -> None:
    """Pass the turn to the next seat, or end the hand if the deck is empty or the turn limit is reached."""
    state.turns += 1
    if not state.deck:
        end_hand(state, DECK_EMPTY)
    elif state.turns == state.turn_limit * len(SEATS):
        end_hand(state, TURN_LIMIT)
    else:
        state.seat = (state.seat + 1) % len(SEATS)
        state.begun = False


def end_hand(state: PhazedState, ended: str) -> None:
    """Count the cards left in the hands, then end the game or deal the next hand."""
    points = tuple([score(hand) for hand in state.hands])
    state.hand_ends.append(HandEnd(ended, state.seat, points))
    for seat in SEATS:
        state.scores[seat] += points[seat]
    if max(state.phase_status) == LAST_PHASE:
        state.ended = COMPLETED
    elif len(state.hand_ends) == state.hand_limit:
        state.ended = HAND_LIMIT
    else:
        deal_hand(state)
