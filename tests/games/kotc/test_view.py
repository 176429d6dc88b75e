"""What a viewer sees: frames, plays in words, and the drawing."""

from typing import Any

import pytest

from tests.games.drawn import drawn
from tests.games.kotc.tables import play, table
from tournament.games import kotc
from tournament.games.faces import face


@pytest.mark.parametrize(
    ("parsed", "words"),
    [
        ("6H", "plays the 6 of hearts"),
        ("0S", "plays the 10 of spades"),
        ("8C", "plays an Eight and declares clubs"),
        (None, "skips the turn"),
    ],
)
def test_a_play_in_words(parsed: Any, words: str) -> None:
    assert kotc.describe(1, parsed) == words


def test_a_seat_sees_its_own_hand_and_a_viewer_all() -> None:
    state = table("6H AS | 2C 3C")
    assert [player["hand"] for player in kotc.frame(state, 1)["players"]] == [None, ["2C", "3C"]]
    assert [player["hand"] for player in kotc.frame(state, None)["players"]] == [["6H", "AS"], ["2C", "3C"]]


@pytest.mark.parametrize(
    ("hands", "draw", "raws", "texts", "new"),
    [
        ("6H AS | 2H", "", ["6H"], ["plays the 6 of hearts"], [0, 0]),
        (
            "6H AS | 2S",
            "3D 4H",
            ["6H"],
            ["plays the 6 of hearts", "has no card that fits and draws 2 cards"],
            [0, 2],
        ),
        ("6H AS | 2C", "3D", ["draw", None], ["chooses to draw a card", "skips the turn"], [1, 0]),
        (
            "6H AS | 2C",
            "3C 4H",
            ["draw", "draw", "3C"],
            ["chooses to draw a card"] * 2 + ["plays the 3 of clubs"],
            [1, 0],
        ),
        ("6H AS | KS", "", [None], ["skips the turn", "passes: no card fits, and none is left to draw"], [0, 0]),
    ],
)
def test_what_a_play_led_to(hands: str, draw: str, raws: list[Any], texts: list[str], new: list[int]) -> None:
    frame = kotc.frame(play(table(hands, draw=draw), *raws), None)
    assert [event["text"] for event in frame["events"]] == texts
    assert [player["new"] for player in frame["players"]] == new


def test_a_shuffle_is_told() -> None:
    frame = kotc.frame(play(table("6H AS | 2S", "2D 6C"), "6H"), None)
    told = "finds the draw pile empty and shuffles 2 cards from under the top discard into it"
    assert [event["text"] for event in frame["events"]][1] == told


def test_a_new_deal_is_told() -> None:
    frame = kotc.frame(play(table("6H | 2C", idle=199), None), None)
    assert (
        frame["events"][1]["text"]
        == "begins deal 2: nobody played for 200 turns, and no single player had the fewest cards"
    )
    assert (frame["deal"], frame["idle"]) == (2, 0)
    assert "deal 2" in drawn(kotc, frame)


@pytest.mark.parametrize(
    ("frame", "outcome"),
    [
        (lambda: play(table("6H | 2H"), "6H"), "Player 0 wins with an empty hand."),
        (
            lambda: play(table("6H | 2C 3C", idle=199), None),
            "Nobody played for 200 turns: Player 0 wins, holding 1 card against 2.",
        ),
        (
            lambda: play(table("6H 2H | 2C", turn=2000), None),
            "Turn 2000 was the last: Player 1 wins, holding 1 card against 2.",
        ),
        (lambda: play(table("6H | 2C", turn=2000), None), "Turn 2000 was the last, and both hold 1 card: nobody wins."),
        (lambda: table("6H | 2C"), ""),
    ],
)
def test_why_it_ended(frame: Any, outcome: str) -> None:
    assert kotc.frame(frame(), None)["outcome"] == outcome


@pytest.mark.parametrize(("turn", "idle"), [(2000, 0), (300, 199)])
def test_the_last_turn_shown_is_one_that_was_played(turn: int, idle: int) -> None:
    frame = kotc.frame(play(table("6H | 2C 3C", turn=turn, idle=idle), None), None)
    assert (frame["turn"], bool(frame["ended"])) == (turn, True)


def test_who_is_disqualified() -> None:
    state = table("6H | 2C")
    kotc.disqualify(state, 1)
    frame = kotc.frame(state, None)
    assert (frame["outcome"], frame["on_turn"]) == ("Player 1 is disqualified.", None)
    assert 'class="player seat-1 disqualified"' in drawn(kotc, frame)


def test_the_drawing_shows_the_table() -> None:
    html = drawn(kotc, kotc.frame(play(table("8H AS | 2S", draw="4C 3D"), "8D"), None), ["A", "<b>"])
    assert html.count(face("8H")) == 1
    assert "diamonds, declared" in html
    assert "Turn 2 · player 1 to play" in html
    assert 'class="card red new" role="img" aria-label="3 of diamonds, just drawn"' in html
    assert html.count('class="player seat-1 on-turn" aria-label="Player 1"') == 1
    assert "&lt;b&gt;" in html
    assert "3 cards · drew 2" in html
    assert "Player 0 plays an Eight and declares diamonds" in html


def test_the_drawing_hides_the_others_cards() -> None:
    html = drawn(kotc, kotc.frame(table("6H AS | 2S", draw="3D"), 1))
    assert html.count('aria-label="hidden card"') == 2
    assert "6 of hearts" not in html
