"""What follows a play: the card moves, piles are completed, hands are refilled, turns end."""

from random import Random
from typing import Any

import pytest

from tests.games.bo.tables import table
from tournament.games import bo
from tournament.games.bo.state import BoState

NO_PLAY = (3, None, (None, None))
DRAW = "6C 7C 8C 9C 0C JC QC"


def play(state: BoState, *plays: Any) -> None:
    for raw in plays:
        (request,) = bo.requests(state)
        bo.apply(state, [(request.seat, bo.parse(state, request.seat, raw))])


def test_the_deal() -> None:
    state = bo.deal(Random(7), 4)
    assert [len(pile) for pile in state.stockpiles] == [8, 8, 8, 8]
    assert [len(hand) for hand in state.hands] == [5, 0, 0, 0]
    assert len(state.draw) == 104 - 4 * 8 - 5
    (request,) = bo.requests(state)
    assert (request.seat, request.function) == (0, "comp10001bo_play")
    seat, hand, stockpiles, discards, builds, history = request.args
    assert (seat, hand, history.items) == (0, state.hands[0], [])
    assert stockpiles == tuple((pile[-1], 8) for pile in state.stockpiles)
    assert discards == (([], [], [], []),) * 4
    assert builds == ([], [], [], [])


@pytest.mark.parametrize("seats", [0, 1, 3, 5])
def test_only_four_can_play(seats: int) -> None:
    with pytest.raises(ValueError, match="for four players"):
        bo.deal(Random(0), seats)


def test_cards_move_from_the_hand_the_stockpile_and_the_discard_piles() -> None:
    state = table("2C 9D 8H", tops="3C 0D 3H KD", discards={(2, 1): "5H 4C"}, builds={3: "KH"})
    play(state, (0, "2C", (0, 0)), (2, "3C", (0, 0)), (1, ("4C", (2, 1)), (0, 0)), (0, "9D", (1, (2, 1))))
    assert state.builds[0] == ["2C", "3C", "4C"]
    assert state.discards[2][1] == ["5H", "9D"]
    assert len(state.stockpiles[0]) == 7
    assert state.hands[0] == ["8H"]
    assert state.history.items[-1] == (0, (0, "9D", (1, (2, 1))))


def test_one_of_two_equal_cards_is_played() -> None:
    state = table("2C 2C 9D", draw=DRAW)
    play(state, (0, "2C", (0, 1)))
    assert state.hands[0] == ["2C", "9D"]


@pytest.mark.parametrize(
    ("last", "seat"),
    [
        ((0, "7D", (1, (0, 0))), 1),  # starts a discard pile
        ((0, "7D", (1, (3, 3))), 1),  # breaks a sequence
        ((0, "9D", (1, (3, 3))), 0),  # goes on with it
        ((0, "2D", (0, 0)), 0),  # builds
    ],
)
def test_starting_or_breaking_a_discard_pile_ends_the_turn(last: Any, seat: int) -> None:
    state = table("7D 9D 2D", discards={(3, 3): "0S"}, draw=DRAW)
    play(state, last)
    assert bo.requests(state)[0].seat == seat


@pytest.mark.parametrize(("plays", "seat"), [(0, 0), (3, 0), (4, 1)])
def test_the_fifth_play_ends_the_turn(plays: int, seat: int) -> None:
    state = table("2D 9D", plays=plays, draw=DRAW)
    play(state, (0, "2D", (0, 0)))
    assert bo.requests(state)[0].seat == seat


def test_having_no_play_ends_the_turn_and_is_kept_in_the_history() -> None:
    state = table("AS", draw=DRAW)
    play(state, NO_PLAY)
    assert bo.requests(state)[0].seat == 1
    assert bo.requests(state)[0].args[-1].items == [(0, NO_PLAY)]


def test_after_the_last_seat_the_first_is_on_turn() -> None:
    state = table("7D", seat=3, draw=DRAW)
    play(state, (0, "7D", (1, (3, 0))))
    assert bo.requests(state)[0].seat == 0


@pytest.mark.parametrize(
    ("held", "draw", "after"),
    [("", DRAW, "QC JC 0C 9C 8C"), ("5S 5H", DRAW, "5S 5H QC JC 0C"), ("5S", "6C 7C", "5S 7C 6C"), ("5S", "", "5S")],
)
def test_the_hand_is_made_up_to_five_at_the_start_of_a_turn(held: str, draw: str, after: str) -> None:
    state = table("7D 2S", draw=draw)
    state.hands[1].extend(held.split())
    play(state, (0, "7D", (1, (0, 0))))
    assert state.hands[1] == after.split()
    assert state.hands[0] == ["2S"]


@pytest.mark.parametrize(
    ("plays", "draw", "hand"),
    [
        (0, DRAW, "QC JC 0C 9C 8C"),
        (3, DRAW, "QC JC 0C 9C 8C"),
        (0, "6C 7C", "7C 6C"),
        (0, "", ""),
        (4, DRAW, ""),  # the turn is over; the next one starts with a refill
    ],
)
def test_an_empty_hand_is_filled_at_once_if_plays_remain(plays: int, draw: str, hand: str) -> None:
    state = table("2D", plays=plays, draw=draw, tops="9C 0D 3H KD")
    state.hands[1].append("7H")  # so that the game is not abandoned
    play(state, (0, "2D", (0, 0)))
    assert state.hands[0] == hand.split()


def test_a_hand_emptied_while_nothing_could_be_drawn_is_filled_once_a_completed_pile_brings_cards() -> None:
    state = table("2D", discards={(1, 1): "7S 2H"}, builds={1: "KH QD", 2: "2H 3D"})
    state.hands[1].append("7H")
    play(state, (0, "2D", (0, 0)))
    assert state.hands[0] == []
    play(state, (1, ("2H", (1, 1)), (0, 2)))
    assert sorted(state.hands[0]) == ["2H", "2H", "3D"]
    assert state.draw == []


@pytest.mark.parametrize("card", ["2S", "AS", "AC"])
def test_a_completed_build_pile_is_shuffled_into_the_draw_pile_at_once(card: str) -> None:
    state = table(f"{card} 9D", builds={1: "2C 3S"}, draw=DRAW)
    play(state, (0, card, (0, 1)))
    assert state.builds[1] == []
    assert sorted(state.draw) == sorted([*DRAW.split(), "2C", "3S", card])
    assert bo.requests(state)[0].seat == 0


@pytest.mark.parametrize(("card", "pile"), [("KS", "KC QC"), ("AH", "KH"), ("2D", "2H 3H")])
def test_twos_kings_and_aces_complete_a_pile(card: str, pile: str) -> None:
    state = table(f"{card} 9D", builds={1: pile})
    play(state, (0, card, (0, 1)))
    assert state.builds[1] == []


@pytest.mark.parametrize("card", ["2S", "KH"])
def test_a_card_that_starts_a_pile_does_not_complete_it(card: str) -> None:
    state = table(f"{card} 9D")
    play(state, (0, card, (0, 1)))
    assert state.builds[1] == [card]


def test_the_same_seed_shuffles_a_completed_pile_alike() -> None:
    draws = []
    for _ in range(2):
        state = table("AS 9D", builds={1: "2C 3S"}, draw=DRAW)
        play(state, (0, "AS", (0, 1)))
        draws.append(state.draw)
    assert draws[0] == draws[1]
