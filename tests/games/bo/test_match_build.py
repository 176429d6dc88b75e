"""Which cards go on a build pile (seed, section 2.1 and Q1)."""

import pytest

from tournament.games.bo.plays import match_build
from tournament.games.cards import PACK


@pytest.mark.parametrize("card", PACK)
def test_only_twos_and_kings_start_a_pile(card: str) -> None:
    assert match_build(card, []) is (card[0] in "2K")


@pytest.mark.parametrize(
    ("pile", "fitting"),
    [
        ("2S", "3S 3C AS AC"),
        ("KH", "QH QD AH AD"),
        ("2D 3H", "2H 2D 4H 4D AH AD"),
        ("KS QC JS 0S", "9S 9C JS JC AS AC"),
        ("KS QC", "KS KC JS JC AS AC"),
        ("2C 3C 4S 3S", "2S 2C 4S 4C AS AC"),
    ],
)
def test_neighbours_of_the_colour_and_aces_go_on_a_pile(pile: str, fitting: str) -> None:
    assert {card for card in PACK if match_build(card, pile.split())} == set(fitting.split())
