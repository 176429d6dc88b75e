"""What has the shape of a play and what has not. A play that is no play is told from one that is refused."""

from typing import Any

import pytest

from tests.games.phazed.tables import TWOS_AND_FIVES, refusal, table
from tournament.games import phazed
from tournament.games.api import MalformedPlay
from tournament.games.phazed.plays import is_valid_play

NESTED: Any = ()
for _ in range(10_000):
    NESTED = (NESTED,)


class Text(str):
    """Not plain data: a session never delivers it, but `parse` may be handed anything."""


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (None, "(play_type, content)"),
        ("5S", "'5S'"),
        ((), "()"),
        ((5,), "a pair"),
        ((5, "5S", 0), "a pair"),
        ([5, "5S", 0], "[5, '5S', 0], a list"),
        ({1, None}, "a pair"),
        ((0, "5S"), "from 1 to 5"),
        ((6, "5S"), "6"),
        ((True, None), "True"),
        ((1.0, None), "1.0"),
        (("5", "5S"), "'5'"),
        ((10**5000, None), "a number of 16610 bits"),
        ((2, None), "while that pile is empty: then draw from the deck with (1, None)."),
        ((5, "10H"), "'10H'"),
        ((5, "5s"), "'5s'"),
        ((5, ["5S"]), "['5S']"),
        ((5, {"5S": 1}), "{'5S': 1}"),
        ((5, Text("5S")), "'5S'"),
        ((3, None), "(phase number, list of groups)"),
        ((3, [1, [["5S"]]]), "[1, [['5S']]]"),
        ((3, (0, [["5S"]])), "from 1 to 7"),
        ((3, (8, [["5S"]])), "8"),
        ((3, (True, [["5S"]])), "True"),
        ((3, (1, "5S")), "list of lists"),
        ((3, (1, ["5S", "5S"])), "['5S', '5S']"),
        ((3, (1, [["5S", 5]])), "you gave 5."),
        ((3, (1, [[["5S"]]])), "nested one level too deep: ['5S'] is in the place of a card"),
        ((3, (1, [(("8D", "7S", "6D"),)])), "nested one level too deep: ('8D', '7S', '6D') is in the place"),
        ((3, (1, {"5S"})), "{'5S'}"),
        ((4, "5S"), "('AD', (1, 0, 3))"),
        ((4, ("5S", (1, 0))), "tuple of three whole numbers"),
        ((4, ("5S", [1, 0, 3])), "[1, 0, 3]"),
        ((4, ("5S", (1, 0, True))), "True"),
        ((4, ("5S", (1, 0, 3.0))), "3.0"),
        ((4, (5, (1, 0, 3))), "you gave 5."),
        ((4, ["5S", (1, 0, 3)]), "['5S', (1, 0, 3)]"),
        (NESTED, "((((("),
        ((5, NESTED), "((((("),
        ((3, (1, NESTED)), "((((("),
        ((5, "5" * 100_000), "..."),
    ],
)
def test_a_value_of_another_shape_is_malformed(raw: Any, says: str) -> None:
    state = table("5S 9D", TWOS_AND_FIVES)
    with pytest.raises(MalformedPlay) as caught:
        phazed.parse(state, 0, raw)
    assert caught.value.rule == "shape"
    assert says in caught.value.message
    assert len(caught.value.message) < 300


@pytest.mark.parametrize("raw", [None, (5,), (3, (9, [])), (4, ("5S", None)), NESTED])
def test_a_question_about_no_play_is_answered_with_false(raw: Any) -> None:
    state = table("5S 9D", TWOS_AND_FIVES)
    assert is_valid_play(raw, 0, state.table, state.history.items, state.phase_status, ["5S"], None) is False


@pytest.mark.parametrize(
    "raw",
    [(5, "5S"), (4, ("5S", (0, 1, 2))), (3, (1, [["2S", "2S", "2C"], ["AS", "5S", "5S"]])), (1, None), (2, "9D")],
)
def test_a_play_survives_parsing_and_json(raw: Any) -> None:
    played = () if raw[0] == 3 else TWOS_AND_FIVES
    state = table("5S 2S 2S 2C AS 5S 9D", played, begun=raw[0] > 2)
    assert phazed.parse(state, 0, raw) == raw
    assert phazed.decode(lists(raw)) == raw


def lists(value: Any) -> Any:
    return [lists(part) for part in value] if isinstance(value, list | tuple) else value


@pytest.mark.parametrize("raw", [(1, "XX"), [1, None], (1, "5S"), [1, ["rubbish", NESTED]], (1, 10**5000)])
def test_a_draw_is_any_pair_and_nothing_but_its_type_counts(raw: Any) -> None:
    state = table("5S 9D", begun=False)
    assert phazed.parse(state, 0, raw) == (1, None)
    assert is_valid_play(raw, 0, state.table, [], state.phase_status, ["5S"], None) is True


@pytest.mark.parametrize("raw", [(5, "5S"), (4, ("5S", (0, 1, 2))), (3, (1, [["2S", "2S", "2C"], ["AS", "5S", "5S"]]))])
def test_a_play_may_be_a_list_of_two(raw: Any) -> None:
    state = table("5S 2S 2S 2C AS 5S 9D", () if raw[0] == 3 else TWOS_AND_FIVES)
    assert phazed.parse(state, 0, list(raw)) == raw


@pytest.mark.parametrize(
    ("begun", "raw"), [(True, [1, None]), (True, (1, "XX")), (False, [5, "5S"]), (True, [5, "KS"])]
)
def test_a_list_is_refused_where_its_tuple_is(begun: bool, raw: list[Any]) -> None:
    state = table("5S 9D", begun=begun)
    assert refusal(state, raw).rule == refusal(state, tuple(raw)).rule != "shape"


def test_groups_may_be_tuples_and_become_lists() -> None:
    state = table("2S 2S 2C AS 5S 5S 9D")
    raw = (3, (1, (("2S", "2S", "2C"), ["AS", "5S", "5S"])))
    assert phazed.parse(state, 0, raw) == (3, (1, [["2S", "2S", "2C"], ["AS", "5S", "5S"]]))
