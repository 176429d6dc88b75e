"""What counts as right, and what a student is told when it is not."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given

from grader.comparing.judging import compare
from sandbox.api import Verdict
from tests.plain import plain_values
from tournament.games.judges import Sequences, Unordered

values = plain_values()

DIFFERENCES = [
    (1, True, "TYPE", "Returned the boolean True, expected the integer 1."),
    (True, 1, "TYPE", "Returned the integer 1, expected the boolean True."),
    (1, 1.0, "TYPE", "Returned the float 1.0, expected the integer 1."),
    (True, "True", "TYPE", "Returned the string 'True', expected the boolean True."),
    (True, None, "TYPE", "Returned None, expected the boolean True: is a return statement missing?"),
    (None, 3, "TYPE", "Returned the integer 3, expected None."),
    (True, False, "WA", "Returned False, expected True."),
    (["5S", "4S", "5S"], ["5S", "4S", "4S"], "WA", "Item 3 of the list (index 2) is '4S', expected '5S'."),
    ([[1], [2, 3]], [[1], [2, 4]], "WA", "Item 2 of the list at [1] (index 1) is 4, expected 3."),
    (
        ((0, 1), 2),
        ((0, "1"), 2),
        "TYPE",
        "Item 2 of the tuple at [0] (index 1) is the string '1', expected the integer 1.",
    ),
    ((1, 2), [1, 2], "TYPE", "Returned the list [1, 2], expected the tuple (1, 2)."),
    ([(1,)], [[1]], "TYPE", "Item 1 of the list (index 0) is the list [1], expected the tuple (1,)."),
    ([1], [1, 2], "WA", "The value returned is a list with 2 items, expected 1 item."),
    ([[]], [[0]], "WA", "Item 1 of the list (index 0) is a list with 1 item, expected 0 items."),
    ({"a": [1]}, {"a": [2]}, "WA", "Item 1 of the list at ['a'] (index 0) is 2, expected 1."),
    ({"a": 1}, {"a": 2}, "WA", "The value of the key 'a' in the dictionary is 2, expected 1."),
    ({"a": 1}, {}, "WA", "The dictionary returned does not have the key 'a'."),
    ({}, {"a": 1}, "WA", "The dictionary returned has the key 'a', which is not expected."),
    ({1: 2}, {True: 2}, "TYPE", "The dictionary returned has a key of the wrong type."),
    ({1}, {True}, "TYPE", "Returned {True}, expected {1}. One item has the wrong type."),
    ({(1, 2)}, {(True, 2.0)}, "TYPE", "Returned {(True, 2.0)}, expected {(1, 2)}. One item has the wrong type."),
    (
        [{(1, (2,))}],
        [{(1, (2.0,))}],
        "TYPE",
        "Item 1 of the list (index 0) is {(1, (2.0,))}, expected {(1, (2,))}. One item has the wrong type.",
    ),
    ({(1, 2): 3}, {(True, 2): 3}, "TYPE", "The dictionary returned has a key of the wrong type."),
    ({(1, (2,)): 3}, {(1, (2.0,)): 3}, "TYPE", "The dictionary returned has a key of the wrong type."),
    ({1, 2}, {1, 3}, "WA", "Returned {1, 3}, expected {1, 2}."),
    ("4S", "4s", "WA", "Returned '4s', expected '4S'. The only difference is upper or lower case."),
    ("4S", "4S\n", "WA", "Returned '4S\\n', expected '4S'. The only difference is in spaces or line breaks."),
]


@pytest.mark.parametrize(("expected", "got", "verdict", "message"), DIFFERENCES)
def test_a_difference_is_told_in_plain_words(expected: Any, got: Any, verdict: str, message: str) -> None:
    comparison = compare(expected, got)
    assert (comparison.verdict, comparison.message) == (verdict, message)


@given(values)
def test_a_value_equals_its_copy_under_every_judge(value: Any) -> None:
    for judge in (None, Sequences(), Unordered(1), Unordered(3)):
        assert compare(value, copy.deepcopy(value), judge).verdict is Verdict.AC


@given(values, values)
def test_exact_comparison_agrees_with_typed_equality(expected: Any, got: Any) -> None:
    assert (compare(expected, got).verdict is Verdict.AC) == _same(expected, got)


def _same(a: Any, b: Any) -> bool:
    """An oracle of its own: equality with types, written out."""
    if type(a) is not type(b):
        return False
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, dict):
        return len(a) == len(b) and all(any(_same(k, other) and _same(a[k], b[other]) for other in b) for k in a)
    if isinstance(a, set):
        return len(a) == len(b) and all(any(_same(x, y) for y in b) for x in a)
    return bool(a == b)


@given(values, values)
def test_a_refusal_always_has_a_sentence(expected: Any, got: Any) -> None:
    for judge in (None, Sequences(), Unordered(2), lambda expected, got: False):
        comparison = compare(expected, got, judge)
        assert (comparison.verdict is Verdict.AC) == (comparison.message == "")
        assert "\n" not in comparison.message


GROUPS = [[["2C", "2S"], ["3H"]], [["KD"]]]

ORDER_FREE = [
    (1, GROUPS, [[["KD"]], [["2C", "2S"], ["3H"]]], "AC"),
    (1, GROUPS, [[["KD"]], [["3H"], ["2C", "2S"]]], "WA"),
    (2, GROUPS, [[["KD"]], [["3H"], ["2C", "2S"]]], "AC"),
    (2, GROUPS, [[["KD"]], [["3H"], ["2S", "2C"]]], "WA"),
    (3, GROUPS, [[["KD"]], [["3H"], ["2S", "2C"]]], "AC"),
    (3, GROUPS, ((("KD",),), (("3H",), ("2S", "2C"))), "AC"),
    (3, GROUPS, [[["KD"]], [["KD"]], [["3H"], ["2S", "2C"]]], "WA"),
    (1, [1, 1, 2], [1, 2, 2], "WA"),
    (1, [1, 2], [True, 2], "WA"),
    (1, [1, 2], {1, 2}, "WA"),
    (1, [1, 2], None, "WA"),
    (1, [{(1, 2)}], [{(True, 2)}], "WA"),
    (1, [{(1, 2): 3}], [{(1, 2.0): 3}], "WA"),
]


@pytest.mark.parametrize(("levels", "expected", "got", "verdict"), ORDER_FREE)
def test_order_free_to_a_level(levels: int, expected: Any, got: Any, verdict: str) -> None:
    assert compare(expected, got, Unordered(levels)).verdict == verdict


def test_order_free_comparison_says_what_is_missing_or_too_much() -> None:
    assert compare([1, 2], [2], Unordered(1)).message == (
        "1 is missing from what was returned (the order does not matter)."
    )
    assert (
        compare([1, 2], [2, 1, 3], Unordered(1)).message
        == "3 was returned but is not expected, or was returned too often."
    )


@pytest.mark.parametrize(
    ("expected", "got", "verdict"),
    [
        ([1, [2, 3]], (1, (2, 3)), "AC"),
        ((1, 2), [1, 2], "AC"),
        ([1, 2], [2, 1], "WA"),
        ([1], [True], "TYPE"),
        ({"a": (1,)}, {"a": [1]}, "AC"),
    ],
)
def test_tuples_for_lists(expected: Any, got: Any, verdict: str) -> None:
    assert compare(expected, got, Sequences()).verdict == verdict


def _deep(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("judge", [None, Sequences(), Unordered(1), Unordered(3)])
@pytest.mark.parametrize(
    "got",
    [
        lambda: _deep(100_000),
        lambda: [[i % 7] for i in range(20_000)],
        lambda: 10**5000,
        lambda: "x" * 60_000,
        lambda: [10**4500] * 10,
    ],
    ids=range(5),
)
def test_hostile_values_are_refused_with_a_short_sentence(got: Callable[[], Any], judge: Any) -> None:
    comparison = compare([["a"], ["b"]], got(), judge)
    assert comparison.verdict is not Verdict.AC
    assert len(comparison.message) < 400
