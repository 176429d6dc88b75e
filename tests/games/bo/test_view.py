"""What a viewer sees: frames, plays in words, and the drawing."""

from typing import Any

import pytest

from tests.games.bo.tables import table
from tests.games.drawn import drawn
from tournament.games import bo
from tournament.games.bo.state import BoState
from tournament.games.faces import face


@pytest.mark.parametrize(
    ("play", "words"),
    [
        ((0, "3H", (0, 2)), "plays 3♥ from the hand onto build pile 2"),
        ((0, "0S", (1, (1, 0))), "plays 10♠ from the hand onto their own discard pile 0"),
        ((2, "KD", (1, (3, 2))), "plays K♦ from the stockpile onto player 3's discard pile 2"),
        ((1, ("7C", (1, 3)), (0, 0)), "plays 7♣ from their own discard pile 3 onto build pile 0"),
        ((1, ("7C", (0, 3)), (1, (2, 1))), "plays 7♣ from player 0's discard pile 3 onto player 2's discard pile 1"),
        ((3, None, (None, None)), "has no play"),
    ],
)
def test_a_play_in_words(play: Any, words: str) -> None:
    assert bo.describe(1, play) == words


def played(raw: Any) -> BoState:
    state = table("2C AS 9D", builds={2: "KS"}, discards={(3, 1): "5H 0S"}, draw="6C 7C")
    state.hands[2].append("JD")
    bo.apply(state, [(0, bo.parse(state, 0, raw))])
    return state


def test_a_seat_sees_its_own_hand_and_a_viewer_all() -> None:
    state = played((0, "2C", (0, 0)))
    assert [player["hand"] for player in bo.frame(state, 2)["players"]] == [None, None, ["JD"], None]
    assert [player["hand"] for player in bo.frame(state, None)["players"]] == [["AS", "9D"], [], ["JD"], []]
    assert [player["hand_size"] for player in bo.frame(state, 3)["players"]] == [2, 0, 1, 0]


@pytest.mark.parametrize(
    ("raw", "last"),
    [
        ((0, "2C", (0, 0)), {"card": "2C", "build": 0, "discard": None, "completed": False}),
        ((0, "AS", (0, 2)), {"card": "AS", "build": 2, "discard": None, "completed": True}),
        ((0, "9D", (1, (3, 1))), {"card": "9D", "build": None, "discard": [3, 1], "completed": False}),
    ],
)
def test_the_last_play(raw: Any, last: Any) -> None:
    assert bo.frame(played(raw), None)["last"] == {"seat": 0, **last}


def test_before_the_first_play_there_is_no_last_one() -> None:
    assert bo.frame(table("7D"), None)["last"] is None


def test_the_drawing_shows_the_cards_the_seat_on_turn_and_the_card_moved() -> None:
    html = drawn(bo, bo.frame(played((0, "9D", (1, (3, 1)))), 0))
    assert face("9D") in html
    assert face("0D") in html
    assert html.count('class="player seat-0 on-turn"') == 1
    assert html.count('class="pile moved low"') == 1
    assert html.count('aria-label="hidden card"') == 1
    assert "2 cards to draw" in html
    assert "4 plays left" in html
    assert "2 cards to draw · player 0 to play" in html


def test_the_drawing_shows_how_the_game_ended() -> None:
    state = played((0, "2C", (0, 0)))
    bo.disqualify(state, 1)
    html = drawn(bo, bo.frame(state, None))
    assert '<p class="outcome">Player 1 is disqualified.</p>' in html
    assert "on-turn" not in html


@pytest.mark.parametrize(
    ("ended", "says"),
    [
        ("won", "Player 2 wins: the stockpile is empty."),
        ("abandoned", "Nobody wins: no card is left to draw, and nobody has a play."),
        ("turn limit", "Nobody wins: each player has had twenty turns."),
    ],
)
def test_why_the_game_ended_in_a_sentence(ended: str, says: str) -> None:
    state = table("7D")
    assert bo.frame(state, None)["outcome"] == ""
    state.ended, state.decided_by = ended, 2
    assert bo.frame(state, None)["outcome"] == says
