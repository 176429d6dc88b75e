"""The best groupings, against trying every grouping there is, and counts of groups by an independent brute force."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, pairwise, permutations
from math import comb, factorial, prod
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tournament.games.cards import COLOUR, PACK, VALUES
from tournament.games.go import reference
from tournament.games.go.groups import judge, points, valid_groups
from tournament.games.go.partitions import best_partitions, best_score
from tournament.games.go.rules import Grouping
from tournament.games.judges import Unordered

pytestmark = pytest.mark.slow

same = Unordered(levels=3)
RUNNING = [card for card in PACK if card[0] in "A2345"]


def cards(pack: list[str], most: int) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(pack), unique=True, max_size=most)


def try_all(cards: Sequence[str]) -> list[Grouping]:
    """All best groupings, found by trying every grouping."""

    @cache
    def known_points(*group: str) -> int:
        return points(group)

    scored = [(sum(known_points(*group) for group in grouping), grouping) for grouping in every_grouping(cards)]
    best = max(score for score, _ in scored)
    return [grouping for score, grouping in scored if score == best and valid_groups(grouping)]


def every_grouping(cards: Sequence[str]) -> Iterator[Grouping]:
    """All ways to put the cards into groups: 1, 1, 2, 5, 15 … ways for 0, 1, 2, 3, 4 … cards."""
    if not cards:
        yield []
        return
    first, *rest = cards
    for grouping in every_grouping(rest):
        yield [[first], *grouping]
        for number, group in enumerate(grouping):
            yield [*grouping[:number], [first, *group], *grouping[number + 1 :]]


@settings(max_examples=150, deadline=None)
@given(hand=cards(list(PACK), 8) | cards(RUNNING, 8))
@example(hand=["5C", "AS", "AC", "AH", "AD", "8H", "0H"])
def test_no_grouping_is_better_and_none_as_good_is_missing(hand: list[str]) -> None:
    best = best_partitions(hand)
    assert same(try_all(hand), best)
    assert {sum(map(points, grouping)) for grouping in best} == {best_score(hand)}
    assert all(map(valid_groups, best))


@settings(max_examples=100, deadline=None)
@given(hand=cards(list(PACK), 10) | cards(RUNNING, 10))
def test_the_reference_player_finds_the_same(hand: list[str]) -> None:
    assert same(best_partitions(hand), reference.comp10001go_best_partitions(hand))


def test_ten_cards_against_all_their_groupings() -> None:
    hand = Random(3).sample(RUNNING, 10)
    assert same(try_all(hand), best_partitions(hand))


def test_no_cards_have_one_grouping() -> None:
    assert best_partitions([]) == [[]]
    assert best_score([]) == 0


@pytest.mark.parametrize(
    ("size", "number"), [(0, 1), (1, 1), (2, 2), (3, 5), (4, 15), (5, 52), (8, 4140), (10, 115975)]
)
def test_the_number_of_groupings_is_bells(size: int, number: int) -> None:
    assert sum(1 for _ in every_grouping(PACK[:size])) == number


# Valid groups of the whole pack, counted


def is_valid(group: tuple[str, ...]) -> bool:
    """From the text of the rules, with no code shared: tries every order of the cards and every meaning of the Aces."""
    if len(group) == 1 or (len({card[0] for card in group}) == 1 and group[0][0] != "A"):
        return True
    return len(group) > 2 and any(map(is_run, permutations(group)))


def is_run(row: tuple[str, ...]) -> bool:
    if row[0][0] == "A" or row[-1][0] == "A":
        return False
    start = VALUES.index(row[0][0])
    fits = start + len(row) <= 13 and all(card[0] in ("A", VALUES[start + step]) for step, card in enumerate(row))
    return fits and all(COLOUR[card] != COLOUR[other] for card, other in pairwise(row))


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_which_cards_are_a_group_by_brute_force(size: int) -> None:
    low = [card for card in PACK if card[0] in "A23456"][: 24 if size < 4 else 20]
    for group in combinations(low, size):
        assert valid_groups([group]) == is_valid(group) == reference.comp10001go_valid_groups([group]), group


def counted(size: int, values: str) -> Counter[str]:
    kinds = Counter[str]()
    for group in combinations([card for card in PACK if card[0] in values], size):
        if valid_groups([group]):
            own = {card[0] for card in group}
            kinds["single" if size == 1 else "kind" if len(own) == 1 else "ace run" if "A" in own else "run"] += 1
    return kinds


def runs(size: int, starts: int) -> Iterator[tuple[int, int]]:
    """For runs of a size, by the number of Aces: 11 or fewer places to start, two colours, Aces in places inside."""
    for aces in range(size - 1):
        ways = 0
        for places in combinations(range(1, size - 1), aces):
            even = sum(place % 2 == 0 for place in places)
            ways += 2 * comb(2, even) * comb(2, aces - even) * 2 ** (size - aces)
        yield aces, starts * ways


@pytest.mark.parametrize(("size", "values"), [(1, VALUES), (2, VALUES), (3, VALUES), (4, "A67890JQK")])
def test_how_many_groups_there_are_in_a_pack(size: int, values: str) -> None:
    """Of four cards in a part of it: what is valid among the low ones is found by brute force above."""
    by_aces = dict(runs(size, len(values) - size)) if size > 2 else {0: 0}
    expected = {
        "single": 52 if size == 1 else 0,
        "kind": (len(values) - 1) * comb(4, size) if size > 1 else 0,
        "run": by_aces[0],
        "ace run": sum(ways for aces, ways in by_aces.items() if aces),
    }
    assert counted(size, values) == +Counter(expected)


def test_what_n_of_a_kind_scores() -> None:
    for size, value in ((2, 7), (3, 7), (4, 7)):
        assert judge([f"7{suit}" for suit in "SHDC"[:size]]) == factorial(size) * value == prod(range(1, size + 1)) * 7
