"""Tables for the tests, written in short: cards apart by spaces."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest

from tournament.games import phazed
from tournament.games.api import IllegalPlay
from tournament.games.phazed.plays import Play
from tournament.games.phazed.state import PhazedState

TWOS_AND_FIVES = (1, "2S 2S 2C", "AS 5S 5S")


def table(
    hand: str,
    *played: tuple[Any, ...],
    seat: int = 0,
    begun: bool = True,
    status: Sequence[int] = (0, 0, 0, 0),
    deck: str = "3H 4H 6H",
    pile: str = "9D",
    others: Mapping[int, str] | None = None,
) -> PhazedState:
    """A hand with `seat` on turn, holding `hand`, and having drawn from the deck if `begun`.

    `played` are the phases on the table from player 0 on: (number, group, …), or () for none. Who has played is at
    that phase, the others are at their `status`. The others hold one King each unless `others` says so.
    """
    state = PhazedState(Random(0), deck.split(), pile.split(), hand_no=0, seat=seat)
    state.hands = [hand.split() if player == seat else (others or {}).get(player, "KC").split() for player in range(4)]
    state.table = [(None, []) for _ in range(4)]
    state.phase_status = list(status)
    for player, phase in enumerate(played):
        if phase:
            state.table[player] = phase[0], [group.split() for group in phase[1:]]
            state.phase_status[player] = phase[0]
    if begun:
        state.history.append((seat, [(1, "XX")]))
        state.begun = True
    return state


def play(state: PhazedState, *raws: Play) -> None:
    """Each play in turn, by whoever is on turn."""
    for raw in raws:
        phazed.apply(state, [(state.seat, phazed.parse(state, state.seat, raw))])


def refusal(state: PhazedState, raw: Any) -> IllegalPlay:
    """Why the play is refused."""
    with pytest.raises(IllegalPlay) as caught:
        phazed.parse(state, state.seat, raw)
    return caught.value
