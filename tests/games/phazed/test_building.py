"""Cards onto groups on the table (seed, "Playing Cards on Groups"; RULES.md, "Phazed")."""

from typing import Any

import pytest

from tests.games.phazed.tables import TWOS_AND_FIVES, play, refusal, table
from tournament.games import phazed
from tournament.games.api import IllegalPlay

EIGHT = (5, "2S 3D 4C AD 6C 7D 8H 9S")
LATE = (5, "9S 0D JC QD KC 2D 3H 4S")
ROUND = (5, "2S 3D 4C AD 6C 7D 8H 9S 0S JC QH KD")
CLUBS = (2, "2C 7C 7C AH JC QC KC")
LAST = (7, "KC 2S AH 4C", "7C 7S AD 7D")
SUMS = (3, "KS 0D 8C 3S", "9D 9S 9S 6C AH")
COLOURS = (6, "KS 0C 8C 3S", "9H 9D 9D 6H AD")


def verdict(group_owner: tuple[Any, ...], card: str, number: int, index: int) -> str:
    """`ok` or the rule broken, for a card onto a group of player 1 by player 0, who has more cards."""
    state = table(f"{card} 0H 0H", TWOS_AND_FIVES, group_owner)
    try:
        phazed.parse(state, 0, (4, (card, (1, number, index))))
    except IllegalPlay as error:
        return error.rule
    return "ok"


@pytest.mark.parametrize(
    ("owner", "card", "number", "index", "expected"),
    [
        # sets of one value: any index
        (TWOS_AND_FIVES, "2D", 0, 0, "ok"),
        (TWOS_AND_FIVES, "2D", 0, 2, "ok"),
        (TWOS_AND_FIVES, "2D", 0, 3, "ok"),
        (TWOS_AND_FIVES, "2D", 0, 4, "no-such-index"),
        (TWOS_AND_FIVES, "2D", 0, -1, "no-such-index"),
        (TWOS_AND_FIVES, "AD", 1, 3, "ok"),
        (TWOS_AND_FIVES, "3D", 0, 3, "wrong-value"),
        (TWOS_AND_FIVES, "2D", 1, 3, "wrong-value"),  # its first card is an Ace
        (TWOS_AND_FIVES, "2D", 2, 3, "no-such-group"),
        (TWOS_AND_FIVES, "2D", -1, 3, "no-such-group"),
        # sets of one suit
        (CLUBS, "4C", 0, 7, "ok"),
        (CLUBS, "4C", 0, 3, "ok"),
        (CLUBS, "AS", 0, 0, "ok"),
        (CLUBS, "4H", 0, 0, "wrong-suit"),  # though the Ace among them is of hearts
        # runs: both ends only, round from King to 2
        (EIGHT, "0H", 0, 8, "ok"),
        (EIGHT, "KH", 0, 0, "ok"),
        (EIGHT, "AH", 0, 0, "ok"),
        (EIGHT, "AH", 0, 8, "ok"),
        (EIGHT, "5D", 0, 3, "not-an-end"),
        (EIGHT, "AD", 0, 4, "not-an-end"),
        (EIGHT, "9D", 0, 8, "out-of-order"),
        (EIGHT, "KH", 0, 8, "out-of-order"),
        (EIGHT, "0H", 0, 0, "out-of-order"),
        (LATE, "5H", 0, 8, "ok"),
        (LATE, "8H", 0, 0, "ok"),
        (ROUND, "2H", 0, 12, "run-full"),
        (ROUND, "KH", 0, 0, "run-full"),
        (ROUND, "AH", 0, 12, "run-full"),
        # colour runs: the natural cards give the colour
        (LAST, "5S", 0, 4, "ok"),
        (LAST, "5H", 0, 4, "wrong-colour"),
        (LAST, "AD", 0, 4, "ok"),
        (LAST, "QC", 0, 0, "ok"),
        (LAST, "QD", 0, 0, "wrong-colour"),
        (LAST, "6S", 0, 4, "out-of-order"),
        (LAST, "7H", 1, 2, "ok"),
        (LAST, "8H", 1, 4, "wrong-value"),
        # accumulations
        (SUMS, "9H", 0, 4, "ok"),
        (SUMS, "AH", 1, 5, "ok"),
        (COLOURS, "9S", 0, 4, "ok"),
        (COLOURS, "9H", 0, 4, "wrong-colour"),
        (COLOURS, "AS", 0, 4, "ok"),
        (COLOURS, "AH", 0, 4, "wrong-colour"),
        (COLOURS, "AH", 1, 5, "ok"),
    ],
)
def test_a_card_on_a_group(owner: Any, card: str, number: int, index: int, expected: str) -> None:
    assert verdict(owner, card, number, index) == expected


@pytest.mark.parametrize("place", [(0, 0, 0), (2, 0, 0), (4, 0, 0), (-1, 0, 0), (10**30, 0, 0)])
def test_a_group_that_is_not_there(place: tuple[int, int, int]) -> None:
    state = table("2S 3S", (), TWOS_AND_FIVES, (), TWOS_AND_FIVES, seat=1)
    assert refusal(state, (4, ("2S", place))).rule == "no-such-group"


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ((0, 0, 0), "that player has not played a phase in this hand"),
        ((1, 2, 0), "there are groups 0 and 1"),
        ((2, -1, 0), "there is only group 0"),
        ((4, 0, 0), "players are numbered 0 to 3"),
    ],
)
def test_a_group_that_is_not_there_is_told_why(place: tuple[int, int, int], why: str) -> None:
    state = table("2S 3S", (), TWOS_AND_FIVES, EIGHT, seat=1)
    assert refusal(state, (4, ("2S", place))).message.endswith(f" on the table: {why}.")


@pytest.mark.parametrize(("phase", "group"), [(3, "KS 0D 8C 3S"), (6, "KS 0C 8C 3S")])
def test_an_accumulation_goes_through_its_totals(phase: int, group: str) -> None:
    steps = "QS 9C|KS|8C|5C|3S|2C|AS|AC"
    state = table(steps.replace("|", " ") + " 4S", TWOS_AND_FIVES, (phase, group, "KH KD 8D"))
    totals = []
    for step in steps.split("|"):
        for card in step.split():
            play(state, (4, (card, (1, 0, len(state.table[1][1][0])))))
        totals.append(phazed.frame(state, None)["players"][1]["groups"][0]["total"])
    assert totals == [55, 68, 76, 81, 84, 86, 87, 88]
    assert refusal(state, (4, ("4S", (1, 0, 0)))).rule == "accumulation-full"


@pytest.mark.parametrize(
    ("group", "card", "rule"),
    [
        ("KS 0D 8C 3S QH", "0C", "too-much"),  # 46 and 10, the next total is 55
        ("KS 0D 8C 3S QH", "9C", "ok"),
        ("KS 0D 8C 3S QH", "8C", "ok"),
        ("KS 0D 8C 3S QH 9S", "KC", "ok"),  # 55 and 13
        ("KS 0D 8C 3S QH 9S KH", "9C", "too-much"),  # 68 and 9, the next is 76
        ("KS 0D 8C 3S QH 9S KH 8D 5D 3D 2D", "2C", "too-much"),  # 86 and 2
        ("KS 0D 8C 3S QH 9S KH 8D 5D 3D 2D", "AC", "ok"),
    ],
)
def test_no_play_goes_beyond_the_next_total(group: str, card: str, rule: str) -> None:
    owner = (3, group, "9D 9S 9S 6C AH")
    assert verdict(owner, card, 0, len(group.split())) == rule


def test_a_turn_does_not_end_between_totals() -> None:
    state = table("9H QH 2C 3C", TWOS_AND_FIVES, SUMS)
    play(state, (4, ("9H", (1, 0, 4))))
    assert refusal(state, (5, "2C")).message == (
        "Group 0 of player 1 stands at 43: before your turn ends it must reach 55."
    )
    play(state, (4, ("QH", (1, 0, 5))), (5, "2C"))
    assert state.seat == 1


def test_the_last_card_must_complete_an_accumulation() -> None:
    state = table("9H QH", TWOS_AND_FIVES, SUMS)
    play(state, (4, ("9H", (1, 0, 4))))
    assert phazed.parse(state, 0, (4, ("QH", (1, 0, 5))))
    state = table("9H JH", TWOS_AND_FIVES, SUMS)
    play(state, (4, ("9H", (1, 0, 4))))
    assert "your last card" in refusal(state, (4, ("JH", (1, 0, 5)))).message


def test_the_last_card_goes_nowhere_while_an_accumulation_is_unfinished() -> None:
    state = table("9H 2H", TWOS_AND_FIVES, SUMS)
    play(state, (4, ("9H", (1, 0, 4))))
    assert refusal(state, (4, ("2H", (0, 0, 3)))).rule == "unfinished"
    assert refusal(state, (5, "2H")).rule == "unfinished"
    assert refusal(state, (4, ("2H", (1, 1, 5)))).rule == "unfinished"


def test_two_accumulations_may_be_unfinished_at_once() -> None:
    state = table("9H 9C QH QC 2C", TWOS_AND_FIVES, SUMS)
    for card, group in (("9H", 0), ("9C", 1), ("QH", 0)):
        play(state, (4, (card, (1, group, 4))))
    assert refusal(state, (5, "2C")).message.startswith("Group 1 of player 1 stands at 43")
    play(state, (4, ("QC", (1, 1, 4))), (5, "2C"))


def test_refusals_name_the_cards() -> None:
    state = table("9D 2D", TWOS_AND_FIVES, EIGHT)
    assert refusal(state, (4, ("2D", (1, 0, 0)))).message == (
        "'2D' (2♦) cannot go on 2♠ 3♦ 4♣ A♦ 6♣ 7♦ 8♥ 9♠: at the start of this run only a king or an ace fits."
    )
    assert refusal(state, (4, ("9D", (0, 1, 0)))).message == (
        "'9D' (9♦) cannot go on A♠ 5♠ 5♠: this set takes only cards of value 5 and aces."
    )
