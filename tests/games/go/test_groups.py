"""What is a group, what it scores, and what is wrong with what is none (RULES.md, Comp10001-Go)."""

import pytest

from tests.games.go.tables import groups
from tournament.games.api import IllegalPlay
from tournament.games.go.groups import judge, laid_out, points, valid_groups

VALID = [
    ("2C", -2),
    ("0H", -10),
    ("JS", -11),
    ("QS", -12),
    ("KD", -13),
    ("AC", -20),
    ("2C 2D", 4),
    ("KC KH", 26),
    ("5C 5H 5S", 30),
    ("KC KH KS KD", 312),
    ("2C 3D 4S", 9),
    ("4S 2C 3D", 9),
    ("JH QS KH", 36),
    ("0D JC QH KS", 46),
    ("2S 3H 4C 5D 6S 7H 8C 9D 0S JH", 65),
    ("5C AH AS 8H", 26),
    ("AS 5C 8H AH", 26),
    ("0D AS KS QH", 46),
    ("2C AD 4S", 9),
    ("3H AS AD AC 7H", 25),
    ("2H AS AD AC AH 7C", 27),
]
INVALID = [
    ("", "empty-group", "[]"),
    ("2C 3D", "no-pair", "at least three"),
    ("AC 2D", "no-pair", "at least three"),
    ("AC AD", "only-aces", "Aces are not an N-of-a-kind"),
    ("AC AD AS AH", "only-aces", "Aces"),
    ("AD 2C AH 4S AC 6S", "idle-ace", "'AC' (A♣)"),
    ("KC AD AS", "one-natural", "at least two cards that are not Aces"),
    ("KC KH KS AD", "same-value", "'KC' (K♣) and 'KH' (K♥)"),
    ("2C 3D 3H 4S", "same-value", "'3D' (3♦) and '3H' (3♥)"),
    ("2C 3D 5D", "gap", "a black 4 is missing, and there is no black Ace"),
    ("9C JC KC", "gap", "a red 10 is missing"),
    ("QH KS 2S", "gap", "between '2S' (2♠) and 'QH' (Q♥) a red 3"),
    ("2C AS 4S", "ace-colour", "a red 3 is missing, and no red Ace is left"),
    ("5C AH AD 8H", "ace-colour", "a black 7"),
    ("2C 3S 4D", "colours", "'3S' (3♠) is black"),
    ("2C 3D 4H", "colours", "'4H' (4♥) is red where a black card must be"),
    ("2C AD 4D", "colours", "'4D' (4♦) is red"),
    ("AH 2S 3H", "idle-ace", "'AH' (A♥) fills no gap"),
    ("QH KS AD", "idle-ace", "'AD' (A♦) fills no gap"),
    ("2C 3D 4S AD", "idle-ace", "'AD'"),
    ("2C AD 4S AH", "idle-ace", "'AH'"),
]


@pytest.mark.parametrize(("text", "score"), VALID)
def test_a_valid_group_scores(text: str, score: int) -> None:
    group = text.split()
    assert judge(group) == points(group) == points(group[::-1]) == score
    assert valid_groups([group])


@pytest.mark.parametrize(("text", "rule", "says"), INVALID)
def test_an_invalid_group_is_refused_with_the_reason(text: str, rule: str, says: str) -> None:
    with pytest.raises(IllegalPlay) as caught:
        judge(text.split())
    assert caught.value.rule == rule
    assert says in caught.value.message
    assert not valid_groups([text.split()])


@pytest.mark.parametrize(
    ("text", "score"),
    [("2C 3D", -5), ("AC AD", -40), ("KC KH KS AD", -59), ("AH 2S 3H", -25), ("JC QC KC", -36)],
)
def test_an_invalid_group_costs_all_its_cards(text: str, score: int) -> None:
    assert points(text.split()) == score


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("", True),
        ("KC KH KS KD, 2C", True),
        ("KC KH KS AD, 2C", False),
        ("KC KH KS KD, 2C 3H", False),
        ("2C, 3C, 4C, AS, AH", True),
        ("2C 3D 4S, 5H 5D, 6C 7S", False),
    ],
)
def test_all_groups_must_be_valid(text: str, valid: bool) -> None:
    assert valid_groups(groups(text)) is valid


@pytest.mark.parametrize(
    ("group", "laid"),
    [
        ("AS", "AS"),
        ("KC KD", "KC KD"),
        ("4S 2C 3D", "2C 3D 4S"),
        ("AS 5C 8H AH", "5C AH AS 8H"),
        ("2H AC AS AD AH 7C", "2H AC AD AS AH 7C"),
    ],
)
def test_a_run_is_laid_out_from_low_to_high_with_aces_in_their_gaps(group: str, laid: str) -> None:
    assert laid_out(group.split()) == laid.split()
