"""Which cards match, and what cards are worth: seed, Table 1 and "ActionCard"."""

from collections import Counter
from itertools import product

import pytest

from tournament.games.uno import reference
from tournament.games.uno.bots import first_match, random_legal, watcher, wild_last
from tournament.games.uno.pack import PACK, VALUES, hand_points, match, most_frequent_colour, name, playable


@pytest.mark.parametrize(
    ("card", "top", "colour", "matches"),
    [
        ("R6", "R1", "R", True),  # colour
        ("R6", "B6", "B", True),  # number
        ("R6", "B1", "B", False),
        ("RS", "BS", "B", True),  # action
        ("RR", "BR", "B", True),
        ("RD", "BD", "B", True),
        ("RS", "BD", "B", False),  # actions of the same value
        ("RD", "B9", "B", False),
        ("R0", "RD", "R", True),
        ("WC", "B9", "B", True),
        ("WD", "B9", "B", True),
        ("WD", "WD", "G", True),
        ("WC", "WC", "W", True),
        ("RD", "WD", "G", False),  # a draw 2 on a wild draw 4
        ("RD", "WD", "R", True),
        ("R0", "WC", "W", False),  # nobody chose a colour
        ("RR", "R5", "R", True),  # the second R is the action
        ("BR", "R5", "R", False),  # an R that is no colour
    ],
)
def test_match(card: str, top: str, colour: str, matches: bool) -> None:
    assert match(card, top, colour) is matches


@pytest.mark.parametrize("player", [reference, first_match, random_legal, watcher, wild_last])
def test_every_player_of_ours_matches_alike(player: object) -> None:
    for card, top in product(set(PACK), set(PACK)):
        for colour in "RYGBW" if top[0] == "W" else top[0]:
            assert player.uno_match(card, top, colour) == match(card, top, colour)  # type: ignore[attr-defined]


def test_the_indices_that_are_playable() -> None:
    hand = ["GD", "R6", "BD", "GS", "G9", "YD", "Y6"]
    assert playable(hand, "G1", "G") == [0, 3, 4]
    assert playable([], "G1", "G") == []


def test_the_pack() -> None:
    counts = Counter(PACK)
    assert len(PACK) == 72
    assert {card for card, number in counts.items() if number == 1} == {c + n for c in "RYGB" for n in "0123456789"}
    assert {card for card, number in counts.items() if number == 2} == {c + a for c in "RYGB" for a in "SRD"}
    assert counts["WC"] == counts["WD"] == 4


@pytest.mark.parametrize(
    ("hand", "points"),
    [
        ("", 0),
        ("R0", 0),
        ("BD BS B7", 47),
        ("R1 B2 Y8 B0 R5 RS Y3 BR WC", 109),
        ("WC WD", 100),
    ],
)
def test_points(hand: str, points: int) -> None:
    assert hand_points(hand.split()) == points


def test_the_points_of_the_whole_pack() -> None:
    assert sum(VALUES[card] for card in PACK) == 4 * 45 + 24 * 20 + 8 * 50


@pytest.mark.parametrize(
    ("hand", "colour"),
    [
        ("", "R"),
        ("WC WD", "R"),
        ("B1 Y2", "Y"),  # a tie: R, Y, G, B
        ("B1 G2", "G"),
        ("B1 B2 G2", "B"),
        ("WC WC B1", "B"),
        ("BS Y2 G0 RR R4 Y4", "R"),
        ("G8 Y9 B5 YS G5 Y2 WC", "Y"),
    ],
)
def test_the_most_frequent_colour(hand: str, colour: str) -> None:
    assert most_frequent_colour(hand.split()) == colour


@pytest.mark.parametrize(
    ("card", "words"), [("G7", "green 7"), ("RD", "red draw 2"), ("WC", "wild card"), ("WD", "wild draw 4")]
)
def test_a_card_in_words(card: str, words: str) -> None:
    assert name(card) == words
