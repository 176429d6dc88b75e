"""How a game ends, and what it gives whom (seed, section 2.3)."""

import pytest

from tests.games.bo.tables import table
from tournament.games import bo
from tournament.games.api import Result
from tournament.games.bo.plays import NO_PLAY, Play
from tournament.games.bo.state import BoState

LOST = (2, 2, 2, 2)
NOTHING = (0.0, 0.0, 0.0, 0.0)


def play(state: BoState, raw: Play) -> None:
    bo.apply(state, [(state.seat, bo.parse(state, state.seat, raw))])


@pytest.mark.parametrize("raw", [(2, "KD", (0, 2)), (2, "KD", (1, (0, 0)))])
@pytest.mark.parametrize("plays", [0, 4])
def test_emptying_the_stockpile_wins_at_once(raw: Play, plays: int) -> None:
    state = table("5S", seat=3, left=1, discards={(0, 0): "QS"}, plays=plays, draw="6C 7C")
    play(state, raw)
    assert bo.requests(state) == ()
    assert bo.result(state) == Result("won", (2, 2, 2, 1), (0.0, 0.0, 0.0, 1.0))
    assert state.hands == ([], [], [], ["5S"])


def test_a_stockpile_of_more_cards_is_not_won() -> None:
    state = table("5S", seat=3, left=2)
    play(state, (2, "KD", (0, 2)))
    assert bo.requests(state)[0].args[2][3] == ("3H", 1)


def test_the_game_is_lost_by_all_after_twenty_turns_each() -> None:
    state = table("AS", tops="9C 0D 3H 7D")
    for turn in range(80):
        assert bo.requests(state)[0].seat == turn % 4
        state.draw[:] = ["6C"] * 10
        state.hands[turn % 4][:] = ["AS"]
        play(state, NO_PLAY)
    assert bo.requests(state) == ()
    assert bo.result(state) == Result("turn limit", LOST, NOTHING)


def test_the_turn_limit_comes_before_being_stuck() -> None:
    state = table("AS", tops="9C 0D 3H 7D")
    state.turn = 80 - 4
    for _ in range(3):
        state.draw[:] = ["6C"] * 10
        state.hands[state.seat][:] = ["AS"]
        play(state, NO_PLAY)
    state.draw.clear()
    for hand in state.hands:
        hand[:] = ["AS"]
    play(state, NO_PLAY)
    assert bo.result(state) == Result("turn limit", LOST, NOTHING)


def test_the_game_is_abandoned_when_nothing_can_be_drawn_and_nobody_has_a_play() -> None:
    state = table("AS KD", tops="9C 0D 3H 7D", discards={(0, 0): "5C", (0, 1): "5C", (0, 2): "5C", (0, 3): "5C"})
    state.hands[2].append("AH")
    play(state, (0, "KD", (0, 0)))  # which an Ace can complete
    assert bo.requests(state)[0].seat == 0
    state.hands[2].clear()
    play(state, NO_PLAY)
    assert bo.result(state) == Result("abandoned", LOST, NOTHING)


@pytest.mark.parametrize(
    ("why", "draw", "third", "top"),
    [
        ("cards can be drawn", "AS AS AH AH AD AC", "", "0D"),
        ("another player can discard", "", "7H", "0D"),
        ("another player's stockpile fits", "", "", "KD"),
    ],
)
def test_the_game_goes_on_while_anybody_has_a_play(why: str, draw: str, third: str, top: str) -> None:
    state = table("AS", tops=f"9C {top} 3H 4D", draw=draw)
    state.hands[2].extend(third.split())
    play(state, NO_PLAY)
    assert bo.requests(state), why


def test_a_disqualified_player_alone_has_the_last_place_and_nobody_wins() -> None:
    state = table("7D")
    bo.disqualify(state, 1)
    assert bo.requests(state) == ()
    assert bo.result(state) == Result("disqualified", (2, 3, 2, 2), NOTHING)


def test_a_running_game_has_no_result() -> None:
    with pytest.raises(ValueError, match="still running"):
        bo.result(table("7D"))
