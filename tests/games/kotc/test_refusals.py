"""Every answer that the rules refuse, and the sentence that its author reads."""

from typing import Any

import pytest

from tests.games.kotc.tables import refusal, table
from tournament.games import kotc
from tournament.games.api import IllegalPlay, MalformedPlay

HAND = "6H 9D KC"


@pytest.mark.parametrize("raw", ["6H", "KC", None, False])
def test_legal_answers(raw: Any) -> None:
    assert refusal(table(f"{HAND} | AD"), raw) == ""


@pytest.mark.parametrize(
    ("raw", "rule"),
    [
        ("9D", "no-match"),
        ("2C", "not-held"),
        ("8C", "not-held"),
        ("6C", "not-held"),
        ("10C", "shape"),
        ("", "shape"),
        ("6h", "shape"),
        ("'6H'", "shape"),
        (True, "shape"),
        (0, "shape"),
        (0.0, "shape"),
        (b"6H", "shape"),
        (["6H"], "shape"),
        (("6H",), "shape"),
        ({"6H"}, "shape"),
        ("\ud800", "shape"),
        ("6H" * 10_000, "shape"),
    ],
)
def test_refused_answers(raw: Any, rule: str) -> None:
    assert refusal(table(f"{HAND} | AD"), raw) == rule


@pytest.mark.parametrize(
    ("hand", "top", "raw", "sentence"),
    [
        (
            HAND,
            "6C",
            "9D",
            "The 9 of diamonds cannot be played on the 6 of clubs: "
            "it is not one of the clubs, not a 6 and not an Eight.",
        ),
        (
            "6H 9D",
            "AH",
            "9D",
            "The 9 of diamonds cannot be played on the ace of hearts: "
            "it is not one of the hearts, not an ace and not an Eight.",
        ),
        (
            HAND,
            "8C",
            "6H",
            "The 6 of hearts cannot be played on an Eight that counts as clubs: only clubs and Eights can.",
        ),
        (HAND, "6C", "0C", "You played the 10 of clubs, but it is not in your hand; you hold 6♥ 9♦ K♣."),
        (HAND, "6C", "8C", "You played an Eight, but there is none in your hand; you hold 6♥ 9♦ K♣."),
        (
            HAND,
            "6C",
            "Suit.Hearts",
            "Your method play must return a Card, or None to skip the turn; it returned Suit.Hearts.",
        ),
        (HAND, "6C", 3, "Your method play must return a Card, or None to skip the turn; it returned 3."),
    ],
)
def test_what_the_author_reads(hand: str, top: str, raw: Any, sentence: str) -> None:
    with pytest.raises(IllegalPlay) as caught:
        kotc.parse(table(f"{hand} | AD", top), 0, raw)
    assert caught.value.message == sentence
    assert isinstance(caught.value, MalformedPlay) is (caught.value.rule == "shape")
