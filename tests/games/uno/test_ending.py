"""How a game ends and who wins: seed, "Deciding the Game Winner"."""

import pytest

from tests.games.uno.tables import play, table
from tournament.games import uno


def test_an_empty_hand_wins() -> None:
    result = uno.result(play(table("R6 | Y1 Y2 | B9 | B8 B1"), 0))
    assert (result.ended, result.places, result.points) == ("won", (1, 2, 3, 3), (0, -3, -9, -9))


def test_a_zero_in_the_hand_is_not_an_empty_hand() -> None:
    state = play(table("R0 | R6", seat=1), 0)
    assert (state.decided_by, uno.result(state).places) == (1, (2, 1))


@pytest.mark.parametrize("card", ["WC", "WD"])
def test_going_out_with_a_wild_card_asks_for_no_colour(card: str) -> None:
    state = play(table(f"{card} | Y1", draw="B1 B2 B3 B4 B5"), 0)
    assert (state.ended, state.decided_by, state.hands[1], uno.requests(state)) == ("won", 0, ["Y1"], ())


def test_a_drawn_card_cannot_empty_the_hand() -> None:
    assert play(table("B1 | Y1", draw="R1 B2"), -2).ended is None


@pytest.mark.parametrize(
    ("hands", "winner"),
    [("R6 WC | Y1 | B9", 1), ("R6 B1 | Y1 | B2", 0), ("R6 B9 | Y3 | B2 B1", 1)],
    ids=["fewest points", "a tie for the first seat", "another tie"],
)
def test_after_the_last_turn_the_fewest_points_win(hands: str, winner: int) -> None:
    state = play(table(hands, draw="B5", turn=100), 0)
    assert (state.ended, state.decided_by) == ("turn limit", winner)


def test_a_turn_lost_counts() -> None:
    state = play(table("RS B9 | Y1 | R2", turn=99), 0)
    assert (state.ended, state.turn, state.decided_by) == ("turn limit", 100, 1)


def test_a_penalty_after_the_last_turn_is_not_drawn() -> None:
    state = play(table("RD B9 | Y1 | R2", turn=100, draw="B1 B2 B3"), 0)
    assert (state.ended, state.hands[1]) == ("turn limit", ["Y1"])


def test_all_pass() -> None:
    state = play(table("R1 Y8 | Y2 | B3 | B9"), 0)
    assert (state.ended, state.turn, state.decided_by) == ("all passed", 5, 1)
    assert state.history.items[1:] == [(1, "pass", None), (2, "pass", None), (3, "pass", None), (0, "pass", None)]
    assert uno.result(state).places == (3, 1, 2, 4)


def test_a_play_or_a_draw_begins_the_passes_anew() -> None:
    state = play(table("R1 B8 | Y2 | B3 | R9 G9", passes=3), 0)
    assert (state.ended, state.seat, state.passes) == (None, 3, 2)
    assert play(table("B1 | Y8 | B3", draw="B2", passes=2), -2).ended == "all passed"


@pytest.mark.parametrize("seat", range(4))
def test_a_disqualification(seat: int) -> None:
    state = table("R1 | Y2 | B3 | B9")
    uno.disqualify(state, seat)
    result = uno.result(state)
    assert [place == 3 for place in result.places] == [each == seat for each in range(4)]
    assert (set(result.places), set(result.points)) == ({2, 3}, {0.0})


def test_a_running_game_has_no_result() -> None:
    with pytest.raises(ValueError, match="running"):
        uno.result(table("R1 | Y2"))
