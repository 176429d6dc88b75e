"""How many games can follow from fixed deals: an oracle apart from the rules.

`ways` is a second, plain implementation of the whole game on tuples, which shares nothing with the rules but the
reference player's `uno_match`. Both count the sequences of answers of a given length.
"""

from collections import Counter
from copy import deepcopy
from random import Random
from typing import NamedTuple

import pytest

from tests.games.uno.tables import legal
from tournament.games import uno
from tournament.games.uno.reference import uno_match
from tournament.games.uno.state import UnoState
from tournament.play.golden import golden_records
from tournament.play.replay import reapply


class Plain(NamedTuple):
    """A moment in which `seat` picks a card. The next card is `pile[0]`."""

    hands: tuple[tuple[str, ...], ...]
    pile: tuple[str, ...]
    top: str
    colour: str
    seat: int
    step: int
    turn: int

    def fits(self, card: str) -> bool:
        return uno_match(card, self.top, self.colour)


def ways(table: Plain, depth: int) -> int:
    """The number of sequences of `depth` answers; fewer answers if the game ends."""
    total = 0
    hand = table.hands[table.seat]
    for index, card in enumerate(hand):
        if table.fits(card):
            total += after_card(with_hand(table, hand[:index] + hand[index + 1 :]), card, depth - 1)
    if table.pile:
        card, *rest = table.pile
        drawn = table._replace(pile=tuple(rest))
        if table.fits(card):
            total += after_card(drawn, card, depth - 1)
        else:
            total += go_on(with_hand(drawn, (*hand, card)), 1, 0, 0, depth - 1)
    return total


def with_hand(table: Plain, hand: tuple[str, ...]) -> Plain:
    hands = (*table.hands[: table.seat], hand, *table.hands[table.seat + 1 :])
    return table._replace(hands=hands)


def after_card(table: Plain, card: str, depth: int) -> int:
    """What can follow a card that has left the hand."""
    table = table._replace(top=card, colour=card[0])
    if not table.hands[table.seat]:
        return 1
    penalty = {"WD": 4}.get(card, 2 if card[1] == "D" else 0)
    if card[0] == "W":
        if depth == 0:
            return 1
        chosen = [table._replace(colour=colour) for colour in "RYGB"]
        return sum(go_on(each, 2 if penalty else 1, penalty, 0, depth - 1) for each in chosen)
    if card[1] == "R":
        table = table._replace(step=-table.step)
    skips = penalty or card[1] == "S" or (card[1] == "R" and len(table.hands) == 2)
    return go_on(table, 2 if skips else 1, penalty, 0, depth)


def go_on(table: Plain, seats: int, penalty: int, passes: int, depth: int) -> int:
    """What can follow once the next is on turn, or the one after, whose predecessor draws the penalty."""
    if depth == 0:
        return 1
    if table.turn == 100 or passes == len(table.hands):
        return 1
    table = table._replace(seat=(table.seat + table.step) % len(table.hands), turn=table.turn + 1)
    hand = table.hands[table.seat]
    if seats == 2:
        drawn = with_hand(table, hand + table.pile[:penalty])._replace(pile=table.pile[penalty:])
        return go_on(drawn, 1, 0, 0, depth)
    if not table.pile and not any(table.fits(card) for card in hand):
        return go_on(table, 1, 0, passes + 1, depth)
    return ways(table, depth)


def plain(state: UnoState) -> Plain:
    hands = tuple(map(tuple, state.hands))
    seat, step, turn = state.seat, state.direction, state.turn
    return Plain(hands, tuple(state.draw[::-1]), state.discard[-1], state.colour, seat, step, turn)


def count(state: UnoState, depth: int) -> int:
    """The same by the rules."""
    if depth == 0 or not uno.requests(state):
        return 1
    answers = "RYGB" if state.choosing else legal(state)
    total = 0
    for raw in answers:
        after = deepcopy(state)
        uno.apply(after, [(state.seat, uno.parse(state, state.seat, raw))])
        total += count(after, depth - 1)
    return total


@pytest.mark.parametrize(
    ("seats", "seed", "depth", "expected"),
    [(4, 1, 2, 20), (4, 1, 5, 839), (2, 1, 5, 363), (3, 2, 5, 360), (5, 3, 5, 555)],
)
def test_sequences_from_a_deal(seats: int, seed: int, depth: int, expected: int) -> None:
    state = uno.deal(Random(seed), seats)
    assert count(state, depth) == expected
    assert ways(plain(state), depth) == expected


@pytest.mark.parametrize("name", ["mixed", "strongest", "weakest"])
def test_sequences_from_every_moment_of_a_golden_game(name: str) -> None:
    moments = [state for _, state in map(copied, reapply(uno, golden_records(uno)[name]))]
    asked = [state for state in moments if uno.requests(state) and not state.choosing]
    assert len(asked) > 20
    for state in asked:
        assert count(state, 2) == ways(plain(state), 2)


@pytest.mark.parametrize("left", [0, 1, 3])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_sequences_at_the_end_of_the_draw_pile(seats: int, left: int) -> None:
    """Short hands and hardly any cards left: passes, wins and short penalties."""
    seen: Counter[str | None] = Counter()
    for seed in range(12):
        state = uno.deal(Random(seed), seats)
        for hand in state.hands:
            del hand[2:]
        del state.draw[left:]
        if left or any(uno_match(card, state.discard[-1], state.colour) for card in state.hands[0]):
            assert count(state, 6) == ways(plain(state), 6)
            seen[first_ending(state)] += 1
    assert seen["won"]
    assert seen["all passed"]


def first_ending(state: UnoState) -> str | None:
    state = deepcopy(state)
    while uno.requests(state):
        raw = "R" if state.choosing else legal(state)[0]
        uno.apply(state, [(state.seat, uno.parse(state, state.seat, raw))])
    return state.ended


def copied(moment: tuple[int, UnoState]) -> tuple[int, UnoState]:
    return moment[0], deepcopy(moment[1])
