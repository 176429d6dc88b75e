"""What a viewer sees: frames, plays in words, and the drawing."""

from typing import Any

import pytest

from tests.games.drawn import drawn
from tests.games.phazed.tables import TWOS_AND_FIVES, play, table
from tournament.games import phazed
from tournament.games.faces import face
from tournament.games.phazed.state import HANDS, TURNS, HandEnd


@pytest.mark.parametrize(
    ("play", "words"),
    [
        ((1, None), "draws from the deck"),
        ((2, "0S"), "takes 10♠ from the discard pile"),
        ((3, TWOS_AND_FIVES), None),
        ((4, ("AD", (1, 0, 3))), "places A♦ at index 3 of their own group 0"),
        ((4, ("AD", (3, 1, 0))), "places A♦ at index 0 of player 3's group 1"),
        ((5, "JS"), "discards J♠"),
    ],
)
def test_a_play_in_words(play: Any, words: str | None) -> None:
    if words is None:
        play, words = (3, (1, [["2S", "2S", "2C"], ["AS", "5S", "5S"]])), "plays phase 1: 2♠ 2♠ 2♣, A♠ 5♠ 5♠"
    assert phazed.describe(1, play) == words


def test_a_seat_sees_its_own_hand_and_a_viewer_all() -> None:
    state = table("2S 3S", others={2: "JD"})
    hands = {seat: [player["hand"] for player in phazed.frame(state, seat)["players"]] for seat in (0, 2, None)}
    assert hands == {
        0: [["2S", "3S"], None, None, None],
        2: [None, None, ["JD"], None],
        None: [["2S", "3S"], ["KC"], ["JD"], ["KC"]],
    }
    assert [player["hand_size"] for player in phazed.frame(state, 3)["players"]] == [2, 1, 1, 1]


@pytest.mark.parametrize(("viewer", "card"), [(None, "6H"), (0, "6H"), (1, None)])
def test_a_card_from_the_deck_is_seen_by_who_drew_it(viewer: int | None, card: str | None) -> None:
    state = table("2S 3S", begun=False)
    play(state, (1, None))
    assert phazed.frame(state, viewer)["last"] == {
        "seat": 0,
        "kind": "deck",
        "card": card,
        "phase": None,
        "position": None,
    }


def test_the_groups_on_the_table_have_names_and_totals() -> None:
    state = table("2S 3S", TWOS_AND_FIVES, (6, "KS 0C 8C 3S QS 9S", "9H 9D 9D 6H AD"))
    groups = [player["groups"] for player in phazed.frame(state, None)["players"]]
    assert [(group["name"], group["total"]) for group in groups[0]] == [("Set of one value", None)] * 2
    assert [group["total"] for group in groups[1]] == [55, 34]
    assert groups[2:] == [[], []]


def test_how_a_hand_ended_is_shown_until_the_next_play() -> None:
    state = table("7S", TWOS_AND_FIVES, others={1: "AS 2S"})
    play(state, (5, "7S"))
    end = {"hand": 1, "ended": "out of cards", "by": 0, "points": [0, 27, 13, 13]}
    assert phazed.frame(state, None)["hand_end"] == end
    play(state, (1, None))
    assert phazed.frame(state, None)["hand_end"] is None


def test_the_drawing_shows_the_cards_the_seat_on_turn_and_the_card_placed() -> None:
    state = table("0H 2H 3H", TWOS_AND_FIVES, others={1: "JD QD"})
    play(state, (4, ("2H", (0, 0, 1))))
    html = drawn(phazed, phazed.frame(state, 0))
    assert face("0H") in html
    assert face("2H", "moved") in html
    assert html.count("seat-0 on-turn") == 1
    assert html.count('class="hand phazed-group moved"') == 1
    assert html.count('aria-label="hidden card"') == 4
    assert "on their own group 0" in html


@pytest.mark.parametrize(
    ("raws", "says"),
    [
        ([(1, None)], "from the deck"),
        ([(2, "9D")], "from the discard pile"),
        ([(1, None), (5, "7S")], "discarded"),
        ([(1, None), (3, (1, [["2S", "2S", "2C"], ["AS", "5S", "5S"]]))], "played phase 1"),
    ],
)
def test_the_drawing_says_what_was_played(raws: Any, says: str) -> None:
    state = table("2S 2S 2C AS 5S 5S 7S", begun=False)
    play(state, *raws)
    assert says in drawn(phazed, phazed.frame(state, None))


def test_the_drawing_shows_how_a_hand_ended() -> None:
    state = table("7S", TWOS_AND_FIVES, others={1: "AS 2S"})
    play(state, (5, "7S"))
    html = drawn(phazed, phazed.frame(state, None))
    assert "player 0 has no cards left" in html
    assert "<td>27</td>" in html


def test_the_drawing_shows_how_the_game_ended() -> None:
    state = table("7S", (7, "KC 2S AH 4C", "7C 7S AD 7D"))
    play(state, (5, "7S"))
    html = drawn(phazed, phazed.frame(state, None))
    assert '<p class="outcome">Player 0 wins: phase 7 is done, with 0 penalty points.</p>' in html
    assert html.count("winner") == 2, "as a class and in words"
    assert "on-turn" not in html
    state.ended, state.scores[:] = "hand limit", [30, 40, 30, 50]
    state.phase_status[:] = [3, 5, 2, 6]
    says = "Players 0 and 2 share the win: after 20 hands nobody has fewer than 30 penalty points."
    assert phazed.frame(state, None)["outcome"] == says
    state = table("7S")
    phazed.disqualify(state, 1)
    assert "Player 1 is disqualified." in drawn(phazed, phazed.frame(state, None))


def test_the_last_turn_is_the_fiftieth() -> None:
    state = table("5S 9D")
    state.hand_no, state.turns = HANDS - 1, TURNS - 1
    state.hand_ends = [HandEnd("deck empty", 0, (1, 1, 1, 1))] * (HANDS - 1)
    play(state, (5, "9D"))
    assert state.ended
    assert "Hand 20 of 20, turn 50 of 50" in drawn(phazed, phazed.frame(state, None))
