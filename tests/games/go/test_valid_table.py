"""Valid tables of the sister game (seed, Part 1)."""

import pytest

from tests.games.go.tables import groups
from tournament.games.api import IllegalPlay
from tournament.games.go.huxxy import judge, valid_table


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("2C 2H 2S", "kind"),
        ("AC AH AS", "kind"),
        ("2C 2H 2S 2D", "kind"),
        ("2C 2H 2S 2D 2S", "kind"),
        ("2C 2H 2S 2D 2C 2H 2S 2D", "kind"),
        ("AC 2H 3S", "run"),
        ("3C AS 2H", "run"),
        ("0C JH QS KH 9D", "run"),
        ("AS 2D 3S 4D 5S 6D 7S 8D 9S 0D JS QD KS", "run"),
    ],
)
def test_a_group(text: str, kind: str) -> None:
    assert judge(text.split()) == kind


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("", "too-few"),
        ("AC", "too-few"),
        ("2C 2H", "too-few"),
        ("AC 2D", "too-few"),
        ("2C 2H 2C", "suit-twice"),
        ("2C 2C 2C", "suit-twice"),
        ("2C 2H 2S 2C", "suit-missing"),
        ("2C 2H 2S 2C 2H", "suit-missing"),
        ("2C 3D 3H 4S", "same-value"),
        ("2C 2D 2H 3S", "same-value"),
        ("AC 2H 4S", "gap"),
        ("QC KD AS", "gap"),
        ("2C AD 4S", "gap"),
        ("AC 2S 3H", "colours"),
        ("KC KH KS AD", "gap"),
    ],
)
def test_no_group(text: str, rule: str) -> None:
    with pytest.raises(IllegalPlay) as caught:
        judge(text.split())
    assert caught.value.rule == rule
    assert not valid_table([text.split()])


@pytest.mark.parametrize(
    ("text", "valid"),
    [("", True), ("2C 2H 2S 2D 2S, 0D 9C 8H", True), ("2C 2H 2S, AC 2S", False), ("AC, 2C 2H 2S", False)],
)
def test_a_table(text: str, valid: bool) -> None:
    assert valid_table(groups(text)) is valid
