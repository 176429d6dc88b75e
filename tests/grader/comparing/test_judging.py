"""The comparators that a question can choose."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given

from grader.comparing.comparators import KINDS, AnyOf, Checker, Comparator, Exact
from grader.comparing.judging import ACCEPTED, Judgement, judge_of
from sandbox.api import Verdict
from tests.plain import plain_values
from tournament.games.api import Case

INF = float("inf")
NAN = float("nan")
LOOSE = {"relative": 0.0, "absolute": 0.01}


def judged(kind: str, parameters: Mapping[str, Any], expected: Any, got: Any, printed: str = "") -> Judgement:
    return judge_of(kind, parameters)(Case((), expected), got, printed)


VERDICTS: list[tuple[str, dict[str, Any], Any, Any, str]] = [
    ("exact", {}, 1, 1, "AC"),
    ("exact", {}, 1, 1.0, "TYPE"),
    ("sequences", {}, [1, (2,)], (1, [2]), "AC"),
    ("floats", {}, 0.3, 0.1 + 0.2, "AC"),
    ("floats", LOOSE, 1.0, 1.009, "AC"),
    ("floats", LOOSE, 1.0, 1.02, "WA"),
    ("floats", LOOSE, 1.0, 1, "AC"),
    ("floats", LOOSE, 1.0, True, "TYPE"),
    ("floats", LOOSE, 1.0, "1.0", "TYPE"),
    ("floats", LOOSE, 1, 1.0, "TYPE"),
    ("floats", LOOSE, 1.0, 10**400, "WA"),
    ("floats", {"relative": 0.1, "absolute": 0.0}, 1000.0, 1099.0, "AC"),
    ("floats", {"relative": 0.1, "absolute": 0.0}, 0.0, 0.001, "WA"),
    ("floats", LOOSE, [{"a": (0.5, "x")}], [{"a": (0.505, "x")}], "AC"),
    ("floats", LOOSE, [{"a": (0.5, "x")}], [{"a": [0.5, "x"]}], "TYPE"),
    ("floats", LOOSE, {0.5: 1}, {0.505: 1}, "WA"),
    ("floats", LOOSE, {1.0, 2.0}, {2.005, 1.005}, "AC"),
    ("floats", LOOSE, {1.0, 2.0}, {1.0, 2.5}, "WA"),
    ("floats", LOOSE, {1.0}, {1.0, 1.001}, "WA"),
    ("floats", LOOSE, {"a", 1.0}, {"a", 1.0}, "AC"),
    ("floats", LOOSE, {1.0}, None, "TYPE"),
    ("floats", LOOSE, NAN, NAN, "AC"),
    ("floats", LOOSE, NAN, 1.0, "WA"),
    ("floats", LOOSE, INF, INF, "AC"),
    ("floats", LOOSE, INF, 1e308, "WA"),
    ("unordered", {"levels": 1}, [1, [2, 3]], [[2, 3], 1], "AC"),
    ("unordered", {"levels": 1}, [1, [2, 3]], [[3, 2], 1], "WA"),
    ("unordered", {"levels": [2]}, [[1, 2], [3]], [[2, 1], [3]], "AC"),
    ("unordered", {"levels": [2]}, [[1, 2], [3]], [[3], [1, 2]], "WA"),
    ("unordered", {"levels": [2]}, [[1, 2], [3]], ((2, 1), [3]), "WA"),
    ("unordered", {"levels": [1, 3]}, [[[1, 2], [3]], []], [[], [[2, 1], [3]]], "AC"),
    ("unordered", {"levels": [1, 3]}, [[[1, 2], [3]], []], [[], [[3], [1, 2]]], "WA"),
    ("any", {}, [1, "x"], "x", "AC"),
    ("any", {}, [1, "x"], True, "WA"),
]


@pytest.mark.parametrize(("kind", "parameters", "expected", "got", "verdict"), VERDICTS)
def test_what_each_accepts(kind: str, parameters: dict[str, Any], expected: Any, got: Any, verdict: str) -> None:
    assert judged(kind, parameters, expected, got).verdict == verdict


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("any", "printed", "checker")])
@given(value=plain_values())
def test_every_value_is_right_where_it_is_expected(kind: str, value: Any) -> None:
    parameters = {"levels": 2} if kind == "unordered" else {}
    assert judged(kind, parameters, value, value) == ACCEPTED


PRINTED = [
    ("a\nb\n", "a\nb", ""),
    ("a\nb", "a  \nb\t\n\n", ""),
    ("a\r\nb", "a\nb", ""),
    ("", "\n", ""),
    ("a\nb", "a\nc", "Line 2 printed is 'c', expected 'b'."),
    ("a b", " a b", "Line 1 printed is ' a b', expected 'a b'. The only difference is in spaces."),
    ("Ace", "ace", "Line 1 printed is 'ace', expected 'Ace'. The only difference is upper or lower case."),
    ("a\nb", "a", "Printed 1 line, expected 2: line 2, 'b', is missing."),
    ("a", "a\nb\nc", "Printed 3 lines, expected 1: the rest should not be there."),
    ("a", "", "Nothing was printed, expected 1 line. It returned 'a' instead of printing it."),
]


@pytest.mark.parametrize(("expected", "printed", "message"), PRINTED)
def test_what_is_printed_is_compared_line_by_line(expected: str, printed: str, message: str) -> None:
    judgement = judged("printed", {}, expected, "a", printed)
    assert (judgement.verdict, judgement.message) == (Verdict.WA if message else Verdict.AC, message)


def test_a_player_that_neither_prints_nor_returns_is_asked_for_a_print() -> None:
    assert judged("printed", {}, "a\nb", None, "").message == (
        "Nothing was printed, expected 2 lines. Is a call to print missing?"
    )


MESSAGES = [
    ("floats", LOOSE, 1.0, 1.5, "Returned 1.5, expected 1.0. A difference of up to 0.01 is accepted."),
    ("floats", {}, [1.0], [2.0],
     "Item 1 of the list (index 0) is 2.0, expected 1.0. A difference of up to 1e-09 of the value is accepted."),
    ("unordered", {"levels": [2]}, [[1]], [[2]],
     "Returned [[2]], expected [[1]], in any order at level 2."),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "parameters", "expected", "got", "message"), MESSAGES)
def test_what_a_student_reads(kind: str, parameters: dict[str, Any], expected: Any, got: Any, message: str) -> None:
    assert judged(kind, parameters, expected, got).message == message


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [("exactly", {}), ("unordered", {}), ("floats", {"abs": 1}), ("exact", {"levels": 1}), ("checker", {})],
)
def test_what_does_not_exist_is_refused(kind: str, parameters: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="comparator"):
        judge_of(kind, parameters)


def even(args: Sequence[Any], got: Any) -> Judgement:
    return ACCEPTED if got % 2 == 0 else Judgement(Verdict.WA, "odd")


def test_a_checker_gets_the_arguments_and_the_value() -> None:
    assert judge_of("checker", {}, even)(Case((), 4), 3, "").message == "odd"
    assert judge_of("checker", {}, even)(Case((), 4), 6, "") == ACCEPTED


@pytest.mark.parametrize(
    ("comparator", "expected", "answer", "verdict"),
    [
        (Exact(), 1, 1, "AC"),
        (AnyOf(), (1, 2), [2, 1], "AC"),
        (AnyOf(), (1, 2), [1], "WA"),
        (Checker(source=""), 3, 3, "AC"),
        (Checker(source=""), 3, 4, "WA"),
    ],
)
def test_the_answer_of_a_solution_agrees_with_an_example(
    comparator: Comparator, expected: Any, answer: Any, verdict: str
) -> None:
    assert comparator.agreement()(Case((), expected), answer, "").verdict == verdict
