"""A game's course: everybody is asked at once, hands pass on, then everybody groups; what is refused and why."""

from random import Random
from typing import Any

import pytest

from tests.games.go.tables import TEN, grouping, groups, hands, play_all
from tournament.games import go
from tournament.games.api import IllegalPlay, MalformedPlay
from tournament.games.cards import PACK


def test_ten_cards_each_and_twelve_unused() -> None:
    state = go.deal(Random(1), 4)
    assert [len(hand) for hand in state.hands] == [10] * 4
    assert len(state.unused) == 12
    assert sorted(go.cards(state)) == sorted(PACK)


@pytest.mark.parametrize("seats", [1, 2, 3, 5])
def test_the_game_is_for_four(seats: int) -> None:
    with pytest.raises(ValueError, match="four players"):
        go.deal(Random(1), seats)


def test_everybody_is_asked_at_once_and_told_the_discards_only() -> None:
    state = play_all(hands("2C 3C", "4C 5C", "6C 7C", "8C 9C"), "2C", "5C", "6C", "9C")
    asked = [(each.seat, each.function, list(each.args[0].items), *each.args[1:]) for each in go.requests(state)]
    history = [["2C", "5C", "6C", "9C"]]
    assert asked == [
        (0, "comp10001go_play", history, 0, ["8C"]),
        (1, "comp10001go_play", history, 1, ["3C"]),
        (2, "comp10001go_play", history, 2, ["4C"]),
        (3, "comp10001go_play", history, 3, ["7C"]),
    ]


def test_the_discards_count_by_seat_in_whatever_order_they_come() -> None:
    state = hands("2C 3C", "4C 5C", "6C 7C", "8C 9C")
    go.apply(state, [(2, "6C"), (0, "3C"), (3, "9C"), (1, "4C")])
    assert state.history.items == [["3C", "4C", "6C", "9C"]]
    assert state.discards == [["3C"], ["4C"], ["6C"], ["9C"]]


def test_after_ten_turns_everybody_groups_at_once() -> None:
    state = grouping()
    asked = go.requests(state)
    assert [(each.seat, each.function, each.args[1:]) for each in asked] == [
        (seat, "comp10001go_group", (seat,)) for seat in range(4)
    ]
    assert [" ".join(turn[seat] for turn in asked[0].args[0].items) for seat in range(4)] == list(TEN)
    assert state.hands == [[]] * 4


@pytest.mark.parametrize(
    ("raw", "rule", "says"),
    [
        ("9C", "not-held", "You do not hold '9C' (9♣): your hand is '2C' (2♣), '3C' (3♣)."),
        ("10H", "shape", "'10H'"),
        ("2c", "shape", "value and its suit"),
        ("", "shape", "''"),
        (None, "shape", "None"),
        (["2C"], "shape", "['2C']"),
        (0, "shape", "you returned 0."),
        (True, "shape", "True"),
    ],
)
def test_a_discard_that_is_refused(raw: Any, rule: str, says: str) -> None:
    refuse(hands("2C 3C", "4C", "5C", "6C"), raw, rule, says)


WHOLE = "KC KD, 2S 3H 4S, 9C 9D 9H, AD, 7C"


@pytest.mark.parametrize(
    ("raw", "rule", "says"),
    [
        (groups(WHOLE.replace(", 7C", "")), "left-out", "'7C' (7♣) is not in any of your groups"),
        ([], "left-out", "are not in any of your groups"),
        (groups(WHOLE + ", 7C"), "used-twice", "'7C' (7♣)"),
        (groups(WHOLE + ", 8C"), "not-yours", "'8C' (8♣) is in your groups, but you did not discard it"),
        (groups(WHOLE.replace("7C", "8C")), "not-yours", "you discarded '"),
        ([*groups(WHOLE), []], "empty-group", "at least one card"),
        (groups(WHOLE.replace("AD, 7C", "AD 7C")), "no-pair", "['AD', '7C'] is not a group"),
        (groups(WHOLE.replace("4S,", "4S 7C,").replace(", 7C", "", 1)), "gap", "a red 5 is missing"),
        (None, "shape", "a list of lists of cards"),
        ("KC", "shape", "[['2C', '2H'], ['KD']]"),
        ({"KC"}, "shape", "{'KC'}"),
        (TEN[0].split(), "shape", "Each group is a list of cards"),
        ([["KC", 5]], "shape", "you gave 5."),
        ([["KC", ["KD"]]], "shape", "['KD']"),
        ([["KC", "10D"]], "shape", "'10D'"),
        ([[["KC"]]], "shape", "nested one level too deep: ['KC'] is in the place of a card"),
        ([[("8D", "7S", "6D"), ["KC"]]], "shape", "nested one level too deep: ('8D', '7S', '6D') is in the place"),
    ],
)
def test_a_grouping_that_is_refused(raw: Any, rule: str, says: str) -> None:
    refuse(grouping(), raw, rule, says)


def refuse(state: Any, raw: Any, rule: str, says: str) -> None:
    with pytest.raises(IllegalPlay) as caught:
        go.parse(state, 0, raw)
    assert caught.value.rule == rule
    assert isinstance(caught.value, MalformedPlay) is (rule == "shape")
    assert says in caught.value.message


@pytest.mark.parametrize("raw", [groups(WHOLE), tuple(map(tuple, groups(WHOLE))), groups(WHOLE)[::-1]])
def test_lists_or_tuples_in_any_order_are_a_grouping(raw: Any) -> None:
    parsed = go.parse(grouping(), 0, raw)
    assert parsed == [list(group) for group in raw]
    assert type(parsed) is list


def test_a_card_of_another_phase_is_malformed() -> None:
    with pytest.raises(MalformedPlay):
        go.parse(grouping(), 0, "KC")
    with pytest.raises(MalformedPlay):
        go.parse(hands("2C", "3C", "4C", "5C"), 0, [["2C"]])


def test_a_redeal_keeps_the_hands_that_the_seat_has_held() -> None:
    state = go.deal(Random(1), 4)
    for turn in range(4):
        changed = {
            number
            for seed in range(20)
            for number, hand in enumerate(go.redeal(state, 1, Random(seed)).hands)
            if hand != state.hands[number]
        }
        assert changed == {(1 + steps) % 4 for steps in range(turn + 1, 4)}
        play_all(state, *(hand[0] for hand in state.hands))
