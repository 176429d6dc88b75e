"""How many plays there are from fixed positions: an oracle apart from the tables of rules.

The numbers are checked against every play that can be written at all, judged one by one: by the rules, and by the
reference player, which shares no code with them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from copy import deepcopy
from functools import cache
from itertools import product
from typing import Any

import pytest

from tests.games.bo.tables import table
from tournament.games import bo
from tournament.games.bo import reference
from tournament.games.bo.plays import NO_PLAY, Play, is_valid_play, legal_plays
from tournament.games.bo.state import BoState
from tournament.games.cards import PACK
from tournament.play.golden import golden_records
from tournament.play.replay import reapply

pytestmark = pytest.mark.slow

NUMBERS = range(4)
PILES = list(product(NUMBERS, NUMBERS))
TARGETS: list[Any] = [(0, number) for number in NUMBERS] + [(1, pile) for pile in PILES]


def every_play() -> Iterator[Play]:
    """All 18,721 plays with cards that exist and piles that exist."""
    yield NO_PLAY
    for card, target in product(PACK, TARGETS):
        yield (0, card, target)
        yield (2, card, target)
        for pile in PILES:
            yield (1, (card, pile), target)


EVERY_PLAY = list(every_play())


@cache
def golden_positions(name: str) -> list[BoState]:
    return [deepcopy(state) for _, state in reapply(bo, golden_records(bo)[name])]


def arguments(state: BoState) -> Any:
    seat = state.seat
    tops = tuple((pile[-1], len(pile)) for pile in state.stockpiles)
    return seat, state.hands[seat], tops, state.discards, state.builds


def judged(function: Any, state: BoState, plays: Iterable[Play] = EVERY_PLAY) -> dict[Play, int]:
    args = arguments(state)
    values = {play: function(play, *args) for play in plays}
    return {play: value for play, value in values.items() if value}


def listed(state: BoState) -> list[Play]:
    seat, hand, tops, discards, builds = arguments(state)
    return list(legal_plays(seat, hand, tops[seat][0], discards, builds))


OPENING = table("2C KD AS 7H 7H")
MIDDLE = table(
    "AS 4H 9C 9C QD",
    seat=1,
    tops="3C 3D KS KH",
    discards={(0, 0): "2D", (0, 1): "KH QS", (1, 0): "8S", (1, 3): "4S 5H 4S", (3, 2): "JC"},
    builds={0: "2C 3C", 1: "KD QD JD", 3: "2D"},
)
STUCK = table("AD AS", discards={(0, 0): "5S", (2, 3): "7H"}, tops="9C 6S 6H 2D")


@pytest.mark.parametrize(
    ("state", "going_on", "ending", "none"),
    [
        (OPENING, 8, 12, 0),  # 2 and King start any build pile; 2, King and 7 any discard pile of one's own
        (MIDDLE, 7, 20, 0),
        (STUCK, 0, 0, 1),
    ],
    ids=["opening", "middle", "stuck"],
)
def test_plays_from_positions_by_hand(state: BoState, going_on: int, ending: int, none: int) -> None:
    check(state, {1: going_on, 2: ending, 3: none})


@pytest.mark.parametrize(
    ("name", "index", "going_on", "ending"),
    [
        ("mixed", 0, 8, 20),
        ("mixed", 16, 4, 27),
        ("mixed", 33, 5, 19),
        ("mixed", 49, 7, 14),
        ("mixed", 65, 1, 15),
        ("strongest", 60, 1, 4),
        ("strongest", 121, 4, 20),
        ("strongest", 242, 4, 0),
        ("weakest", 35, 11, 38),
        ("weakest", 71, 19, 11),
        ("weakest", 107, 11, 0),
    ],
)
def test_plays_from_positions_of_golden_games(name: str, index: int, going_on: int, ending: int) -> None:
    check(golden_positions(name)[index], {1: going_on, 2: ending, 3: 0})


def check(state: BoState, counts: dict[int, int]) -> None:
    by_rules = judged(is_valid_play, state)
    assert by_rules == judged(reference.comp10001bo_is_valid_play, state)
    plays = listed(state) or [NO_PLAY]
    assert set(plays) == set(by_rules)
    assert len(plays) == len(by_rules), "a play is listed twice"
    assert Counter(by_rules.values()) == +Counter(counts)


@pytest.mark.parametrize(("depth", "sequences"), [(1, 28), (2, 748), (3, 21428)])
def test_sequences_of_plays_from_the_deal_of_a_golden_game(depth: int, sequences: int) -> None:
    assert count(golden_positions("mixed")[0], depth) == sequences


def count(state: BoState, depth: int) -> int:
    """The number of ways in which `depth` plays can follow, refills and changes of turn included."""
    plays = listed(state) or [NO_PLAY]
    return len(plays) if depth == 1 else sum(count(after(state, play), depth - 1) for play in plays)


def after(state: BoState, play: Play) -> BoState:
    state = deepcopy(state)
    bo.apply(state, [(state.seat, bo.parse(state, state.seat, play))])
    return state


def test_the_sequences_are_all_that_can_be_written() -> None:
    deal = golden_positions("mixed")[0]
    states = [after(deal, play) for play in judged(is_valid_play, deal)]
    assert sum(len(judged(is_valid_play, state, plays_in_sight(state))) for state in states) == 748


def plays_in_sight(state: BoState) -> Iterator[Play]:
    """Those of EVERY_PLAY with a card that can be seen; all others are refused, as `check` finds."""
    piles = [pile[-1] for piles in state.discards for pile in piles if pile]
    cards = {*state.hands[state.seat], state.stockpiles[state.seat][-1], *piles}
    return (play for play in EVERY_PLAY if play == NO_PLAY or card_of(play) in cards)


def card_of(play: Play) -> str:
    return play[1][0] if play[0] == 1 else play[1]
