"""What has the shape of a play and what has not. A play that is no play is told from one that is refused."""

from typing import Any

import pytest

from tests.games.bo.tables import table
from tournament.games import bo
from tournament.games.api import MalformedPlay
from tournament.games.bo.plays import is_valid_play

NESTED: Any = ()
for _ in range(10_000):
    NESTED = (NESTED,)


class Text(str):
    """Not plain data: a session never delivers it, but `parse` may be handed anything."""


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (None, "(play_type, source, destination)"),
        ("2C", "'2C'"),
        ([0, "2C", (0, 0)], "[0, '2C', (0, 0)]"),
        ((), "()"),
        ((0, "2C"), "tuple of three"),
        ((0, "2C", (0, 0), 0), "tuple of three"),
        ((4, "2C", (0, 0)), "0, 1, 2 or 3"),
        ((-1, "2C", (0, 0)), "-1"),
        ((True, ("2C", (0, 0)), (0, 0)), "True"),
        ((0.0, "2C", (0, 0)), "0.0"),
        (("0", "2C", (0, 0)), "'0'"),
        ((10**5000, "2C", (0, 0)), "a number of 16610 bits"),
        ((0, "2C", [0, 0]), "[0, 0]"),
        ((0, "2C", (0,)), "(0,)"),
        ((0, "2C", None), "tuple of two"),
        ((0, "2C", (None, None)), "(0, 3) for build pile 3"),
        ((0, "2C", (2, 0)), "(2, 0)"),
        ((0, "2C", (0, (0, 0))), "(0, (0, 0))"),
        ((0, "2C", (1, 0)), "(1, (2, 3))"),
        ((0, "2C", (1, [0, 0])), "[0, 0]"),
        ((0, "2C", (1, (0, True))), "True"),
        ((0, "2C", (False, 0)), "False"),
        ((0, "2C", (0, 0.0)), "0.0"),
        ((0, "10H", (0, 0)), "'10H'"),
        ((0, "2c", (0, 0)), "'2c'"),
        ((0, "", (0, 0)), "value and its suit"),
        ((0, None, (0, 0)), "None"),
        ((0, ["2C"], (0, 0)), "['2C']"),
        ((0, {"2C": 1}, (0, 0)), "{'2C': 1}"),
        ((0, Text("2C"), (0, 0)), "'2C'"),
        ((0, ("2C", (0, 0)), (0, 0)), "('2C', (0, 0))"),
        ((1, "2C", (0, 0)), "('7H', (2, 1))"),
        ((1, ("2C", [0, 0]), (0, 0)), "[0, 0]"),
        ((1, ("2C", (0, 0), 1), (0, 0)), "looks like"),
        ((1, ("2C", (0, None)), (0, 0)), "None"),
        ((1, (2, (0, 0)), (0, 0)), "you gave 2."),
        ((3, None, None), "is a tuple of two; you gave None."),
        ((3, "2C", (None, None)), "(3, None, (None, None))"),
        ((3, None, (0, None)), "(3, None, (None, None))"),
        ((3, None, [None, None]), "[None, None]"),
        (NESTED, "((((("),
        ((0, NESTED, (0, 0)), "((((("),
        ((0, "2" * 100_000, (0, 0)), "..."),
    ],
)
def test_a_value_of_another_shape_is_malformed(raw: Any, says: str) -> None:
    state = table("2C AS 9D 0D 0S")
    with pytest.raises(MalformedPlay) as caught:
        bo.parse(state, 0, raw)
    assert caught.value.rule == "shape"
    assert says in caught.value.message
    assert len(caught.value.message) < 300
    assert is_valid_play(raw, 0, ["2C"], ((("9C"), 8),) * 4, state.discards, state.builds) == 0


@pytest.mark.parametrize("raw", [(0, "2C", (0, 0)), (0, "9D", (1, (0, 3))), (2, "KC", (0, 2))])
def test_a_play_survives_parsing_and_json(raw: Any) -> None:
    state = table("2C AS 9D 0D 0S", tops="KC 0D 3H KD")
    assert bo.parse(state, 0, raw) == raw
    assert bo.decode([raw[0], raw[1], [list(part) if type(part) is tuple else part for part in raw[2]]]) == raw
