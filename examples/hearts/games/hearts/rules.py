"""Hearts as the referee plays it: the functions of the contract of a game. README.md tells the rules."""

from collections.abc import Sequence
from copy import deepcopy
from itertools import chain
from random import Random
from typing import Any, TypeAlias

from tournament.games.api import Guest, Option, Request, Result

from .plays import FIRST, check_pass, check_play, in_order
from .state import DISQUALIFIED, SEATS, HeartsState, deal_hand, pass_cards, play_card

PASS, PLAY = "hearts_pass", "hearts_play"
HANDS = 4
ADD, SUBTRACT = "add", "subtract"

options: tuple[Option, ...] = (
    Option("hands", "Hands in a game", HANDS, 1, 16),
    Option("passing", "Cards are passed before a hand", True),
    Option("moon", "Shooting the moon: add 26 to the others, or subtract 26", ADD, choices=(ADD, SUBTRACT)),
)
guest = Guest({PASS: (4,), PLAY: (6,)})

Play: TypeAlias = str | list[str]
"""The card played, or the three cards passed."""


def deal(rng: Random, seats: int, hands: int = HANDS, passing: bool = True, moon: str = ADD) -> HeartsState:
    """A game at its first hand."""
    if seats != len(SEATS):
        raise ValueError(f"Hearts is for four players, not {seats}.")
    state = HeartsState(rng, hands, passing, moon == SUBTRACT)
    deal_hand(state)
    return state


def requests(state: HeartsState) -> Sequence[Request]:
    """All four at once while cards are passed, then the seat on turn."""
    if state.ended:
        return ()
    if state.passing:
        return [Request(seat, PASS, (state.hands[seat], state.direction, state.scores, seat)) for seat in SEATS]
    seat = state.seat
    args = (state.hands[seat], state.trick, state.tricks, state.hearts_broken, state.scores, seat)
    return (Request(seat, PLAY, args),)


def parse(state: HeartsState, seat: int, raw: Any) -> Play:
    """The card or the three cards, after their shape and their legality are checked."""
    hand = state.hands[seat]
    if state.passing:
        return check_pass(raw, hand)
    return check_play(raw, hand, state.trick, state.first_trick, state.hearts_broken)


def decode(data: Any) -> Any:
    """A card is a string and a pass a list: JSON keeps both."""
    return data


def apply(state: HeartsState, plays: Sequence[tuple[int, Any]]) -> None:
    """Carry out the four passes, or the one card, and what follows without a choice."""
    if state.passing:
        pass_cards(state, [cards for _, cards in sorted(plays)])
    else:
        ((_, card),) = plays
        play_card(state, card)


def disqualify(state: HeartsState, seat: int) -> None:
    state.ended, state.offender = DISQUALIFIED, seat


def result(state: HeartsState) -> Result:
    """The lowest score has place 1, equals share a place. Points are the score, negative, so that more is better.

    After a disqualification the others share place 2, and all points are 0.
    """
    if not state.ended:
        raise ValueError("the game is still running")
    if state.offender is not None:
        return Result(state.ended, tuple(3 if seat == state.offender else 2 for seat in SEATS), (0.0,) * len(SEATS))
    places = tuple(1 + sum(other < own for other in state.scores) for own in state.scores)
    return Result(state.ended, places, tuple(float(-score) for score in state.scores))


def cards(state: HeartsState) -> list[str]:
    return list(chain(state.trick, *state.hands, *state.taken))


def redeal(state: HeartsState, seat: int, rng: Random) -> HeartsState:
    """Shuffle the other hands, except for the cards whose place the seat knows: those that it passed, and the two of
    clubs once its holder is to lead."""
    other = deepcopy(state)
    known = {*state.passed[seat], *(() if state.passing else (FIRST,))}
    hidden = [other.hands[player] for player in SEATS if player != seat]
    unseen = [card for hand in hidden for card in hand if card not in known]
    rng.shuffle(unseen)
    for hand in hidden:
        hand[:] = in_order(card if card in known else unseen.pop() for card in hand)
    return other
