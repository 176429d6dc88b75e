"""Whole players through the real sandbox: each file under `players/` says in its first line which verdicts each
question gets."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from grader.authoring.course_folder.course import builtin
from grader.comparing.judging import PRINTED_INSTEAD
from grader.definition.paper import Paper, paper
from grader.definition.question import Shows
from grader.grading.grade import full_report
from grader.grading.report import FLOOD, QuestionReport, Report
from grader.programs.jails import Jails
from sandbox.api import Limits, Sandbox, Verdict
from tests.papers import examples_only, hidden_cases, whole_paper, with_questions
from tournament.play.games import find_game

BO = find_game("bo")
PLAYERS = sorted((Path(__file__).parent / "players").glob("*.py"))


QUESTIONS = builtin("bo").questions


@cache
def few() -> Paper:
    """The whole assignment with one in nine of the hidden cases, and with less time for a call."""
    hasty = [each.model_copy(update={"call_s": 0.3, "shows": Shows.ALL}) for each in QUESTIONS]
    cases = {question: found[::9] for question, found in hidden_cases("bo").items()}
    return paper(with_questions(builtin("bo"), *hasty), cases)


def jails(sandbox: Sandbox) -> Jails:
    return Jails(lambda: sandbox, lambda: sandbox, limits=Limits(load_s=0.5))


def report_on(name: str, sandbox: Sandbox, asked: Paper | None = None) -> Report:
    source = (Path(__file__).parent / "players" / f"{name}.py").read_bytes()
    return full_report(asked or few(), source, jails(sandbox))


def first(report: Report) -> QuestionReport:
    return report.questions[0]


def expected_verdicts(player: Path) -> dict[str, set[str]]:
    line = player.read_text(encoding="utf-8").splitlines()[0]
    said = {name: set(verdicts.split()) for name, verdicts in re.findall(r"(\w+): ([A-Z ]+)", line)}
    rest = said.pop("rest")
    return {question.slug: said.get(question.slug, rest) for question in QUESTIONS}


@pytest.mark.parametrize("player", PLAYERS, ids=lambda path: path.stem)
def test_each_question_gets_its_verdicts(player: Path, sandbox: Sandbox) -> None:
    report = full_report(few(), player.read_bytes(), jails(sandbox))
    assert {question.slug: set(question.verdicts) for question in report.questions} == expected_verdicts(player)
    for question in report.questions:
        assert question.total == len(few().checks[question.slug])
        for case in question.cases:
            assert case.passed == (case.message == "")


def test_the_reference_player_passes_everything_and_qualifies(sandbox: Sandbox) -> None:
    report = full_report(
        whole_paper("bo"), (BO.folder / "reference.py").read_bytes(), Jails(lambda: sandbox, lambda: sandbox)
    )
    assert report.qualifies
    assert report.points == report.max_points == sum(question.points for question in QUESTIONS)
    assert all(question.passed == question.total for question in report.questions)
    assert report.notes == []


def test_the_starter_file_does_not_qualify(sandbox: Sandbox) -> None:
    assert not full_report(
        whole_paper("bo"), (BO.folder / "starter.py").read_bytes(), Jails(lambda: sandbox, lambda: sandbox)
    ).qualifies


def test_a_second_run_gives_the_same_report_but_for_the_times(sandbox: Sandbox) -> None:
    source = b"import random\n\ndef comp10001bo_match_build(card, pile):\n    return random.random() < 0.5\n"
    once, again = (full_report(few(), source, Jails(lambda: sandbox, lambda: sandbox)) for _ in range(2))
    assert without_times(once) == without_times(again)
    assert 0 < first(once).passed < first(once).total


def without_times(report: Report) -> list[Any]:
    return [replace(case, cpu_ms=0.0) for question in report.questions for case in question.cases]


def test_only_the_cases_that_crash_fail(sandbox: Sandbox) -> None:
    question = first(report_on("raises_on_empty_piles", sandbox))
    failed = [case for case in question.cases if not case.passed]
    assert 0 < len(failed) < question.total
    assert all(case.call.endswith(", [])") for case in failed)
    assert all(case.line == 7 and "IndexError" in case.traceback for case in failed)


def test_only_the_case_that_loops_fails(sandbox: Sandbox) -> None:
    question = first(report_on("loops_in_one_case", sandbox))
    [failed] = [case for case in question.cases if not case.passed]
    assert (failed.verdict, failed.call) == (Verdict.TLE, "comp10001bo_match_build('AH', ['2D', '3H'])")
    assert failed.cpu_ms >= 300


def test_every_case_of_a_file_that_does_not_load_says_why(sandbox: Sandbox) -> None:
    report = report_on("syntax_error", sandbox)
    assert {case.line for question in report.questions for case in question.cases} == {2}
    assert report.points == 0
    assert not report.qualifies


def test_a_missing_function_fails_its_question_alone(sandbox: Sandbox) -> None:
    report = report_on("right_in_one", sandbox)
    assert [question.points for question in report.questions] == [1.0, 0.0, 0.0, 0.0]
    missing_one = report.questions[1].cases[0]
    assert "comp10001bo_match_discard" in missing_one.message


def test_a_function_with_nearly_the_right_name_is_found(sandbox: Sandbox) -> None:
    source = b"def match_build(card, pile):\n    return True\n"
    report = full_report(examples_only("bo"), source, Jails(lambda: sandbox, lambda: sandbox))
    assert [question.cases[0].meant for question in report.questions] == ["match_build", "", "", ""]


def test_printing_instead_of_returning_is_recognised(sandbox: Sandbox) -> None:
    case = first(report_on("prints_instead_of_returning", sandbox)).cases[0]
    assert case.output == "True\n"
    assert case.message == PRINTED_INSTEAD


def test_printing_instead_of_returning_is_recognised_where_several_answers_are_right(sandbox: Sandbox) -> None:
    (question,) = [each for each in builtin("uno").questions if each.function == "uno_pick_card"]
    asked = examples_only("uno", question)
    case = first(
        full_report(asked, b"def uno_pick_card(*args):\n    print(-2)\n", Jails(lambda: sandbox, lambda: sandbox))
    ).cases[0]
    assert case.message == PRINTED_INSTEAD


def test_output_belongs_to_the_case_that_printed_it(sandbox: Sandbox) -> None:
    source = b"""
print("loaded")

def comp10001bo_match_build(card, pile):
    print(card)
    return len(pile) / 0 if card == "3C" else False
"""
    cases = first(full_report(few(), source, Jails(lambda: sandbox, lambda: sandbox))).cases
    outputs = {case.call: case.output for case in cases if not case.hidden}
    assert outputs["comp10001bo_match_build('2S', [])"] == "loaded\n2S\n"
    assert outputs["comp10001bo_match_build('3C', ['2C'])"] == "3C\n"  # it crashes
    assert outputs["comp10001bo_match_build('AH', ['2D', '3H'])"] == "AH\n"  # in a fresh process


def test_a_flood_is_a_note_and_no_failure(sandbox: Sandbox) -> None:
    report = report_on("floods", sandbox)
    assert first(report).passed == first(report).total
    assert report.notes == [FLOOD]
    assert first(report).cases[-1].flood


def test_two_globals_are_noted(sandbox: Sandbox) -> None:
    source = b"a = []\nb = {}\ndef f():\n    a.append(1)\n    b[1] = 2\n"
    report = full_report(few(), source, Jails(lambda: sandbox, lambda: sandbox))
    [note] = report.notes
    assert [line for line, _ in report.line_notes] == [1, 2]
    assert note.startswith("Your functions change 2 global variables (a and b)")


@pytest.mark.parametrize(
    "source", [b"x = " + b"-" * 90_000 + b"1", b"(" * 5_000, b"a" + b".b" * 50_000, b"\x00", b"\xff"]
)
def test_a_source_that_could_crash_a_parser_gets_a_report(source: bytes, sandbox: Sandbox) -> None:
    report = full_report(few(), source, Jails(lambda: sandbox, lambda: sandbox))
    assert not report.qualifies
    assert report.notes == []
