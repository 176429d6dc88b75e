"""Which plays are refused, under which rule, and in which words; and what those allowed do to the turn."""

from typing import Any

import pytest

from tests.games.bo.tables import table
from tournament.games import bo
from tournament.games.api import IllegalPlay, MalformedPlay
from tournament.games.bo import reference
from tournament.games.bo.plays import is_valid_play
from tournament.games.bo.state import BoState

NO_PLAY = (3, None, (None, None))


def midgame(hand: str = "2C AS 9D 0D 0S KH") -> BoState:
    """Player 1 on turn: some piles are started, others are not."""
    return table(
        hand,
        seat=1,
        tops="4S 3C JH 2D",
        discards={(0, 0): "5S", (1, 2): "QH JS", (1, 3): "KD", (2, 3): "2H", (3, 0): "4D 3S"},
        builds={0: "2S", 2: "KH QD", 3: "2D"},
    )


def value_of(function: Any, state: BoState, play: Any) -> Any:
    seat = state.seat
    tops = tuple((pile[-1], len(pile)) for pile in state.stockpiles)
    return function(play, seat, state.hands[seat], tops, state.discards, state.builds)


@pytest.mark.parametrize(
    ("play", "rule", "says"),
    [
        ((0, "3C", (0, 0)), "not-held", "You do not hold '3C' (3♣)"),
        ((0, "2C", (0, 4)), "no-such-pile", "There is no build pile 4"),
        ((0, "2C", (0, -1)), "no-such-pile", "There is no build pile -1"),
        ((0, "2C", (1, (4, 0))), "no-such-pile", "discard pile 0 of player 4"),
        ((0, "2C", (1, (0, 10**5000))), "no-such-pile", "a number of 16610 bits"),
        ((1, ("2H", (2, -1)), (0, 1)), "no-such-pile", "discard pile -1 of player 2"),
        ((1, ("2H", (-2, 3)), (0, 1)), "no-such-pile", "discard pile 3 of player -2"),
        ((2, "4S", (0, 0)), "not-top", "'4S' (4♠) is not the top card of your stockpile, which is '3C'"),
        ((1, ("QH", (1, 2)), (0, 1)), "not-top", "discard pile 2 of player 1, which is 'JS' (J♠)"),
        ((1, ("2H", (2, 2)), (0, 1)), "not-top", "discard pile 2 of player 2 is empty"),
        ((0, "0S", (0, 1)), "build-start", "only a 2 or a King can"),
        ((0, "AS", (0, 1)), "build-start", "'AS' (A♠) cannot start build pile 1"),
        ((0, "9D", (0, 0)), "colour", "this pile is black, so only a black 3 or Ace can."),
        ((0, "AS", (0, 2)), "colour", "'AS' (A♠) cannot go on 'QD' (Q♦) on build pile 2"),
        ((0, "2C", (0, 0)), "adjacent", "only a black 3 or Ace can."),
        ((0, "KH", (0, 3)), "adjacent", "only a red 3 or Ace can. A build pile does not wrap round from King to 2."),
        ((0, "0D", (0, 2)), "adjacent", "'0D' (10♦) cannot go on 'QD'"),
        ((0, "AS", (1, (1, 2))), "ace-on-discard", "Aces are never discarded"),
        ((0, "AS", (1, (1, 0))), "ace-on-discard", "'AS' (A♠) cannot go on discard pile 0 of player 1"),
        ((0, "9D", (1, (0, 1))), "other-empty-discard", "only player 0 can start it"),
        ((2, "3C", (1, (0, 1))), "other-empty-discard", "only player 0 can start it"),
        ((2, "3C", (1, (1, 0))), "start-from-hand", "only a card from the hand can"),
        ((1, ("2H", (2, 3)), (1, (1, 0))), "start-from-hand", "discard pile 0 of player 1, which is empty"),
        (
            (2, "3C", (1, (0, 0))),
            "colour",
            "both are black, and only a red 4 or 6 can, unless the card is from your hand.",
        ),
        ((1, ("2H", (2, 3)), (1, (1, 2))), "adjacent", "'2H' (2♥) cannot go on 'JS' (J♠)"),
        ((2, "3C", (1, (1, 3))), "adjacent", "only a black Queen or 2 can, unless the card is from your hand."),
        ((1, ("2H", (2, 3)), (1, (2, 3))), "same-pile", "it must go to another pile"),
        (NO_PLAY, "could-play", "there is one, for example (0, "),
    ],
)
def test_a_refused_play_names_its_rule(play: Any, rule: str, says: str) -> None:
    state = midgame()
    with pytest.raises(IllegalPlay) as caught:
        bo.parse(state, 1, play)
    assert caught.value.rule == rule
    assert says in caught.value.message
    assert not isinstance(caught.value, MalformedPlay)
    assert value_of(is_valid_play, state, play) == value_of(reference.comp10001bo_is_valid_play, state, play) == 0


@pytest.mark.parametrize(
    ("play", "value"),
    [
        ((0, "2C", (0, 1)), 1),
        ((0, "AS", (0, 0)), 1),
        ((2, "3C", (0, 0)), 1),
        ((2, "3C", (1, (2, 3))), 1),
        ((1, ("2H", (2, 3)), (0, 1)), 1),
        ((1, ("JS", (1, 2)), (1, (2, 3))), 0),
        ((1, ("2H", (2, 3)), (1, (3, 0))), 1),
        ((1, ("3S", (3, 0)), (0, 0)), 1),
        ((0, "0D", (1, (1, 2))), 1),
        ((0, "9D", (1, (1, 2))), 2),
        ((0, "9D", (1, (1, 0))), 2),
        ((0, "0S", (1, (0, 0))), 2),
        ((0, "0S", (1, (3, 0))), 2),
    ],
)
def test_the_value_of_a_play(play: Any, value: int) -> None:
    assert value_of(is_valid_play, midgame(), play) == value
    assert value_of(reference.comp10001bo_is_valid_play, midgame(), play) == value


@pytest.mark.parametrize(
    ("why", "state", "value"),
    [
        ("nothing held, nothing fits", table("", tops="9C 0D 3H KD", discards={(0, 0): "5S"}), 3),
        ("only Aces, no build pile for them", table("AS AH", discards={(1, 1): "5S"}), 3),
        ("an Ace of the wrong colour", table("AS", builds={0: "2H"}), 3),
        ("an Ace that completes a pile", table("AS", builds={0: "2C"}), 0),
        ("a card can always be discarded", table("7D"), 0),
        ("the stockpile starts a build pile", table("", tops="KC 0D 3H KD"), 0),
        ("another player's stockpile is no play", table("", tops="9C KD KC 2D"), 3),
        ("the stockpile follows on a discard pile", table("", discards={(3, 2): "8H"}), 0),
        ("a discard goes on a build pile", table("", discards={(1, 1): "3S"}, builds={2: "2C"}), 0),
        ("a discard goes on another discard pile", table("", discards={(1, 1): "4S", (2, 1): "5D"}), 0),
        ("a discard cannot start a pile of one's own", table("", discards={(0, 1): "4S"}), 3),
    ],
)
def test_no_play_is_right_only_if_there_is_none(why: str, state: BoState, value: int) -> None:
    assert value_of(is_valid_play, state, NO_PLAY) == value, why
    assert value_of(reference.comp10001bo_is_valid_play, state, NO_PLAY) == value, why


def test_the_last_card_of_a_stockpile_does_not_end_the_turn_by_value() -> None:
    assert value_of(is_valid_play, table("7D", tops="2C 0D 3H KD", left=1), (2, "2C", (0, 0))) == 1
