"""How a game ends: seed, "How to Play", and RULES.md."""

from random import Random

import pytest

from tests.games.kotc.tables import play, table
from tournament.games import kotc
from tournament.games.kotc.state import IDLE_TURNS, TURNS


def test_an_empty_hand_wins() -> None:
    state = play(table("6H | 2H 9D"), "6H")
    result = kotc.result(state)
    assert (result.ended, result.places, result.points) == ("won", (1, 2), (0, -2))
    assert kotc.requests(state) == ()


def test_the_second_player_wins() -> None:
    result = kotc.result(play(table("6H 9D | 2H"), "6H", "2H"))
    assert (result.ended, result.places, result.points) == ("won", (2, 1), (-1, 0))


def test_an_eight_may_be_the_last_card() -> None:
    assert kotc.result(play(table("8H | 2H 9D"), "8D")).ended == "won"


@pytest.mark.parametrize(("hands", "places"), [("6H | 2C 9D", (1, 2)), ("6H 2H | 2C", (2, 1))])
def test_two_hundred_turns_without_a_card(hands: str, places: tuple[int, int]) -> None:
    state = play(table(hands), *[None] * (IDLE_TURNS - 1))
    assert state.ended is None
    result = kotc.result(play(state, None))
    assert (result.ended, result.places) == ("stalled", places)
    assert sorted(result.points) == [-2, -1]


def test_a_card_played_counts_anew() -> None:
    state = play(table("6H 2H | 2C 3H"), *[None] * (IDLE_TURNS - 2), "6H", *[None] * (IDLE_TURNS - 1))
    assert (state.ended, state.idle) == (None, IDLE_TURNS - 1)


def test_turns_that_pass_count() -> None:
    state = table("7C 3C | 2S 3D 4D", "6C", idle=IDLE_TURNS - 2)
    assert kotc.result(play(state, None)).ended == "stalled"


def test_as_many_cards_are_dealt_anew() -> None:
    state = kotc.deal(Random(5), 2)
    before = sorted(kotc.cards(state))
    while state.deals == 1:
        assert len(state.hands[0]) == len(state.hands[1]) == 8
        kotc.apply(state, [(state.seat, None)])
    assert (state.turn, state.seat, state.ended) == (IDLE_TURNS + 1, 0, None)
    assert sorted(kotc.cards(state)) == before
    assert len(state.hands[1]) == 8
    assert len(state.discard) == 1
    assert kotc.requests(state)


def test_a_new_deal_follows_from_the_seed() -> None:
    first, second = (play(kotc.deal(Random(5), 2), *[None] * IDLE_TURNS) for _ in range(2))
    assert first.deals == second.deals == 2
    assert first.hands == second.hands
    assert first.hands != kotc.deal(Random(5), 2).hands


@pytest.mark.parametrize(
    ("hands", "places", "points"),
    [
        ("6H 2H | 2C", (2, 1), (-2, -1)),
        ("6H | 2C 2H", (1, 2), (-1, -2)),
        ("6H | 2C", (2, 2), (-1, -1)),
        ("6H 2H 3H | 2C | 3C 4C", (3, 1, 2), (-3, -1, -2)),
        ("6H 2H 3H | 2C | 3C", (2, 2, 2), (-3, -1, -1)),
    ],
)
def test_the_last_turn(hands: str, places: tuple[int, ...], points: tuple[int, ...]) -> None:
    result = kotc.result(play(table(hands, turn=TURNS), None))
    assert (result.ended, result.places, result.points) == ("turn limit", places, points)


def test_bots_that_never_play_end() -> None:
    for seed in range(20):
        state = kotc.deal(Random(seed), 2)
        while kotc.requests(state):
            kotc.apply(state, [(state.seat, None)])
        assert kotc.result(state).ended in ("stalled", "turn limit")


@pytest.mark.parametrize(("seat", "places"), [(0, (3, 2)), (1, (2, 3))])
def test_a_disqualification(seat: int, places: tuple[int, int]) -> None:
    state = table("6H | 2C")
    kotc.disqualify(state, seat)
    result = kotc.result(state)
    assert (result.ended, result.places, result.points) == ("disqualified", places, (0, 0))
    assert kotc.requests(state) == ()


def test_a_running_game_has_no_result() -> None:
    with pytest.raises(ValueError, match="running"):
        kotc.result(table("6H | 2C"))
