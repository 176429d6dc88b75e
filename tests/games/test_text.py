"""Returned values put into sentences: always short, whatever they are."""

from typing import Any

import pytest

from sandbox.visible import LONGEST_VALUE
from tournament.games.cards import name, symbol
from tournament.games.text import gave, returned, show, who_wins
from tournament.play.conformance.refusals import MONSTERS


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ((0, "2C", (0, 0)), "(0, '2C', (0, 0))"),
        (None, "None"),
        (1.0, "1.0"),
        (True, "True"),
        (2**200 - 1, str(2**200 - 1)),
        (2**200, "<a number of 201 bits>"),
        (-(2**300), "<a number of 301 bits>"),
        ("\x1b[31m", r"'\x1b[31m'"),
    ],
)
def test_plain_data_is_shown_as_python_writes_it(value: Any, shown: str) -> None:
    assert show(value) == shown


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([5, "5S"], "you returned [5, '5S'], a list"),
        (True, "you returned True, a boolean"),
        (3.0, "you returned 3.0, a float"),
        ("3", "you returned '3'"),
        (None, "you returned None, which is what a function returns if it ends without a return statement"),
    ],
)
def test_what_only_looks_right_is_named(value: Any, said: str) -> None:
    assert returned(value) == said


@pytest.mark.parametrize(("part", "said"), [(True, "you gave True, a boolean"), (None, "you gave None")])
def test_a_part_is_not_said_to_be_all_that_was_returned(part: Any, said: str) -> None:
    assert gave(part) == said


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ((2, 1, 3), "Player 1 wins"),
        ((1, 3, 1), "Players 0 and 2 share the win"),
        ((1, 1, 4, 1), "Players 0, 1 and 3 share the win"),
    ],
)
def test_who_wins(places: tuple[int, ...], said: str) -> None:
    assert who_wins(places) == said


@pytest.mark.parametrize("monster", MONSTERS)
def test_what_is_deep_or_huge_is_cut(monster: str) -> None:
    text = show(MONSTERS[monster])
    assert len(text) <= LONGEST_VALUE
    assert text.isprintable()


@pytest.mark.parametrize(("card", "printed", "read"), [("0H", "10♥", "10 of hearts"), ("AS", "A♠", "ace of spades")])
def test_a_card_is_printed_and_read_aloud(card: str, printed: str, read: str) -> None:
    assert symbol(card) == printed
    assert name(card) == read
