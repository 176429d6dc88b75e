"""What groups and phases are (seed, Q1, Q2 and Q4)."""

import pytest

from tournament.games.phazed import reference
from tournament.games.phazed.groups import group_types, phase_types, score


@pytest.mark.parametrize("function", [group_types, reference.phazed_group_type], ids=["rules", "reference"])
@pytest.mark.parametrize(
    ("group", "types"),
    [
        ("2C 2S 2H", [1]),
        ("2C 2C 2C", [1]),
        ("AC 2S 2H", [1]),
        ("2C AS AC", []),  # one natural card
        ("AS AC AH", []),
        ("2C 2S 3H", []),
        ("2C 2S", []),
        ("4H 4S AC 4C", [3]),
        ("4H AS AC 4C", [3]),
        ("4H AS AC AD", []),
        ("4H 4S 4D 4C 4C", []),  # a set on the table may be longer, one in a phase not
        ("2C 7C 7C 8C JC QC KC", [2]),
        ("2C 7C AH AS AD AC AH", [2]),
        ("2C AC AC AH AS AD AH", []),  # one natural card, though three are clubs
        ("2C 7C 7C 8C JC QC KS", []),
        ("2C 7C 7C 8C JC QC", []),
        ("4H 5S AC 7C 8H AH 0S JC", [4]),
        ("4H 5S AC 8H 7C AH 0S JC", []),
        ("9H 0H JH QH KH 2H 3H 4H", [4]),  # round from King to 2
        ("AS AS JH QH AC AC AH AH", [4]),
        ("AS AS AD QH AC AC AH AH", []),
        ("KH AS 2H 3H 4H 5H 6H 7H", []),  # an Ace does not stand for 1
        ("9H 0H JH QH KH AC 3H 4H", [4]),  # but for 2
        ("9S 8S 7S 6S 5S 4S 3S 2S", []),  # not downwards
        ("4H 5D AC 7H", [5]),
        ("4H 5D 7H AC", []),
        ("KC 2S 3C 4C", [5]),
        ("KC 2S 3C 4D", []),
        ("AH 2S 3C AD", [5]),  # Aces have any colour in a run
        ("4H 5D AC AS", [5]),
        ("4H AD AC AS", []),
        ("KS 0D 8C 3S", [6]),
        ("KS 0C 8C 3S", [6, 7]),
        ("9C 9S 9S 6C AS", [6, 7]),
        ("9C 9S 9S 6C AH", [6]),  # an Ace keeps its colour here
        ("AS AS AC AC KS KS 4C", [6, 7]),
        ("KS KS 7S", []),
        ("KS KS 9S", []),
        ("JS JH JD AC", [3, 6]),
        ("JH JD JD AH", [3, 6, 7]),
        ("2C 2C 4C KC 9C AS 3C", [2, 6, 7]),
        ("7H 8D 9H 0D", [5, 6, 7]),
        ("", []),
    ],
)
def test_group_types(function: object, group: str, types: list[int]) -> None:
    assert callable(function)
    assert function(group.split()) == types


@pytest.mark.parametrize("function", [phase_types, reference.phazed_phase_type], ids=["rules", "reference"])
@pytest.mark.parametrize(
    ("phase", "types"),
    [
        (["2C 2S 2H", "7H 7C AH"], [1]),
        (["2C 2S 2H", "2C 2D 2H"], [1]),
        (["2C 2S 2H", "7H 7C AH AS"], []),
        (["2C 2S 2H"], []),
        (["2C 2S 2H", "7H 7C AH", "8S 8D 8C"], []),
        (["2C 2C 4C KC 9C AH JC"], [2]),
        (["2C KH QS 7H", "3H 7S 0D KD AD"], [3]),
        (["2C KC QS 7C", "3H 7H 0D KD AD"], [3, 6]),  # one black, one red
        (["2C KC QS 7C", "3S 7C 0C KS AC"], [3, 6]),
        (["4H 4S AC 4C", "7H 7C AH AC"], [4]),
        (["JS JH JD AC", "JS JH JC AC"], [3, 4]),
        (["4H 5S AC 7C 8H AH 0S JC"], [5]),
        (["4H 5D AC 7H", "7H 7C AH AS"], [7]),
        (["7H 7C AH AS", "4H 5D AC 7H"], []),  # the run comes first
        (["4C 5D AC 7H", "7H 7C AH AS"], []),
        (["7H 8D 9H 0D", "JH JD JD AH"], [3, 6, 7]),
        (["4H 5D 7C AC", "AC AS AS"], []),
        ([], []),
    ],
)
def test_phase_types(function: object, phase: list[str], types: list[int]) -> None:
    assert callable(function)
    assert function([group.split() for group in phase]) == types


@pytest.mark.parametrize("function", [score, reference.phazed_score], ids=["rules", "reference"])
@pytest.mark.parametrize(("hand", "points"), [("", 0), ("AS", 25), ("0H", 10), ("JS QS KS", 36), ("3D JC AS", 39)])
def test_penalty_points(function: object, hand: str, points: int) -> None:
    assert callable(function)
    assert function(hand.split()) == points
