"""The deal, the order of turns, and what players are told (seed, "The Deal", Q3 and Q5)."""

from collections import Counter
from copy import deepcopy
from random import Random

from tests.games.phazed.tables import TWOS_AND_FIVES, play, table
from tournament.games import phazed
from tournament.games.cards import PACK
from tournament.games.phazed.state import OUT, PhazedState, end_hand


def test_the_deal() -> None:
    state = phazed.deal(Random(1), 4)
    assert [len(hand) for hand in state.hands] == [10] * 4
    assert (len(state.pile), len(state.deck)) == (1, 63)
    assert Counter(phazed.cards(state)) == Counter([*PACK, *PACK])
    assert phazed.requests(state)[0].args == (
        1,
        [(None, [])] * 4,
        state.history,
        [0, 0, 0, 0],
        state.hands[1],
        state.pile[-1],
    )


def test_hands_are_dealt_in_order_and_drawn_cards_go_to_the_end() -> None:
    order = [value + suit for value in "234567890JQKA" for suit in "CDHS"]
    state = phazed.deal(Random(1), 4)
    for _ in range(3):
        assert all(hand == sorted(hand, key=order.index) for hand in state.hands)
        for _ in range(5):
            before, top = list(state.hands[state.seat]), state.deck[-1]
            play(state, (1, None))
            assert state.hands[state.seat] == [*before, top]
            play(state, (5, state.hands[state.seat][0]))
        end_hand(state, OUT)
    assert len({tuple(hand) for hand in state.hands}) == 4


def draw_and_discard(state: PhazedState) -> None:
    play(state, (1, None))
    play(state, (5, state.hands[state.seat][0]))


def test_the_dealer_rotates_and_the_next_player_leads() -> None:
    state = phazed.deal(Random(1), 4)
    leaders: list[tuple[int, int]] = []
    while len(leaders) < 6:
        if not state.history.items:
            leaders.append((state.dealer, state.seat))
        draw_and_discard(state)
    assert leaders == [(0, 1), (1, 2), (2, 3), (3, 0), (0, 1), (1, 2)]


def test_turns_go_round() -> None:
    state = phazed.deal(Random(1), 4)
    seats = []
    for _ in range(9):
        seats.append(state.seat)
        draw_and_discard(state)
    assert seats == [1, 2, 3, 0, 1, 2, 3, 0, 1]


def test_the_history_grows_by_plays_and_hides_what_is_drawn() -> None:
    state = table("2S 2S 2C AS 5S 5S 5D 7S", begun=False, deck="3H 4H 6H", others={1: "8D 9C"})
    play(state, (1, None))
    assert state.history.items == [(0, [(1, "XX")])]
    sets = (3, (1, [["2S", "2S", "2C"], ["AS", "5S", "5S"]]))
    play(state, sets)
    assert state.history.items == [(0, [(1, "XX"), sets])]
    play(state, (4, ("5D", (0, 1, 3))), (5, "7S"))
    assert state.history.items == [(0, [(1, "XX"), sets, (4, ("5D", (0, 1, 3))), (5, "7S")])]
    play(state, (2, "7S"))
    assert state.history.items[1:] == [(1, [(2, "7S")])]


def test_what_was_handed_out_never_changes() -> None:
    state = table("2S 2S 2C AS 5S 5S 5D 7S 8S")
    items, copies = [], []
    for raw in [(3, (1, [["2S", "2S", "2C"], ["AS", "5S", "5S"]])), (4, ("5D", (0, 1, 3))), (5, "7S")]:
        items.append(state.history.items[-1])
        copies.append(deepcopy(items[-1]))
        play(state, raw)
    assert items == copies


def test_a_new_hand_starts_with_an_empty_table_and_keeps_the_phases() -> None:
    state = table("7S", TWOS_AND_FIVES)
    play(state, (5, "7S"))
    assert state.phase_status == [1, 0, 0, 0]
    assert state.table == [(None, [])] * 4
    assert state.history.items == []
    assert [len(hand) for hand in state.hands] == [10] * 4


def test_draws_come_from_the_top() -> None:
    state = table("2S 3S", begun=False, deck="3H 4H 6H", pile="8D 9D")
    play(state, (1, None), (5, "2S"))
    assert state.deck == ["3H", "4H"]
    assert state.hands[0] == ["3S", "6H"]
    assert state.pile == ["8D", "9D", "2S"]
