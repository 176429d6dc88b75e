"""How the failing cases of a report are grouped by what is wrong."""

from dataclasses import replace

import pytest

from grader.definition.question import Shows
from grader.grading.causes import diagnosis
from grader.grading.report import QuestionReport, Report
from grader.programs.shown import CaseResult
from sandbox.api import Verdict

WRONG = CaseResult("q1", "", "f(11)", "[1]", "[2]", Verdict.WA, "Returned [2], expected [1].", 0.1, hidden=False)
SAYS_TRUE = replace(WRONG, call="f(2)", expected="False", got="True")
SAYS_FALSE = replace(WRONG, call="f(3)", expected="True", got="False")
NONE = replace(WRONG, call="f(4)", verdict=Verdict.TYPE, got="None")


def trace(line: int, function: str, error: str) -> str:
    return f'Traceback (most recent call last):\n  File "a.py", line {line}, in {function}\n    x = y\n{error}'


def raises(line: int, error: str, call: str = "f(5)") -> CaseResult:
    return replace(WRONG, verdict=Verdict.RTE, line=line, call=call, got="", traceback=trace(line, "f", error))


def loops(line: int, function: str) -> CaseResult:
    return replace(WRONG, verdict=Verdict.TLE, line=line, traceback=trace(line, function, "Out of time"))


def misnamed(meant: str) -> CaseResult:
    return replace(WRONG, verdict=Verdict.MISSING, message=f"Is {meant} meant?", meant=meant, got="")


def hidden(case: CaseResult, call: str = "f(123456)") -> CaseResult:
    return replace(case, hidden=True, call=call)


def question(slug: str, *cases: CaseResult, unseen: int = 0, **more: object) -> QuestionReport:
    counts: dict[str, int] = {}
    for case in cases:
        counts[case.verdict.value] = counts.get(case.verdict.value, 0) + 1
    if cases:
        counts[cases[0].verdict.value] += unseen
    total, passed = len(cases) + unseen, counts.get("AC", 0)
    made = QuestionReport(slug, slug, f"bo_{slug}", passed, total, 0.0, 1.0, True, counts, list(cases))
    return replace(made, **more)  # type: ignore[arg-type]


def report(*questions: QuestionReport) -> Report:
    return Report(False, 0.0, 1.0, list(questions))


GROUPS = [
    ("a wrong value", [[WRONG, replace(WRONG, call="f(9)")]], [["f(9)", "f(11)"]]),
    ("a wrong value in two questions", [[WRONG], [WRONG]], [["f(11)"], ["f(11)"]]),
    ("too much and too little is accepted", [[SAYS_TRUE, SAYS_FALSE]], [["f(2)"], ["f(3)"]]),
    ("a value and its type", [[WRONG, NONE]], [["f(11)"], ["f(4)"]]),
    ("one line", [[raises(3, "KeyError: 1"), raises(3, "KeyError: 2", "g()")]], [["g()", "f(5)"]]),
    (
        "one line in two questions",
        [[WRONG, raises(3, "KeyError: 1")], [raises(3, "KeyError: 2")]],
        [["f(5)", "f(5)"], ["f(11)"]],
    ),
    ("two lines", [[raises(3, "KeyError: 1"), raises(4, "KeyError: 1")]], [["f(5)"], ["f(5)"]]),
    ("two exceptions on a line", [[raises(3, "KeyError: 1"), raises(3, "IndexError")]], [["f(5)"], ["f(5)"]]),
    ("two lines of one loop", [[loops(3, "f"), loops(4, "f")]], [["f(11)", "f(11)"]]),
    ("two loops", [[loops(3, "f"), loops(4, "g")]], [["f(11)"], ["f(11)"]]),
    ("wrong names", [[misnamed("a")], [misnamed("b")]], [["f(11)", "f(11)"]]),
    ("a name of another question", [[misnamed("bo_q2")], [WRONG]], [["f(11)"], ["f(11)"]]),
    ("nothing", [[replace(WRONG, verdict=Verdict.AC)], [replace(WRONG, verdict=Verdict.NOT_RUN)]], []),
]


@pytest.mark.parametrize(("cases", "groups"), [each[1:] for each in GROUPS], ids=[each[0] for each in GROUPS])
def test_cases_are_grouped_by_their_cause(cases: list[list[CaseResult]], groups: list[list[str]]) -> None:
    made = report(*(question(f"q{number}", *each) for number, each in enumerate(cases, start=1)))
    assert [[case.call for _, case in cause.cases] for cause in diagnosis(made).causes] == groups


def test_wrong_names_are_said_once() -> None:
    found = diagnosis(report(question("q1", misnamed("a"), misnamed("a")), question("q2", misnamed("b"))))
    (cause,) = found.shared
    assert cause.headlines == [
        "Q1 needs `bo_q1`; you have `a`: rename it?",
        "Q2 needs `bo_q2`; you have `b`: rename it?",
    ]
    assert cause.title == "2 functions have the wrong name"
    assert found.own == {"q1": [], "q2": []}


def test_a_function_that_another_question_asks_for_is_not_renamed() -> None:
    (cause, *_) = diagnosis(report(question("q1", misnamed("bo_q2")), question("q2", WRONG))).causes
    assert cause.title == "Is bo_q2 meant?"


UNSEEN = [
    ("of the same verdict", question("q1", hidden(WRONG), unseen=30), 30, 0),
    ("two causes of that verdict", question("q1", hidden(SAYS_TRUE), SAYS_FALSE, unseen=30), 0, 30),
    ("only a number is shown", question("q1", WRONG, unseen=30), 0, 30),
    ("no case is needed", question("q1", replace(WRONG, verdict=Verdict.SYNTAX), unseen=30), 30, 0),
    ("a twin is none of them", question("q1", hidden(WRONG), unseen=30, shows=Shows.TWIN, twin=hidden(WRONG)), 31, 0),
]


@pytest.mark.parametrize(("asked", "known", "left"), [each[1:] for each in UNSEEN], ids=[each[0] for each in UNSEEN])
def test_cases_that_are_not_shown_are_counted_where_they_belong(asked: QuestionReport, known: int, left: int) -> None:
    found = diagnosis(report(asked))
    assert (sum(cause.unseen for cause in found.causes), found.unseen["q1"]) == (known, left)


def test_a_file_that_cannot_be_read_has_one_cause() -> None:
    broken = replace(WRONG, verdict=Verdict.SYNTAX, message="No.", got="")
    found = diagnosis(report(question("q1", broken, unseen=9), question("q2", broken)))
    assert found.whole
    assert [cause.title for cause in found.causes] == ["No"]
    assert diagnosis(report(question("q1", broken))).whole
    assert not diagnosis(report(question("q1", WRONG), question("q2", WRONG))).whole
