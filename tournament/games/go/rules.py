"""Comp10001-Go as the referee plays it: the functions of the contract of a game.

Source: seed 003_b5bb939de3a2bcd0, settled by RULES.md, "Comp10001-Go". README.md beside this file tells the rules.
"""

from collections.abc import Sequence
from copy import deepcopy
from itertools import chain
from random import Random
from typing import Any, TypeAlias

from tournament.games.api import Guest, Request, Result
from tournament.games.cards import PACK
from tournament.games.go.groups import COST, cost, points
from tournament.games.go.plays import check_discard, check_grouping
from tournament.games.go.state import SEATS, GoState, Grouping, discard

PLAY = "comp10001go_play"
GROUP = "comp10001go_group"
guest = Guest({PLAY: (3,), GROUP: (2,)})

Play: TypeAlias = str | Grouping
"""A card to discard, or all discards in groups."""


def requests(state: GoState) -> Sequence[Request]:
    """All four at once: a discard in each turn, then the grouping. The arguments are the state's own lists."""
    if state.ended:
        return ()
    if state.turn < state.hand_size:
        return [Request(seat, PLAY, (state.history, seat, state.hands[seat])) for seat in SEATS]
    return [Request(seat, GROUP, (state.history, seat)) for seat in SEATS]


def parse(state: GoState, seat: int, raw: Any) -> Play:
    """The card or the grouping, after its shape and its legality are checked."""
    if state.turn < state.hand_size:
        return check_discard(raw, state.hands[seat])
    return check_grouping(raw, state.discards[seat])


def decode(data: Any) -> Any:
    """A card is a string and a grouping a list of lists: JSON keeps both."""
    return data


def apply(state: GoState, plays: Sequence[tuple[int, Any]]) -> None:
    """Carry out the four discards of a turn and pass the hands, or take the four groupings and end the game."""
    by_seat = [play for _, play in sorted(plays)]
    if state.turn < state.hand_size:
        discard(state, by_seat)
    else:
        state.groupings = by_seat


def disqualify(state: GoState, seat: int) -> None:
    state.offender = seat


def result(state: GoState) -> Result:
    """The highest score has place 1, equals share a place. A disqualified seat has the lowest possible score."""
    if not state.ended:
        raise ValueError("the game is still running")
    if state.offender is not None:
        at_fault = [seat == state.offender for seat in SEATS]
        scores = [lowest_score(state.hand_size) if fault else 0 for fault in at_fault]
        return Result(state.ended, tuple(3 if fault else 2 for fault in at_fault), tuple(map(float, scores)))
    scores = [score(grouping) for grouping in state.groupings or ()]
    places = tuple(1 + sum(other > own for other in scores) for own in scores)
    return Result(state.ended, places, tuple(map(float, scores)))


def lowest_score(cards: int) -> int:
    """What that many of the most expensive cards score one by one."""
    return -cost(sorted(PACK, key=COST.__getitem__)[-cards:])


def score(grouping: Grouping) -> int:
    return sum(map(points, grouping))


def cards(state: GoState) -> list[str]:
    return list(chain(state.unused, *state.hands, *state.discards))


def redeal(state: GoState, seat: int, rng: Random) -> GoState:
    """Shuffle what the seat never held. It knows the hands that it passed on, which the seats after it now hold."""
    other = deepcopy(state)
    unseen = [other.hands[(seat + steps) % len(SEATS)] for steps in SEATS if steps > state.turn]
    hidden = [other.unused, *unseen]
    shuffled = [card for pile in hidden for card in pile]
    rng.shuffle(shuffled)
    for pile in hidden:
        pile[:] = [shuffled.pop() for _ in pile]
    return other
