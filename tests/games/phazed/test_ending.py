"""How a hand and a game end, and what that gives whom (seed, "The End of a Hand")."""

from random import Random

import pytest

from tests.games.phazed.tables import TWOS_AND_FIVES, play, table
from tournament.games import phazed
from tournament.games.api import Result
from tournament.games.phazed.plays import Play
from tournament.games.phazed.state import HandEnd, PhazedState

OTHERS = {1: "AS 2S", 2: "KH", 3: "0C JC"}
LAST = (7, "KC 2S AH 4C", "7C 7S AD 7D")


def test_discarding_the_last_card_ends_the_hand() -> None:
    state = table("7S", TWOS_AND_FIVES, others=OTHERS)
    play(state, (5, "7S"))
    assert state.hand_ends == [HandEnd("out of cards", 0, (0, 27, 13, 21))]
    assert state.scores == [0, 27, 13, 21]


def test_placing_the_last_card_ends_the_hand() -> None:
    state = table("2H", TWOS_AND_FIVES, others=OTHERS)
    play(state, (4, ("2H", (0, 0, 3))))
    assert state.hand_ends == [HandEnd("out of cards", 0, (0, 27, 13, 21))]


def test_a_phase_may_take_the_last_cards() -> None:
    state = table("2S 2S 2C AS 5S 5S", others=OTHERS)
    play(state, (3, (1, [["2S", "2S", "2C"], ["AS", "5S", "5S"]])))
    assert state.hand_ends == [HandEnd("out of cards", 0, (0, 27, 13, 21))]
    assert state.phase_status == [1, 0, 0, 0]


def test_the_hand_goes_on_until_whoever_drew_the_last_card_discards() -> None:
    state = table("7S 8S", begun=False, deck="3H", others=OTHERS)
    play(state, (1, None))
    assert state.hand_ends == []
    play(state, (5, "8S"))
    assert state.hand_ends == [HandEnd("deck empty", 0, (10, 27, 13, 21))]


def test_who_has_no_cards_left_ends_a_hand_even_with_the_last_of_the_deck() -> None:
    state = table("7S", TWOS_AND_FIVES, begun=False, deck="2H", others=OTHERS)
    play(state, (1, None), (4, ("2H", (0, 0, 0))), (5, "7S"))
    assert state.hand_ends[0].ended == "out of cards"


def test_a_hand_ends_after_fifty_turns_each() -> None:
    state = phazed.deal(Random(3), 4)
    for _ in range(199):
        play(state, (2, state.pile[-1]))
        play(state, (5, state.hands[state.seat][0]))
    assert state.hand_ends == []
    play(state, (2, state.pile[-1]))
    play(state, (5, state.hands[state.seat][0]))
    assert [(end.ended, end.by) for end in state.hand_ends] == [("turn limit", 0)]


def test_points_accumulate_over_hands() -> None:
    state = table("7S", TWOS_AND_FIVES, others=OTHERS)
    state.scores[:] = [100, 20, 3, 0]
    play(state, (5, "7S"))
    assert state.scores == [100, 47, 16, 21]


def over(state: PhazedState, raw: Play, scores: list[int]) -> Result:
    state.scores[:] = scores
    play(state, raw)
    assert phazed.requests(state) == ()
    return phazed.result(state)


def test_who_completed_all_phases_wins_whatever_the_points() -> None:
    state = table("7S", LAST, others=OTHERS)
    result = over(state, (5, "7S"), [900, 10, 20, 0])
    assert result == Result("phases completed", (1, 4, 3, 2), (-900.0, -37.0, -33.0, -21.0))


def test_of_several_who_completed_all_phases_the_lowest_score_wins() -> None:
    state = table("7S", LAST, LAST, others=OTHERS)
    assert over(state, (5, "7S"), [50, 0, 0, 0]).places == (2, 1, 3, 4)
    state = table("7S", LAST, LAST, LAST, others=OTHERS)
    assert over(state, (5, "7S"), [27, 0, 14, 0]).places == (1, 1, 1, 4)


def test_the_game_goes_on_until_the_end_of_the_hand_with_the_seventh_phase() -> None:
    state = table("KC 2S AH 4C 7C 7S AD 7D 3S 3D", status=(6, 0, 0, 0))
    play(state, (3, (7, [["KC", "2S", "AH", "4C"], ["7C", "7S", "AD", "7D"]])), (5, "3S"))
    assert phazed.requests(state)
    with pytest.raises(ValueError, match="running"):
        phazed.result(state)


def test_after_twenty_hands_the_lowest_score_wins() -> None:
    state = phazed.deal(Random(5), 4)
    while phazed.requests(state):
        play(state, (1, None))
        play(state, (5, state.hands[state.seat][0]))
    assert len(state.hand_ends) == 20
    result = phazed.result(state)
    assert result.ended == "hand limit"
    assert [state.scores[seat] for seat in sorted(range(4), key=lambda seat: result.places[seat])] == sorted(
        state.scores
    )
    assert result.places.count(1) == state.scores.count(min(state.scores))
    assert state.scores == [sum(end.points[seat] for end in state.hand_ends) for seat in range(4)]


def test_after_twenty_hands_fewer_points_count_more_than_more_phases() -> None:
    state = table("7S", TWOS_AND_FIVES, status=(0, 6, 5, 5), others=OTHERS)
    state.hand_ends += [HandEnd("deck empty", 0, (0, 0, 0, 0))] * 19
    assert over(state, (5, "7S"), [60, 0, 20, 12]).places == (4, 1, 2, 2)


def test_a_disqualified_seat_has_the_last_place_and_nobody_the_first() -> None:
    state = table("7S", TWOS_AND_FIVES)
    state.scores[:] = [50, 20, 30, 10]
    phazed.disqualify(state, 3)
    assert phazed.requests(state) == ()
    assert phazed.result(state) == Result("disqualified", (2, 2, 2, 3), (-50.0, -20.0, -30.0, -50.0))
