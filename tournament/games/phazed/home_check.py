"""What tests that students run at home check in a game of Phazed."""

from collections.abc import Iterator
from textwrap import indent

from tournament.games.api import AtHome, IllegalPlay, Questions, Request, one_of
from tournament.games.phazed.groups import LAST_PHASE
from tournament.games.phazed.plays import PlayContext, judge
from tournament.games.phazed.shape import BUILD, DISCARD, DRAW, FROM_PILE, Play
from tournament.games.phazed.state import PhazedState

_PLAIN = """\
result = tuple(result) if type(result) is list else result
if type(result) is tuple and result[:1] == (1,):
    result = (1, None)  # a draw from the deck: its content is not looked at
"""
_PHASE = """\
if type(result) is tuple and result[:1] == (3,):
    # Which groups make a phase is for you to know: of them, this test checks only what this position says itself.
    number, groups = result[1]
    self.assertEqual(number, {number})
    held = {hand}
    for card in [card for group in groups for card in group]:
        self.assertIn(card, held)
        held.remove(card)
else:
{others}"""


def check(state: PhazedState, request: Request, questions: Questions) -> str:
    """The answer must be one of the draws, builds or discards that are possible; phases are too many to be listed."""
    seat = request.seat
    if not state.begun:
        return _PLAIN + one_of([DRAW, *((FROM_PILE, card) for card in state.pile[-1:])])
    others = one_of(list(_legal(state, seat)))
    achieved = state.phase_status[seat]
    if state.table[seat][0] is not None or achieved == LAST_PHASE:
        return _PLAIN + others
    return _PLAIN + _PHASE.format(number=achieved + 1, hand=state.hands[seat], others=indent(others, " " * 4))


def _legal(state: PhazedState, seat: int) -> Iterator[Play]:
    """The builds and discards that are possible after a draw."""
    hand = state.hands[seat]
    context = PlayContext(seat, state.table, True, state.phase_status, hand, None)
    for play in _candidates(state, dict.fromkeys(hand)):
        try:
            judge(play, context)
        except IllegalPlay:
            continue
        yield play


def _candidates(state: PhazedState, cards: dict[str, None]) -> Iterator[Play]:
    for card in cards:
        yield DISCARD, card
        for owner, (_, groups) in enumerate(state.table):
            for number, group in enumerate(groups):
                for index in range(len(group) + 1):
                    yield BUILD, (card, (owner, number, index))


at_home = AtHome(check)
