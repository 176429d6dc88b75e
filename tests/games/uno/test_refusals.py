"""Every answer that the rules refuse, and the sentence that its author reads."""

from typing import Any

import pytest

from tests.games.uno.tables import play, refusal, table
from tournament.games import uno
from tournament.games.api import IllegalPlay, MalformedPlay

HAND = "R6 BD GS WC"


@pytest.mark.parametrize("raw", [0, 3, -2])
def test_legal_picks(raw: int) -> None:
    assert refusal(table(f"{HAND} | Y1", draw="B1"), raw) == ""


@pytest.mark.parametrize(
    ("raw", "rule"),
    [
        (1, "no-match"),
        (2, "no-match"),
        (4, "no-such-card"),
        (-3, "no-such-card"),
        (10**400, "no-such-card"),
        (-1, "no-pass"),
        (True, "shape"),
        (False, "shape"),
        (0.0, "shape"),
        ("0", "shape"),
        ("R6", "shape"),
        ("D", "shape"),
        ([0], "shape"),
        ((0, "R6"), "shape"),
        (None, "shape"),
    ],
)
def test_refused_picks(raw: Any, rule: str) -> None:
    assert refusal(table(f"{HAND} | Y1", draw="B1"), raw) == rule


@pytest.mark.parametrize(("raw", "rule"), [("R", ""), ("Y", ""), ("G", ""), ("B", "")])
def test_legal_colours(raw: Any, rule: str) -> None:
    assert refusal(play(table("WC R1 | Y1"), 0), raw) == rule


@pytest.mark.parametrize(
    ("raw", "rule"),
    [
        ("W", "no-such-colour"),
        ("r", "no-such-colour"),
        ("Red", "no-such-colour"),
        ("RY", "no-such-colour"),
        ("", "no-such-colour"),
        ("\ud800", "no-such-colour"),
        (0, "shape"),
        (None, "shape"),
        (b"R", "shape"),
        (["R"], "shape"),
    ],
)
def test_refused_colours(raw: Any, rule: str) -> None:
    assert refusal(play(table("WC R1 | Y1"), 0), raw) == rule


@pytest.mark.parametrize(
    ("top", "colour", "draw", "raw", "sentence"),
    [
        ("R5", "R", "B1", 1, "'BD' (index 1 of your hand) cannot be played on 'R5': it is neither Red nor a 5."),
        ("R8", "R", "B1", 2, "'GS' (index 2 of your hand) cannot be played on 'R8': it is neither Red nor an 8."),
        ("RD", "R", "B1", 2, "'GS' (index 2 of your hand) cannot be played on 'RD': it is neither Red nor a draw 2."),
        ("WD", "Y", "B1", 1, "'BD' (index 1 of your hand) cannot be played on 'WD': the colour to follow is Yellow."),
        (
            "WC",
            "W",
            "B1",
            0,
            "'R6' (index 0 of your hand) cannot be played on 'WC': "
            "no colour has been chosen yet, so only 'WC' and 'WD' match.",
        ),
        (
            "R5",
            "R",
            "B1",
            4,
            "There is no card at index 4: your hand is ['R6', 'BD', 'GS', 'WC'], so indices go from 0 to 3.",
        ),
        (
            "R5",
            "R",
            "",
            -2,
            "You cannot draw: the draw pile is empty. You must play a card that matches, for example 'R6' at 0.",
        ),
        (
            "R5",
            "R",
            "B1",
            -1,
            "You cannot pass: play a card or return -2 to draw. A player who can do neither is not asked.",
        ),
        (
            "R5",
            "R",
            "",
            -1,
            "You cannot pass: play a card that matches, for example 'R6' at 0. "
            "A player who can do neither is not asked.",
        ),
        (
            "R5",
            "R",
            "B1",
            "R6",
            "A play is a whole number: the index of a card in your hand, or -2 to draw; you returned 'R6'.",
        ),
    ],
)
def test_what_the_author_reads(top: str, colour: str, draw: str, raw: Any, sentence: str) -> None:
    with pytest.raises(IllegalPlay) as caught:
        uno.parse(table(f"{HAND} | Y1", top, colour, draw=draw), 0, raw)
    assert caught.value.message == sentence
    assert isinstance(caught.value, MalformedPlay) is (caught.value.rule == "shape")
