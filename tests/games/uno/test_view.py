"""What a viewer sees: frames, plays in words, and the drawing."""

from typing import Any

import pytest

from tests.games.drawn import drawn
from tests.games.uno.tables import play, table
from tournament.games import uno


@pytest.mark.parametrize(
    ("parsed", "words"),
    [
        ((3, "R6"), "plays the red 6"),
        ((0, "BD"), "plays the blue draw 2"),
        ((0, "WD"), "plays the wild draw 4"),
        ((-2, None), "draws a card"),
        (("G", "WC"), "chooses green"),
    ],
)
def test_a_play_in_words(parsed: Any, words: str) -> None:
    assert uno.describe(1, parsed) == words


def test_a_seat_sees_its_own_hand_and_a_viewer_all() -> None:
    state = table("R6 B1 | Y1 | G1", draw="B2")
    assert [player["hand"] for player in uno.frame(state, 1)["players"]] == [None, ["Y1"], None]
    assert [player["points"] for player in uno.frame(state, 1)["players"]] == [None, 1, None]
    assert [player["hand"] for player in uno.frame(state, None)["players"]] == [["R6", "B1"], ["Y1"], ["G1"]]


@pytest.mark.parametrize(
    ("raws", "texts", "new"),
    [
        ([0], ["plays the red draw 2", "draws 2 cards", "is skipped"], [0, 2, 0]),
        ([-2], ["draws 1 card"], [1, 0, 0]),
        ([1], ["plays the wild card"], [0, 0, 0]),
        ([1, "Y"], ["chooses yellow"], [0, 0, 0]),
    ],
)
def test_what_a_play_led_to(raws: list[Any], texts: list[str], new: list[int]) -> None:
    frame = uno.frame(play(table("RD WC R3 | Y1 | G1", draw="B2 B3 B4"), *raws), None)
    assert [event["text"] for event in frame["events"]] == texts
    assert [player["new"] for player in frame["players"]] == new


def test_a_drawn_card_that_is_played_is_not_new_in_the_hand() -> None:
    frame = uno.frame(play(table("B1 | Y1", draw="R2 B3"), -2), None)
    assert [event["text"] for event in frame["events"]] == ["draws 1 card", "plays the red 2"]
    assert frame["players"][0]["new"] == 0


@pytest.mark.parametrize(
    ("frame", "outcome"),
    [
        (lambda: play(table("R6 | Y1"), 0), "Player 0 wins with an empty hand."),
        (
            lambda: play(table("R6 B1 | Y2", turn=100), 0),
            "Turn 100 was the last: Player 0 wins with the fewest points in hand (1 point).",
        ),
        (
            lambda: play(table("R1 Y8 | Y2"), 0),
            "Nobody can play or draw: Player 1 wins with the fewest points in hand (2 points).",
        ),
        (lambda: table("R6 | Y1"), ""),
    ],
)
def test_why_it_ended(frame: Any, outcome: str) -> None:
    assert uno.frame(frame(), None)["outcome"] == outcome


def test_who_is_disqualified() -> None:
    state = table("R6 | Y1")
    uno.disqualify(state, 1)
    frame = uno.frame(state, None)
    assert (frame["outcome"], frame["on_turn"]) == ("Player 1 is disqualified.", None)
    assert 'class="player seat-1 disqualified"' in drawn(uno, frame)


def test_the_drawing_shows_the_table() -> None:
    html = drawn(uno, uno.frame(play(table("RD R3 | Y1 | G1 WC", draw="B2 B3 B4"), 0), None), ["A", "<b>", "C"])
    assert '<span class="card red" role="img" aria-label="red draw 2" data-card="RD">+2' in html
    assert '<span class="card wild" role="img" aria-label="wild card" data-card="WC">★</span>' in html
    assert html.count("card blue new") == 2
    assert html.count('class="player seat-2 on-turn" aria-label="Player 2"') == 1
    assert "&lt;b&gt;" in html
    assert '<span class="uno-skipped">skipped</span>' in html
    assert "drew 2" in html
    assert "· player 2 to play" in html
    assert "1 left" in html


def test_the_drawing_hides_the_others_cards() -> None:
    html = drawn(uno, uno.frame(table("R6 B1 | Y1 | G1 G2", draw="B2"), 1))
    assert html.count('aria-label="hidden card"') == 4
    assert "red 6" not in html
