"""What happens in a turn: seed, "How to Play"."""

from random import Random
from typing import Any

import pytest

from tests.games.kotc.tables import play, refusal, table
from tournament.games import kotc
from tournament.games.api import IllegalPlay
from tournament.games.cards import PACK
from tournament.games.kotc.state import KotcState

SUITS, RANKS = "CDSH", "A234567890JQK"


def test_a_deal() -> None:
    for seed in range(200):
        state = kotc.deal(Random(seed), 2)
        assert len(state.hands[1]) == 8
        assert len(state.hands[0]) - 8 + len(state.draw) == 35
        assert len(state.discard) == 1
        assert state.top == state.discard[0]
        assert sorted(kotc.cards(state)) == sorted(PACK)
        (request,) = kotc.requests(state)
        assert (request.seat, request.function) == (0, "kotc_play")
        assert request.args == (state.hands[0], state.top)


@pytest.mark.parametrize("seats", [1, 5])
def test_two_to_four_can_play(seats: int) -> None:
    with pytest.raises(ValueError, match="two to four players"):
        kotc.deal(Random(1), seats)


def test_at_a_larger_table_turns_go_round_and_hands_are_told_in_that_order() -> None:
    state = play(table("6H AS | 6D 2D 3D | 6S 2S 3S 4S"), "6H")
    assert kotc.requests(state)[0].seat == 1
    assert kotc.answer(state, 1, "handSizes", ()) == [4, 1]
    assert kotc.requests(play(state, "6D", "6S"))[0].seat == 0


def test_the_seeds_example() -> None:
    """If 6♣ is played the next player can play a 6 of any suit, any club, and an 8; no other card."""
    everything = [rank + suit for suit in SUITS for rank in RANKS if rank + suit != "6C"]
    fitting = {card for card in everything if not refusal(table(f"{card} 6H | AD"), card)}
    assert fitting == {f"6{suit}" for suit in SUITS if suit != "C"} | {
        *(f"{rank}C" for rank in RANKS if rank != "6"),
        *(f"8{suit}" for suit in SUITS),
    }


@pytest.mark.parametrize("suit", SUITS)
@pytest.mark.parametrize(("hand", "left"), [("8C 8D 2S", "8D 2S"), ("2S 8D 8C", "2S 8C")])
def test_an_eight_counts_as_the_suit_declared(suit: str, hand: str, left: str) -> None:
    state = play(table(f"{hand} | AD 2C 2D 2H 2S"), f"8{suit}")
    held = f"8{suit}" in hand.split()
    assert state.top == f"8{suit}"
    if not held:
        assert state.hands[0] == left.split(), "the first Eight of the hand is gone"
    assert [card for card in ("2C", "2D", "2H", "2S") if not refusal(state, card)] == [f"2{suit}"]
    assert kotc.requests(state)[0].args[1] == f"8{suit}"


def test_the_very_eight_returned_leaves_the_hand() -> None:
    assert play(table("8C 8D 2S | 8S"), "8D").hands[0] == ["8C", "2S"]


def test_an_eight_fits_on_an_eight() -> None:
    state = play(table("8C 2S | 8D 3S"), "8H", "8S")
    assert (state.top, state.discard) == ("8S", ["6C", "8C", "8D"])


def test_the_controller_draws_until_a_card_fits() -> None:
    state = play(table("6H AS | 2S 3D", draw="4S 5D 0S 7H JC"), "6H")
    assert state.hands[1] == ["2S", "3D", "4S", "5D", "0S", "7H"]
    assert (state.seat, state.draw) == (1, ["JC"])


def test_nobody_draws_while_a_card_fits() -> None:
    state = play(table("6H AS | 2S 3H", draw="4S"), "6H")
    assert (state.hands[1], state.draw) == (["2S", "3H"], ["4S"])


def test_cards_are_drawn_for_the_first_player_too() -> None:
    drawn = [len(kotc.deal(Random(seed), 2).hands[0]) for seed in range(300)]
    assert min(drawn) == 8
    assert max(drawn) > 9


@pytest.mark.parametrize("raw", [None, False])
def test_a_turn_may_be_skipped(raw: Any) -> None:
    state = play(table("6H AS | 2C"), raw)
    assert (state.seat, state.top, state.hands[0], state.idle) == (1, "6C", ["6H", "AS"], 1)


def test_one_may_draw_and_go_on() -> None:
    state = play(table("6H AS | 2C", draw="KC 3S"), "draw", "draw")
    assert (state.seat, state.turn, state.hands[0]) == (0, 1, ["6H", "AS", "KC", "3S"])
    assert kotc.requests(state)[0].args[0] == ["6H", "AS", "KC", "3S"]
    assert play(state, "KC").hands[0] == ["6H", "AS", "3S"]


def test_the_discards_become_the_draw_pile_when_a_card_is_wanted() -> None:
    state = table("6H AS | 2C", "2D 3D 4D 6C", draw="KC")
    assert kotc.answer(state, 0, "draw", ()) == "KC"
    assert (state.draw, state.discard) == ([], ["2D", "3D", "4D", "6C"])
    assert kotc.answer(state, 0, "draw", ()) in ("2D", "3D", "4D")
    assert (len(state.draw), state.discard) == (2, ["6C"])


def test_an_eight_is_shuffled_as_what_it_is() -> None:
    state = play(table("8C AS | 2D 9S", "6C"), "8D", "2D")
    assert state.hands[0][-1] == "8C", "it is among the cards drawn on 2D, and the only one that fits"


def test_the_declared_suit_outlives_a_shuffle() -> None:
    state = play(table("8C AS | 2H 9S", "4D 6C"), "8H")
    kotc.answer(state, 1, "draw", ())
    assert (state.discard, state.top) == (["8C"], "8H")


def test_a_turn_passes_if_there_is_nothing_to_draw() -> None:
    state = play(table("7C 2C | 2S 3D", "6C"), None)
    assert (state.seat, state.hands[1], state.turn, state.idle) == (0, ["2S", "3D"], 3, 2)
    assert state.events == [(0, "skip", None), (1, "pass", None)]


def test_a_turn_passes_after_the_last_card_is_drawn() -> None:
    state = play(table("8C 2C | 2S 3D", "6H"), "8C")
    assert (state.seat, state.hands[1], state.draw, state.discard) == (0, ["2S", "3D", "6H"], [], ["8C"])


@pytest.mark.parametrize(("name", "value"), [("handSizes", [3]), ("discardSize", 2), ("drawSize", 1), ("draw", "KC")])
def test_what_a_bot_may_ask(name: str, value: Any) -> None:
    state = table("6H AS | 2C 3C 4C", "2D 6C", draw="KC")
    assert kotc.answer(state, 0, name, ()) == value


def test_nothing_left_to_draw_is_none() -> None:
    state = table("6H AS | 2C", "6C")
    assert kotc.answer(state, 0, "draw", ()) is None
    assert state.hands[0] == ["6H", "AS"]


@pytest.mark.parametrize(("name", "args"), [("hand", ()), ("draw", (1,)), ("handSizes", ([],)), ("", ()), ("deck", ())])
def test_nothing_else_can_be_asked(name: str, args: Any) -> None:
    with pytest.raises(IllegalPlay) as refused:
        kotc.answer(table("6H AS | 2C", draw="KC"), 0, name, args)
    assert refused.value.rule == "no-such-question"


def test_a_seat_is_told_nothing_but_its_hand_and_the_top_card() -> None:
    state: KotcState = table("6H AS | 2C", "3C 8D", top="8C", draw="KC")
    assert kotc.requests(state)[0].args == (["6H", "AS"], "8C")
