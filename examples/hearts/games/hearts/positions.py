"""Positions for hidden cases: every moment of random games, half of them dealt so unevenly that rare rules
matter."""

from collections.abc import Iterator, Mapping
from random import Random
from typing import NamedTuple

from tournament.games.cards import PACK

from .plays import PASSED, POINTS, in_order, legal_cards
from .rules import deal
from .state import HAND, SEATS, HeartsState, begin_tricks, pass_cards, play_card

FIRST_CARD = "the first card"
FOLLOW = "follow suit"
DISCARD = "nothing of the suit led"
NO_POINTS = "nothing of the suit led in the first trick"
ONLY_POINTS = "nothing but points in the first trick"
LEAD = "lead after hearts are broken"
NOT_BROKEN = "lead before hearts are broken"
ONLY_HEARTS = "nothing but hearts to lead"


class Position(NamedTuple):
    """The arguments of `hearts_play`."""

    hand: list[str]
    trick: list[str]
    tricks: list[tuple[int, list[str]]]
    hearts_broken: bool
    scores: list[int]
    player_no: int

    @property
    def legal(self) -> list[str]:
        return legal_cards(self.hand, self.trick, not self.tricks, self.hearts_broken)

    @property
    def kind(self) -> str:
        """Which rule decides."""
        if self.trick:
            return self._kind_of_answer()
        if not self.tricks:
            return FIRST_CARD
        if all(card[1] == "H" for card in self.hand) and not self.hearts_broken:
            return ONLY_HEARTS
        return LEAD if self.hearts_broken else NOT_BROKEN

    def _kind_of_answer(self) -> str:
        if any(card[1] == self.trick[0][1] for card in self.hand):
            return FOLLOW
        if self.tricks:
            return DISCARD
        return ONLY_POINTS if all(POINTS[card] for card in self.hand) else NO_POINTS


def of_each_kind(rng: Random, quotas: Mapping[str, int]) -> Iterator[Position]:
    """Distinct positions, until there are as many of each kind as `quotas` says."""
    left, seen = dict(quotas), set()
    for position in positions(rng):
        if left.get(position.kind) and repr(position) not in seen:
            seen.add(repr(position))
            left[position.kind] -= 1
            yield position
        if not any(left.values()):
            return


def positions(rng: Random) -> Iterator[Position]:
    """Endless: each moment of hand after hand, in which everybody plays any legal card."""
    while True:
        state = _uneven(rng) if rng.random() < 0.5 else _passed(rng)
        state.scores = [rng.randrange(60) for _ in SEATS]
        while not state.ended:
            position = _position(state)
            yield position
            play_card(state, rng.choice(position.legal))


def _position(state: HeartsState) -> Position:
    seat = state.seat
    hand, trick, tricks = list(state.hands[seat]), list(state.trick), list(state.tricks.items)
    return Position(hand, trick, tricks, state.hearts_broken, list(state.scores), seat)


def _passed(rng: Random) -> HeartsState:
    """A hand dealt as always, after anybody has passed anything."""
    state = deal(rng, len(SEATS), hands=1)
    pass_cards(state, [rng.sample(hand, PASSED) for hand in state.hands])
    return state


def _uneven(rng: Random) -> HeartsState:
    """A hand without passing, dealt from a pack in which only a few cards have changed places."""
    state = deal(rng, len(SEATS), hands=1, passing=False)
    pack = sorted(PACK, key=lambda card: (POINTS[card] > 0, card[1]))
    for _ in range(rng.choice([0, 1, 2, 4, 8])):
        one, two = rng.randrange(len(pack)), rng.randrange(len(pack))
        pack[one], pack[two] = pack[two], pack[one]
    first = rng.choice(SEATS)
    cuts = [pack[HAND * seat : HAND * (seat + 1)] for seat in SEATS]
    state.hands = [in_order(cuts[(seat + first) % len(SEATS)]) for seat in SEATS]
    begin_tricks(state)
    return state
