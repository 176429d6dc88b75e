"""Which plays are legal at what moment of a turn (seed, "A Single Turn" and Q3)."""

from typing import Any

import pytest

from tests.games.phazed.tables import TWOS_AND_FIVES, play, refusal, table
from tournament.games import phazed
from tournament.games.api import IllegalPlay

SETS = (3, (1, [["2S", "2S", "2C"], ["AS", "5S", "5S"]]))
HAND = "AS 2S 2S 2C 5S 5S 7S 8S 9S 0S JS"


def test_a_turn_begins_with_a_draw_and_has_one_only() -> None:
    state = table("2S 3S", begun=False)
    assert refusal(state, (5, "2S")).rule == "draw-first"
    assert refusal(state, SETS).rule == "draw-first"
    assert refusal(state, (4, ("2S", (0, 0, 0)))).rule == "draw-first"
    play(state, (1, None))
    assert refusal(state, (1, None)).rule == "already-drawn"
    assert refusal(state, (2, "9D")).rule == "already-drawn"


def test_only_the_top_of_the_discard_pile_can_be_taken() -> None:
    state = table("2S 3S", begun=False, pile="4C 9D")
    assert refusal(state, (2, "4C")).message == (
        "'4C' (4♣) is not the top card of the discard pile, which is '9D' (9♦)."
    )
    play(state, (2, "9D"))
    assert state.hands[0] == ["2S", "3S", "9D"]
    assert phazed.requests(state)[0].args[5] == "4C"


def test_after_the_only_card_was_taken_the_pile_shows_none() -> None:
    state = table("2S 3S", begun=False, pile="9D")
    play(state, (2, "9D"))
    assert phazed.requests(state)[0].args[5] is None


@pytest.mark.parametrize(
    ("raw", "rule", "says"),
    [
        ((3, (2, [["2S"] * 7])), "wrong-phase", "You cannot play phase 2: the phase you must play is 1."),
        ((3, (1, [["2S", "2S", "2S"], ["AS", "5S", "5S"]])), "not-held", "play '2S' (2♠) more often than you hold it"),
        ((3, (1, [["2S", "2S", "2H"], ["AS", "5S", "5S"]])), "not-held", "You do not hold '2H' (2♥)"),
        ((3, (1, [["2S", "2S", "2C"]])), "not-a-phase", "Phase 1 has 2 groups; you gave 1."),
        (
            (3, (1, [["2S", "2S", "2C"], ["7S", "5S", "5S"]])),
            "not-a-phase",
            "Group 1 of phase 1 must be a set of three cards of the same value; 7♠ 5♠ 5♠ is not: "
            "its cards are not all of one value.",
        ),
        ((5, "KH"), "not-held", "You do not hold 'KH' (K♥): your hand is A♠ 2♠"),
        ((4, ("2S", (1, 0, 3))), "phase-first", "you have not played your phase in this hand"),
    ],
)
def test_refusals_before_the_phase(raw: Any, rule: str, says: str) -> None:
    error = refusal(table(HAND, (), TWOS_AND_FIVES), raw)
    assert (error.rule, says in error.message) == (rule, True), error.message


@pytest.mark.parametrize(
    ("number", "groups", "why"),
    [
        (1, "2S 2S|5S 5S 5D", "it has 2 cards"),
        (1, "2S AS AH|5S 5S 5D", "it has fewer than two cards that are not aces"),
        (1, "5S 5S 5D|2S 2S 3S", "its cards are not all of one value"),
        (2, "2C 7C 7C 8C JC QC KS", "its cards are not all of one suit"),
        (3, "KS 0D 8C 3S|9D 9S 9S 6C 2H", "its total is 35"),
        (5, "2S 3D 4C 5D 7C 6D 8H 9S", "the values do not follow each other in this order"),
        (6, "KS 0C 8C 3S|9C 9S 9S 6C AH", "its cards are of both colours"),
        (7, "KC 2S 3C 4D|7C 7S 7D 7D", "its cards are of both colours"),
    ],
)
def test_a_group_that_does_not_make_its_phase_is_told_why(number: int, groups: str, why: str) -> None:
    split = [group.split() for group in groups.split("|")]
    state = table(groups.replace("|", " ") + " 0H", status=(number - 1, 0, 0, 0))
    error = refusal(state, (3, (number, split)))
    assert error.rule == "not-a-phase"
    assert error.message.endswith(f" is not: {why}.")


def test_a_turn_that_does_not_begin_with_a_draw_is_told_how() -> None:
    says = "A turn begins by picking up a card: return (1, None) for one from the deck"
    assert refusal(table("2S", begun=False), (5, "2S")).message == (
        f"{says}, or (2, '9D') for the top card of the discard pile."
    )
    assert refusal(table("2S", begun=False, pile=""), (5, "2S")).message == f"{says}."


def test_one_phase_a_hand_and_the_next_one_in_the_next() -> None:
    state = table("2S 2S 2C AS 5S 5S 7S", TWOS_AND_FIVES, status=(1, 0, 0, 0))
    assert (
        refusal(state, SETS).message
        == "You have already played phase 1 in this hand: you may play only one phase in each hand."
    )
    later = table(HAND, status=(1, 0, 0, 0))
    assert refusal(later, SETS).message == "You cannot play phase 1: the phase you must play is 2."
    done = table(HAND, status=(7, 0, 0, 0))
    assert "completed all phases" in refusal(done, SETS).message


def test_a_phase_lies_on_the_table_and_may_be_built_on_in_the_same_turn() -> None:
    state = table("AS 2S 2S 2C 5S 5S 5D 7S")
    play(state, (3, (1, (("2S", "2S", "2C"), ("AS", "5S", "5S")))))
    assert state.table[0] == (1, [["2S", "2S", "2C"], ["AS", "5S", "5S"]])
    assert state.phase_status == [1, 0, 0, 0]
    play(state, (4, ("5D", (0, 1, 1))))
    assert state.table[0] == (1, [["2S", "2S", "2C"], ["AS", "5D", "5S", "5S"]])
    assert state.hands[0] == ["7S"]


@pytest.mark.parametrize(
    "phase",
    [
        (2, [["2C", "7C", "7C", "8C", "JC", "QC", "KC"]]),
        (3, [["KS", "0D", "8C", "3S"], ["9D", "9S", "9S", "6C", "AH"]]),
        (4, [["2S", "2S", "2H", "2D"], ["7H", "7S", "7D", "7D"]]),
        (5, [["2S", "3D", "4C", "5D", "6C", "7D", "8H", "9S"]]),
        (6, [["KS", "0C", "8C", "3S"], ["9C", "9S", "9S", "6C", "AS"]]),
        (7, [["KC", "2S", "3C", "4C"], ["7C", "7S", "7D", "7D"]]),
    ],
)
def test_the_phases_of_the_seed(phase: Any) -> None:
    number, groups = phase
    cards = " ".join(card for group in groups for card in group)
    state = table(f"{cards} 0H", status=(number - 1, 0, 0, 0))
    play(state, (3, phase), (5, "0H"))
    assert state.phase_status[0] == number
    assert state.hand_ends[0].ended == "out of cards"
    assert bool(phazed.requests(state)) is (number < 7)


def test_what_the_rules_refuse_changes_nothing() -> None:
    state = table(HAND)
    before = phazed.frame(state, None)
    with pytest.raises(IllegalPlay):
        phazed.parse(state, 0, (5, "KH"))
    assert phazed.frame(state, None) == before
