"""What a viewer sees: frames, plays in words, and the drawing."""

from typing import Any

import pytest

from tests.games.drawn import drawn
from tests.games.go.tables import grouping, groups, hands, play_all
from tests.games.go.test_ending import MADE, end
from tournament.games import go
from tournament.games.faces import face


@pytest.mark.parametrize(
    ("play", "words"),
    [
        ("3H", "discards 3♥"),
        ("0S", "discards 10♠"),
        (groups("KC KD, 2S"), "groups K♣ K♦: 24 points"),
        (groups("8H AS 5C AH, AD"), "groups 5♣ A♥ A♠ 8♥: 6 points"),
        (groups("3S 2H 4D, 8D"), "groups 2♥ 3♠ 4♦: 1 point"),
        (groups("KC KD, 8H 8S"), "groups K♣ K♦, 8♥ 8♠: 42 points"),
        (groups("2S, 8D"), "groups nothing: -10 points"),
    ],
)
def test_a_play_in_words(play: Any, words: str) -> None:
    assert go.describe(1, play) == words


def early() -> Any:
    return play_all(hands("KC 3C", "4C 5C", "6C 7C", "8C 9C"), "KC", "5C", "6C", "9C")


def test_a_seat_sees_its_own_hand_and_a_viewer_all() -> None:
    assert [player["hand"] for player in go.frame(early(), 2)["players"]] == [None, None, ["4C"], None]
    assert [player["hand"] for player in go.frame(early(), None)["players"]] == [["8C"], ["3C"], ["4C"], ["7C"]]
    assert [player["hand_size"] for player in go.frame(early(), 2)["players"]] == [1] * 4


def test_discards_are_open_with_what_they_are_worth() -> None:
    players = go.frame(early(), 2)["players"]
    assert [(player["discards"], player["best"]) for player in players] == [
        (["KC"], -13),
        (["5C"], -5),
        (["6C"], -6),
        (["9C"], -9),
    ]


def test_the_end_shows_groups_scores_and_what_was_possible() -> None:
    poor = MADE[0].replace("KC KD", "KC, KD")
    player = go.frame(end(poor, *MADE[1:]), 3)["players"][0]
    assert player["groups"][:2] == [{"cards": ["KC"], "points": -13}, {"cards": ["KD"], "points": -13}]
    assert (player["score"], player["best"], player["place"]) == (10, 79, 4)


def test_the_drawing_of_a_turn() -> None:
    html = drawn(go, go.frame(early(), 0))
    assert "Turn 2 of 10" in html
    assert face("KC", "moved") in html
    assert html.count(" moved") == 4
    assert html.count('aria-label="hidden card"') == 3
    assert "worth −13 points now" in html


def test_the_drawing_before_and_at_the_grouping() -> None:
    assert drawn(go, go.frame(hands("2C", "3C", "4C", "5C"), None)).count("none yet") == 4
    assert "everybody groups" in drawn(go, go.frame(grouping(), None))


def test_the_drawing_of_the_end() -> None:
    html = drawn(go, go.frame(end(MADE[0].replace("KC KD", "KC, KD"), *MADE[1:]), None))
    assert "Player 2 wins with " in html
    assert html.count(" winner") == 1
    assert "place 4, 10 points" in html
    assert "The best grouping of these cards scores 79." in html
    assert html.count("Nothing better was possible") == 1


def test_the_drawing_of_a_shared_win_and_of_a_disqualification() -> None:
    state = end(*MADE)
    state.groupings = [groups(text) for text in ("KC KD", "2C", "KS KH", "3C")]
    assert "Players 0 and 2 share the win with 26 points." in drawn(go, go.frame(state, None))
    state = grouping()
    go.disqualify(state, 1)
    html = drawn(go, go.frame(state, None))
    assert "Player 1 is disqualified." in html
    assert html.count(' disqualified"') == 1
