"""How many plays there are from fixed positions: an oracle apart from the tables of rules.

The numbers are checked against every play that can be written at all, judged one by one: by the rules, and by the
reference player, which shares no code with them.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from copy import deepcopy
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tests.games.phazed.tables import TWOS_AND_FIVES, table
from tournament.games import phazed
from tournament.games.cards import PACK
from tournament.games.phazed import reference
from tournament.games.phazed.groups import PHASES, phase_types
from tournament.games.phazed.plays import is_valid_play
from tournament.games.phazed.state import PhazedState
from tournament.play.record import Record
from tournament.play.replay import reapply

pytestmark = pytest.mark.slow


def every_play(state: PhazedState, cards: Iterable[str] = PACK) -> Iterator[Any]:
    """All plays but phases: any card drawn, taken, discarded, or placed at any index up to one beyond any group."""
    yield (1, "XX")
    for card in cards:
        yield (2, card)
        yield (5, card)
        for owner in range(5):
            groups = state.table[owner][1] if owner < 4 else [[]]
            for number, group in enumerate([*groups, []]):
                for index in range(-1, len(group) + 2):
                    yield (4, (card, (owner, number, index)))


def legal(function: Any, state: PhazedState, cards: Iterable[str] = PACK) -> list[Any]:
    (request,) = phazed.requests(state)
    seat, on_table, history, status, hand, discard = request.args
    args = (seat, on_table, history.items, status, hand, discard)
    return [play for play in every_play(state, cards) if function(play, *args)]


def counts(state: PhazedState) -> Counter[int]:
    """The number of legal plays of each type; rules and reference agree on each of them."""
    plays = legal(rules, state)
    assert plays == legal(reference.phazed_is_valid_play, state)
    return Counter(play[0] for play in plays)


def rules(play: Any, *args: Any) -> bool:
    """The rules' answer; a card drawn from the deck must be a card in the question."""
    return is_valid_play((1, "2C") if play[0] == 1 else play, *args)


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (table("2S 3S", begun=False), {1: 1, 2: 1}),
        (table("2S 3S 3S"), {5: 2}),
        # on the set of twos at 4 places, on the set of fives at 4, and 3S nowhere
        (table("2S 5D 3S", TWOS_AND_FIVES), {4: 8, 5: 3}),
        (table("AS 3S", TWOS_AND_FIVES), {4: 8, 5: 2}),
        # at the two ends of the run the Ace, at one of them the King; at 8 places of the set of clubs both
        (table("AS KC", (5, "2S 3D 4C AD 6C 7D 8H 9S"), (2, "2C 7C 7C AH JC QC KC")), {4: 2 + 1 + 8 + 8, 5: 2}),
        # 34: anything; 43: up to 12, at 5 and 6 places, and no discard
        (table("KC QC", (3, "KS 0D 8C 3S", "9D 9S 9S 6C AH 9C")), {4: 5 + 5 + 7}),
        (table("QC", (3, "KS 0D 8C 3S", "9D 9S 9S 6C AH 9C")), {4: 7}),
        (table("QC", (3, "KS 0D 8C 3S", "9D 9S 9S 6C AH")), {5: 1}),
    ],
    ids=range(8),
)
def test_plays_from_positions_by_hand(state: PhazedState, expected: dict[int, int]) -> None:
    assert counts(state) == expected


@pytest.mark.parametrize(
    ("name", "index", "expected"),
    [
        ("mixed", 0, {1: 1, 2: 1}),
        ("mixed", 1, {5: 11}),
        ("mixed", 41, {4: 35, 5: 4}),
        ("mixed", 145, {4: 44, 5: 4}),
        ("mixed", 146, {4: 36}),  # an accumulation is unfinished
        ("mixed", 147, {4: 26}),
        ("strongest", 157, {4: 44, 5: 2}),
        ("strongest", 254, {4: 20, 5: 2}),
        ("strongest", 260, {4: 44, 5: 3}),
        ("weakest", 571, {4: 22, 5: 2}),
        ("weakest", 2111, {4: 9, 5: 4}),
    ],
)
def test_plays_from_positions_of_whole_games(name: str, index: int, expected: dict[int, int]) -> None:
    file = Path(__file__).parent / "games" / f"{name}.json"
    states = reapply(phazed, Record.from_json(json.loads(file.read_text("utf-8"))))
    assert counts(next(state for at, state in states if at == index)) == expected


WIDE = table(
    "AS 2H 5C 9H QH 3D",
    TWOS_AND_FIVES,
    (3, "KS 0D 8C 3S", "9D 9S 9S 6C AH"),
    (5, "2S 3D 4C AD 6C 7D 8H 9S"),
)
TURN = table(
    "KH QD 0S",
    (7, "KC 2S AH 4C", "7C 7S AD 7D"),
    (6, "KS 0C 8C 3S", "9H 9D 9D 6H AD"),
    begun=False,
    others={1: "5S QC AC 8D"},
)


@pytest.mark.parametrize(
    ("state", "depth", "sequences"),
    [(WIDE, 1, 90), (WIDE, 2, 6251), (TURN, 1, 2), (TURN, 2, 54), (TURN, 3, 628)],
)
def test_sequences_of_plays(state: PhazedState, depth: int, sequences: int) -> None:
    assert count(state, depth) == sequences


def count(state: PhazedState, depth: int) -> int:
    """The number of ways in which `depth` plays can follow, until the end of the hand at most."""
    seen = {*state.hands[state.seat], *state.pile[-1:]}  # cards elsewhere are refused: see the positions above
    plays = legal(rules, state, seen)
    return len(plays) if depth == 1 else sum(count(after(state, play), depth - 1) for play in plays)


def after(state: PhazedState, play: Any) -> PhazedState:
    state = deepcopy(state)
    raw = (1, None) if play[0] == 1 else play
    phazed.apply(state, [(state.seat, phazed.parse(state, state.seat, raw))])
    return state


@pytest.mark.full
@pytest.mark.parametrize(
    ("hand", "phase", "ways"),
    [
        ("2S 2H 2D 2C 7S 7H 7D AS AH 9C KD", 1, 164),
        ("2S 3S 4S 5S 7S 8S AH AD 9S KD KC", 2, 36),  # seven of nine
        ("KS 0D 8C 3S 9D 9S 6C 0H 2H 7D 5C", 3, 30),
        ("7S 7H 7D 7C 9S 9H AS AD 9C 9D AC", 4, 602),
        ("2S 3D 4C AD 6C 7D 8H 9S 0S AC QH", 5, 6),
        ("KS 0C 8C 3S 9C 9S 9S 6C AS AH 2D", 6, 7),
        ("KC 2S AH 4C 7C 7S AD 7D 3C 5S 7H", 7, 13),
    ],
)
def test_the_ways_to_lay_a_phase(hand: str, phase: int, ways: int) -> None:
    """Every choice of two groups, or one, out of eleven cards; runs are given in the order of the hand."""
    cards = hand.split()
    sizes = {1: (3, 3), 2: (7,), 3: (4, 4), 4: (4, 4), 5: (8,), 6: (4, 5), 7: (4, 4)}[phase]
    by_reference: Any = reference.phazed_phase_type
    found = 0
    for first in combinations(range(len(cards)), sizes[0]):
        rest = [index for index in range(len(cards)) if index not in first]
        for second in combinations(rest, sizes[1]) if len(sizes) == 2 else [()]:
            chosen = [[cards[index] for index in group] for group in (first, second) if group]
            types = phase_types(chosen)
            assert types == by_reference(chosen)
            found += phase in types
    assert found == ways
    assert len(sizes) == len(PHASES[phase])
