"""What a play does: seed, Table 1 and "Program Flow"."""

from random import Random
from typing import Any

import pytest

from tests.games.uno.tables import play, table
from tournament.games import uno
from tournament.games.uno.state import deal_in_order

FOUR = "R6 RS RR RD WC WD G1 | B1 B2 | G2 G3 | Y4 Y5"
PILE = "B9 B8 B7 B6 B5 B4"


@pytest.mark.parametrize(
    ("raws", "next_seat", "turn", "sizes"),
    [
        ([0], 1, 2, [6, 2, 2, 2]),
        ([1], 2, 3, [6, 2, 2, 2]),
        ([2], 3, 2, [6, 2, 2, 2]),
        ([3], 2, 3, [6, 4, 2, 2]),
        ([4, "G"], 1, 2, [6, 2, 2, 2]),
        ([5, "G"], 2, 3, [6, 6, 2, 2]),
        ([-2], 1, 2, [8, 2, 2, 2]),
    ],
    ids=["number", "skip", "reverse", "draw 2", "wild card", "wild draw 4", "drawing"],
)
def test_who_is_next(raws: list[Any], next_seat: int, turn: int, sizes: list[int]) -> None:
    state = play(table(FOUR, draw=PILE), *raws)
    assert (state.seat, state.turn, [len(hand) for hand in state.hands]) == (next_seat, turn, sizes)


@pytest.mark.parametrize(
    ("direction", "card", "next_seat"), [(1, 0, 1), (-1, 0, 3), (1, 2, 3), (-1, 2, 1), (-1, 1, 2), (-1, 3, 2)]
)
def test_the_direction(direction: int, card: int, next_seat: int) -> None:
    assert play(table(FOUR, draw=PILE, direction=direction), card).seat == next_seat


@pytest.mark.parametrize("card", ["RS", "RR", "RD"])
def test_of_two_players_the_other_is_skipped(card: str) -> None:
    state = play(table(f"{card} R1 | B1", draw=PILE), 0)
    assert (state.seat, state.turn) == (0, 3)


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_a_reverse_skips_nobody_among_more(seats: int) -> None:
    state = play(table("RR R1 " + "| B1 B2 " * (seats - 1), draw=PILE), 0)
    assert (state.seat, state.turn) == (seats - 1, 2)


@pytest.mark.parametrize(
    ("draw", "hand", "top"),
    [
        ("R7 B1", ["G1"], "R7"),  # matches, so it is played
        ("B5 R1", ["G1"], "B5"),
        ("B7 R1", ["G1", "B7"], "R5"),  # does not match
    ],
)
def test_a_drawn_card_that_matches_is_played_at_once(draw: str, hand: list[str], top: str) -> None:
    state = play(table("G1 | Y1", draw=draw), -2)
    assert (state.hands[0], state.discard[-1], state.seat) == (hand, top, 1)


def test_a_drawn_wild_card_is_played_and_its_colour_asked() -> None:
    state = play(table("G1 | Y1", draw="WD B1 B2 B3 B4 B5"), -2)
    (request,) = uno.requests(state)
    assert (request.seat, request.function, request.args[1:4]) == (0, "uno_choose_colour", (["G1"], "WD", "W"))
    play(state, "Y")
    assert (state.colour, state.seat, state.hands[1]) == ("Y", 0, ["Y1", "B1", "B2", "B3", "B4"])


def test_a_drawn_draw_2_strikes() -> None:
    state = play(table("G1 | Y1 | B9", draw="RD B1 B2 B3"), -2)
    assert (state.seat, state.hands[1]) == (2, ["Y1", "B1", "B2"])


@pytest.mark.parametrize(("left", "drawn"), [("", []), ("B1", ["B1"]), ("B1 B2 B3", ["B1", "B2"])])
def test_a_penalty_is_drawn_as_far_as_the_pile_goes(left: str, drawn: list[str]) -> None:
    state = play(table("RD R1 | Y1 | R9", draw=left), 0)
    assert (state.seat, state.hands[1]) == (2, ["Y1", *drawn])


def test_who_can_neither_play_nor_draw_passes_unasked() -> None:
    state = play(table("R1 R2 | Y2 | G3 | R9 B9"), 0)
    assert (state.seat, state.turn) == (3, 4)
    assert state.history.items == [(0, "play", "R1"), (1, "pass", None), (2, "pass", None)]


def test_who_can_play_is_asked_with_an_empty_draw_pile_too() -> None:
    assert play(table("R1 R2 | Y1 | G3"), 0).seat == 1


def test_the_history_tells_everything_in_order() -> None:
    state = play(table("WD R9 | Y1 | B9 G3", draw="B1 B2 B3 B4 B5"), 0, "B", 0, -2)
    assert state.history.items == [
        (0, "play", "WD"),
        (0, "colour", "B"),
        (1, "draw", 4),
        (1, "skip", None),
        (2, "play", "B9"),
        (0, "draw", 1),
        (0, "play", "B5"),
    ]


def test_what_a_player_is_given() -> None:
    state = table("R6 B1 | B2 | G2 G3 G4", top="WC", colour="R", draw=PILE)
    (request,) = uno.requests(state)
    assert (request.seat, request.function) == (0, "uno_pick_card")
    assert request.args[:6] == (0, ["R6", "B1"], "WC", "R", 6, [2, 1, 3])
    assert request.args[6] is state.history


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_the_deal(seats: int) -> None:
    state = uno.deal(Random(1), seats)
    assert [len(hand) for hand in state.hands] == [7] * seats
    assert (len(state.draw), len(state.discard), state.seat, state.turn) == (72 - 7 * seats - 1, 1, 0, 1)
    assert state.colour == state.discard[0][0]


@pytest.mark.parametrize("seats", [-1, 0, 1, 6])
def test_other_tables_are_refused(seats: int) -> None:
    with pytest.raises(ValueError, match="two to five"):
        uno.deal(Random(1), seats)


@pytest.mark.parametrize("first", ["RS", "RR", "RD", "WC", "WD"])
def test_the_first_discard_has_no_effect(first: str) -> None:
    pack = [card for card in uno.pack.PACK if card != first]
    state = deal_in_order([*pack[:14], first, *pack[14:]], 2)
    assert (state.discard, state.seat, state.skipped, state.to_draw, state.direction) == ([first], 0, False, 0, 1)
    assert state.colour == first[0]
