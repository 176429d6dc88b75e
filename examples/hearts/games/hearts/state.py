"""The table of a game of Hearts, and the steps of a hand."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from sandbox.api import Log
from tournament.games.cards import PACK

from .plays import FIRST, hand_scores, in_order, trick_winner

SEATS = range(4)
HAND = 13

LEFT, RIGHT, ACROSS, HOLD = "left", "right", "across", "hold"
DIRECTIONS = (LEFT, RIGHT, ACROSS, HOLD)
STEPS = {LEFT: 1, RIGHT: 3, ACROSS: 2}
"""How many seats further a pass goes; the next seat is on the left."""

PLAYED, DISQUALIFIED = "all hands played", "disqualified"


@dataclass(frozen=True, slots=True)
class Trick:
    """Four cards in the order played, who led and who took them."""

    cards: list[str]
    leader: int
    winner: int


@dataclass(slots=True)
class HeartsState:
    """`scores` are of the hands that are over, and `hand_scores` holds them hand by hand.

    `hand_no` counts hands from 0. `trick` holds the cards played to the current trick, the first by `leader`. `tricks`
    is what the players are given: (leader, the four cards) for each trick of this hand that is over. `taken` holds the
    cards of those tricks by the seat that took them, `passed` those that each seat gave away. `last` is the trick that
    ended with the last play, if one did.
    """

    rng: Random
    hand_count: int
    passes: bool  # whether cards are passed in this game
    subtract: bool  # whether shooting the moon subtracts 26, rather than adding 26 to the others
    hand_no: int = -1
    hands: list[list[str]] = field(default_factory=list)
    passing: bool = False
    passed: list[list[str]] = field(default_factory=list)
    leader: int = 0
    trick: list[str] = field(default_factory=list)
    tricks: Log = field(default_factory=Log)
    taken: list[list[str]] = field(default_factory=list)
    hearts_broken: bool = False
    last: Trick | None = None
    scores: list[int] = field(default_factory=lambda: [0 for _ in SEATS])
    hand_scores: list[list[int]] = field(default_factory=list)
    ended: str | None = None
    offender: int | None = None

    @property
    def direction(self) -> str:
        """Where cards go in this hand."""
        return DIRECTIONS[self.hand_no % len(DIRECTIONS)] if self.passes else HOLD

    @property
    def seat(self) -> int:
        """Who plays the next card."""
        return (self.leader + len(self.trick)) % len(SEATS)

    @property
    def first_trick(self) -> bool:
        return not self.tricks.items

    def receiver(self, seat: int) -> int:
        """Who gets the cards that the seat passes in this hand."""
        return (seat + STEPS[self.direction]) % len(SEATS)


def deal_hand(state: HeartsState) -> None:
    """Begin the next hand: thirteen cards each, then the passing, or the first trick if the cards are held."""
    state.hand_no += 1
    pack = list(PACK)
    state.rng.shuffle(pack)
    state.hands = [in_order(pack[HAND * seat : HAND * (seat + 1)]) for seat in SEATS]
    state.passed = [[] for _ in SEATS]
    state.taken = [[] for _ in SEATS]
    state.tricks = Log()
    state.hearts_broken = False
    state.passing = state.direction != HOLD
    if not state.passing:
        begin_tricks(state)


def pass_cards(state: HeartsState, passed: Sequence[list[str]]) -> None:
    """Everybody's three cards, by seat, change hands at the same time."""
    state.passed = list(passed)
    for seat, cards in enumerate(passed):
        kept = [card for card in state.hands[seat] if card not in cards]
        state.hands[seat] = kept
    for seat, cards in enumerate(passed):
        receiver = state.receiver(seat)
        state.hands[receiver] = in_order(state.hands[receiver] + cards)
    state.passing = False
    state.last = None
    begin_tricks(state)


def begin_tricks(state: HeartsState) -> None:
    """The player with the two of clubs leads."""
    state.leader = next(seat for seat in SEATS if FIRST in state.hands[seat])


def play_card(state: HeartsState, card: str) -> None:
    """The seat on turn plays the card, with what follows: the end of the trick, of the hand and of the game."""
    state.hands[state.seat].remove(card)
    state.trick.append(card)
    state.hearts_broken = state.hearts_broken or card[1] == "H"
    state.last = None
    if len(state.trick) == len(SEATS):
        _end_trick(state)
        if not state.hands[state.leader]:
            _end_hand(state)


def _end_trick(state: HeartsState) -> None:
    winner = trick_winner(state.trick, state.leader)
    state.last = Trick(state.trick, state.leader, winner)
    state.tricks.append((state.leader, state.trick))
    state.taken[winner] += state.trick
    state.trick, state.leader = [], winner


def _end_hand(state: HeartsState) -> None:
    scores = hand_scores(state.taken, state.subtract)
    state.hand_scores.append(scores)
    state.scores = [sum(both) for both in zip(state.scores, scores, strict=True)]
    if len(state.hand_scores) == state.hand_count:
        state.ended = PLAYED
    else:
        deal_hand(state)
