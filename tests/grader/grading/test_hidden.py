"""What a student is shown depends only on what the student may see: exchanging the hidden cases changes nothing but
what `grader.grading.report` declares, whatever the player tries."""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import pytest

from grader.definition.paper import Paper
from grader.definition.question import Shows
from grader.grading import grade
from grader.grading.grade import Drawn, twins
from grader.grading.questioning import MAX_TIMEOUTS, Questioning, Spent, program_for
from grader.grading.report import FLOOD, QuestionReport, Report, assemble, for_student, trim
from grader.programs.jails import Jails
from grader.programs.shown import CaseResult
from grader.submissions.work import Progress
from sandbox.api import Sandbox
from tests.grader.grading.hidden import PLAYERS, SETS, assert_same, graded, player, without_times

Shown: TypeAlias = tuple[Report, list[dict[str, Any]]]
"""What a student sees of a grading: the report, and the states of the live progress."""


def shown(sandbox: Sandbox, does: str, hidden: str) -> Shown:
    report, told = graded(sandbox, player(PLAYERS[does]), hidden)
    return for_student(trim(report)), told


def undeclared(seen: Shown) -> str:
    """What of it may not depend on hidden cases."""
    report, told = seen
    data = report.to_json() | {"points": 0, "qualifies": False}
    data["questions"] = [_undeclared(each) for each in data["questions"]]
    return json.dumps(without_times([data, told]))


def _undeclared(question: dict[str, Any]) -> dict[str, Any]:
    declared = {"passed": 0, "points": 0, "twin": None, "more_twins": [], "sought": ""}
    if question["shows"] == Shows.NUMBER:
        declared["verdicts"] = {word: number for word, number in question["verdicts"].items() if word != "AC"}
    else:
        declared |= {"verdicts": {}, "stopped": ""}
    return question | declared | {"cases": [case for case in question["cases"] if not case["hidden"]]}


def of(seen: Shown, shows: Shows) -> QuestionReport:
    return next(each for each in seen[0].questions if each.shows is shows)


@pytest.mark.parametrize("does", PLAYERS)
def test_exchanging_the_hidden_cases_changes_only_what_is_declared(does: str, sandbox: Sandbox) -> None:
    one, other = (shown(sandbox, does, each) for each in SETS)
    assert_same(undeclared(one), undeclared(other))
    similar = [[replace(each, cpu_ms=0.0) for each in of(seen, Shows.TWIN).twins] for seen in (one, other)]
    assert similar[0] == similar[1] or [] in similar
    (_, *others) = SETS["odd"]
    assert not any(str(n) in repr(of(one, Shows.SMALLEST)) for n in others), "of the hidden cases only the smallest"


# Each wall is needed


def dealt_together(self: Questioning, hidden: bool) -> None:
    self._waiting.extend(() if hidden else self._checks)


def question_by_question(
    paper: Paper, source: bytes, jails: Jails, filename: str, spent: Spent
) -> Iterator[CaseResult]:
    for question in paper.functions:
        player = Questioning(question, paper, program_for(question, paper, source, filename), jails, spent)
        for hidden in (False, True):
            player.deal(hidden)
            for tries in range(MAX_TIMEOUTS + 2):
                yield from player.results(tries)


def noting_all_floods(paper: Paper, results: Collection[CaseResult], *more: Any) -> Report:
    return replace(assemble(paper, results, *more), notes=[FLOOD] * any(each.flood for each in results))


def counting_what_passes(self: Progress, result: CaseResult) -> None:
    self.done[result.question] += result.passed


def twins_of_a_case(drawn: Drawn, graded: Collection[str], cause: Any) -> Any:
    return twins(drawn._replace(origin=(min(graded), *drawn.origin[1:])), graded, cause)


MUTATIONS: Mapping[str, tuple[object, str, object, str]] = {
    "a process gets visible and hidden cases": (Questioning, "deal", dealt_together, "returns it"),
    "one question after the other": (grade, "grade", question_by_question, "uses the budget up"),
    "a note about what any case prints": (grade, "assemble", noting_all_floods, "prints too much"),
    "progress that counts what passes": (Progress, "hear", counting_what_passes, "passes"),
    "twins that follow from a hidden case": (grade, "twins", twins_of_a_case, "prints it"),
}


@pytest.mark.full
@pytest.mark.parametrize("wall", MUTATIONS)
def test_without_a_wall_a_player_gets_through(wall: str, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    where, name, mutated, does = MUTATIONS[wall]
    monkeypatch.setattr(where, name, mutated)
    with pytest.raises(AssertionError):
        test_exchanging_the_hidden_cases_changes_only_what_is_declared(does, sandbox)


def test_where_only_the_number_is_shown_no_verdict_is(sandbox: Sandbox) -> None:
    report, _ = graded(sandbox, player(PLAYERS["chooses the type"]), "odd")
    told = of((for_student(trim(report)), []), Shows.NUMBER)
    assert (told.verdicts, told.untold) == ({"WA": 4}, 10)
    assert (told.passed, told.total) == (0, 14)
