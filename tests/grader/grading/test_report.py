"""How results become a report, and what is kept of it."""

import json
import zlib
from dataclasses import replace
from typing import Any

import pytest

from grader.definition.model import Definition
from grader.definition.paper import paper
from grader.definition.question import FunctionQuestion, Gate, Shows
from grader.grading.report import KEPT_FAILURES, KEPT_OUTPUT, assemble, pack, trim, unpack
from grader.programs.shown import CaseResult
from sandbox.api import Verdict

PASS = CaseResult("q1", "", "f(1)", "True", "True", Verdict.AC, "", 0.1, hidden=False)
FAIL = replace(PASS, got="False", verdict=Verdict.WA, message="Returned False, expected True.")


DEFINITION = Definition(
    title="Two questions, of which the second decides on entry",
    questions=(
        FunctionQuestion(
            slug="q1", title="First", function="f", parameters=("x",), points=3.0, gate=Gate.EXAMPLES, shows=Shows.ALL
        ),
        FunctionQuestion(slug="q2", title="Second", function="g", parameters=("x",), gate=Gate.ALL, shows=Shows.ALL),
    ),
)


def report_on(*results: CaseResult) -> Any:
    return assemble(paper(DEFINITION, {}), results)


def hidden(result: CaseResult, call: str) -> CaseResult:
    return replace(result, hidden=True, call=call)


def test_points_are_in_proportion_to_the_cases_passed() -> None:
    report = report_on(PASS, PASS, FAIL, replace(PASS, question="q2"))
    assert [question.points for question in report.questions] == [2.0, 1.0]
    assert (report.points, report.max_points) == (3.0, 4.0)


@pytest.mark.parametrize(
    ("passed", "failed", "points"),
    [(1, 2, 0.33), (2, 1, 0.66), (1481, 5, 0.99), (29, 71, 0.29), (1, 199, 0.0), (1486, 0, 1.0)],
)
def test_points_are_rounded_down_to_hundredths(passed: int, failed: int, points: float) -> None:
    report = report_on(*[replace(result, question="q2") for result in [PASS] * passed + [FAIL] * failed])
    assert report.questions[1].points == points
    assert report.points == round(3.0 + points, 2)


def test_examples_come_first_then_the_smallest_failing_hidden_case() -> None:
    results = [PASS, FAIL, hidden(PASS, "f()"), hidden(FAIL, "f(1111)"), hidden(FAIL, "f(11)"), hidden(FAIL, "f(111)")]
    calls = [case.call for case in report_on(*results).questions[0].cases]
    assert calls == ["f(1)", "f(1)", "f(11)", "f(111)", "f(1111)", "f()"]


def not_run(result: CaseResult) -> CaseResult:
    return replace(result, got="", verdict=Verdict.NOT_RUN, message="Why.")


def test_what_was_not_run_counts_as_not_passed_and_as_nothing_else() -> None:
    report = report_on(PASS, FAIL, *[not_run(PASS)] * 4)
    [question, _] = report.questions
    assert (question.run, question.not_run, question.stopped) == (2, 4, "Why.")
    assert question.verdicts == {"AC": 1, "WA": 1, "NOT_RUN": 4}
    assert question.points == 0.5  # of 3, for one of six
    assert not any(case.failed for case in question.cases[2:])


def test_what_was_not_run_stands_after_all_failures_and_is_stored_for_examples_only() -> None:
    results = [not_run(PASS), FAIL, not_run(hidden(PASS, "f(2)")), hidden(FAIL, "f(3)"), hidden(PASS, "f(4)")]
    report = report_on(*results)
    verdicts = [[case.verdict.value for case in each.questions[0].cases] for each in (report, trim(report))]
    assert verdicts == [["WA", "WA", "NOT_RUN", "NOT_RUN", "AC"], ["WA", "WA", "NOT_RUN"]]


def test_a_report_of_a_time_when_nothing_said_what_was_not_run_still_loads() -> None:
    data = report_on(PASS, FAIL).to_json()
    for question in data["questions"]:
        del question["stopped"]
        for case in question["cases"]:
            del case["meant"]
    old = unpack(zlib.compress(json.dumps(data).encode()))
    assert [(each.run, each.stopped) for each in old.questions] == [(2, ""), (0, "")]


def test_a_trimmed_report_keeps_the_counts() -> None:
    failures = [hidden(FAIL, f"f({'1' * size})") for size in range(100, 0, -1)]
    report = trim(report_on(PASS, FAIL, *failures, hidden(PASS, "f()")))
    question = report.questions[0]
    assert (question.passed, question.total, question.verdicts) == (2, 103, {"AC": 2, "WA": 101})
    assert [case.hidden for case in question.cases] == [False] * 2 + [True] * KEPT_FAILURES
    assert question.cases[2].call == "f(1)"


def test_a_trimmed_report_cuts_long_output() -> None:
    [case] = trim(report_on(replace(PASS, output="x" * 60_000))).questions[0].cases
    assert (len(case.output), case.flood) == (KEPT_OUTPUT, True)


def test_a_packed_report_is_the_same_report() -> None:
    report = report_on(PASS, replace(FAIL, traceback="…", line=3, output="♠\n\0", flood=True))
    assert unpack(pack(report)) == report


def test_the_json_has_the_promised_keys() -> None:
    data = json.loads(json.dumps(report_on(PASS, FAIL).to_json()))
    assert {"qualifies", "questions"} <= data.keys()
    assert {"slug", "passed", "total", "cases"} <= data["questions"][0].keys()
    assert {"call", "expected", "got", "verdict", "message", "cpu_ms"} <= data["questions"][0]["cases"][0].keys()
    assert data["questions"][0]["cases"][1]["verdict"] == "WA"
