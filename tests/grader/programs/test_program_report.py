"""Programs in the report of a submission, beside functions: their points, and what students may see of their cases."""

import json
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from grader.comparing.marking import OutputDifference
from grader.definition.model import AnyQuestion, Definition
from grader.definition.paper import paper
from grader.definition.question import FunctionQuestion, Shows, Warnings
from grader.grading.grade import full_report
from grader.grading.report import Report, assemble, for_student, pack, trim, unloadable, unpack
from grader.programs.grading import result_of
from grader.programs.jails import Jails
from grader.programs.shown import Build, ProgramBuilt, Run
from grader.submissions.work import Progress
from sandbox.api import Limits, Sandbox, SandboxError, Verdict
from sandbox.choose import open_program_sandbox
from sandbox.programs import ProgramSandbox
from tests.grader.programs.conftest import ECHO, question

SECRET = "a secret"
HIDDEN = {
    **ECHO,
    "slug": "02-x",
    "title": f"{SECRET} title",
    "hidden": True,
    "input": SECRET,
    "output": f"{SECRET} out",
}
FUNCTION = FunctionQuestion(slug="q1", title="One", function="f", parameters=("x",), examples=">>> f(1)\n1")


def reported(verdicts: str, found: int = 0, **changed: Any) -> Report:
    """The report of a program whose cases, a visible one and hidden ones, got these verdicts."""
    given = verdicts.split()
    cases = [ECHO, *({**HIDDEN, "slug": f"hidden-{number}"} for number in range(len(given) - 1))]
    asked = question(cases=cases, points=10, **changed)
    run = Run("./program", SECRET, difference=OutputDifference(1, 0, SECRET, SECRET), transcript=[("out", SECRET)])
    results = [
        result_of(asked, case, Verdict(verdict), SECRET if case.hidden else "", 0.1, run if case.hidden else None)
        for case, verdict in zip(asked.cases, given, strict=True)
    ]
    build = Build(True, "gcc", warnings=found)
    whole = paper(Definition(title="t", questions=(asked,)), {})
    return assemble(whole, [ProgramBuilt(asked.slug, build), *results])


@pytest.mark.parametrize(
    ("verdicts", "found", "warnings", "points"),
    [
        ("AC AC", 0, Warnings.COST, 10),
        ("AC WA", 0, Warnings.COST, 5),
        ("AC AC AC RTE", 0, Warnings.COST, 7.5),
        ("AC WA WA", 0, Warnings.COST, 3.33),
        ("AC AC", 2, Warnings.COST, 7),
        ("AC AC", 2, Warnings.ALLOW, 10),
        ("AC WA", 9, Warnings.COST, 0),
        ("CE CE", 2, Warnings.FAIL, 0),
        ("AC NOT_RUN", 0, Warnings.COST, 5),
    ],
)
def test_points_are_in_proportion_to_the_cases_and_warnings_may_cost_some(
    verdicts: str, found: int, warnings: Warnings, points: float
) -> None:
    report = reported(verdicts, found, warnings=warnings, warning_points=1.5)
    assert report.points == points


@pytest.mark.parametrize("shows", [each for each in Shows if each is not Shows.TWIN])
def test_students_see_of_hidden_cases_only_what_the_question_shows(shows: Shows) -> None:
    stored = unpack(pack(trim(reported("AC WA WA AC", shows=shows))))
    seen = for_student(stored)
    assert (SECRET in json.dumps(seen.to_json())) is (shows in (Shows.ALL, Shows.SMALLEST))
    assert seen.questions[0].verdicts == ({"AC": 2} if shows is Shows.NUMBER else {"AC": 2, "WA": 2})
    assert stored.questions[0].build == Build(True, "gcc")


EXCHANGED = {"odd": "1001 1003 1005 1007", "even": "1002 1004 1006 1008"}
"""What programs read in the hidden cases, in the one version and in the other."""

PROGRAMS = {
    "prints it": "print(n)",
    "raises it": "raise ValueError(n)",
    "prints too much": "print('x' * (200_000 if odd else 1))",
    "runs out of time": "while odd: pass",
    "uses the budget up": "import time; time.sleep(.25 if odd else 0)",
    "exits by it": "exit(3 if odd else 4)",
    "leaves a file": "open('left', 'a').write(n)",
}


def seen_of_program(jails: Jails, does: str, hidden: str) -> str:
    """A student's report of a Python program, without times."""
    cases = [
        {**HIDDEN, "slug": f"{number:02}", "input": text, "output": f"{text} is right"}
        for number, text in enumerate(EXCHANGED[hidden].split())
    ]
    shown = {**ECHO, "slug": "99-last", "input": "1\n", "output": "right"}
    asked = question(slug="p", language="python3", cases=(*cases, shown), shows=Shows.NUMBER, cpu_s=0.1, output_kib=64)
    source = f"n = input()\nodd = len(n) == 4 and int(n) % 2\n{PROGRAMS[does]}\nprint('wrong')\n"
    whole = full_report(
        paper(Definition(title="t", questions=(asked,)), {}), b"", jails, files={"main.py": source.encode()}
    )
    data = for_student(trim(whole)).to_json()
    (one,) = data["questions"]
    one["build"]["cpu_s"] = 0
    for case in one["cases"]:
        case["cpu_ms"] = case["run"]["memory_mib"] = 0
    return json.dumps(data)


@pytest.mark.full
@pytest.mark.parametrize("does", PROGRAMS)
def test_exchanging_hidden_cases_changes_nothing_that_a_student_sees(
    does: str, sandbox: Sandbox, programs: ProgramSandbox
) -> None:
    jails = Jails(lambda: sandbox, lambda: sandbox, lambda: programs, limits=Limits(grading_s=0.2))
    one, other = (seen_of_program(jails, does, hidden) for hidden in EXCHANGED)
    assert one == other
    assert '"hidden": false' in one


def test_progress_tells_nothing_of_hidden_cases() -> None:
    asked = question(cases=(ECHO, HIDDEN))
    progress = Progress(paper(Definition(title="t", questions=(asked,)), {}))
    for case in asked.cases:
        run = Run("./program", case.input, transcript=[("out", case.input)])
        progress.hear(result_of(asked, case, Verdict.WA, case.output, run=run))
    told = progress.to_json()
    assert SECRET not in json.dumps(told)
    assert (told["done"], told["total"], told["failed"]) == (2, 2, 1)


def graded(sandbox: Sandbox, questions: tuple[AnyQuestion, ...], source: bytes, files: dict[str, bytes]) -> Report:
    said: list[str] = []
    jails = Jails(lambda: sandbox, lambda: sandbox, cache(open_program_sandbox), working=said.append)
    report = full_report(paper(Definition(title="t", questions=questions), {}), source, jails, files=files)
    assert said[-1] == "running the program"
    return report


def test_a_submission_may_have_functions_and_programs(sandbox: Sandbox) -> None:
    program = question(slug="p", language="python3", cases=(ECHO,))
    report = graded(sandbox, (FUNCTION, program), b"def f(x):\n    return x\n", {"main.py": b"print(input())\n"})
    assert [(each.slug, each.points) for each in report.questions] == [("q1", 1), ("p", 1)]
    assert [each.build is not None for each in report.questions] == [False, True]


def test_a_submission_of_programs_needs_no_player(sandbox: Sandbox) -> None:
    program = question(slug="p", language="python3", cases=(ECHO,))
    report = graded(sandbox, (program,), b"", {"main.py": b"print(input())\n"})
    assert (report.points, report.notes) == (1, [])


def test_programs_are_an_internal_error_where_no_jail_is_for_them(sandbox: Sandbox) -> None:
    asked = paper(Definition(title="t", questions=(question(),)), {})
    with pytest.raises(SandboxError, match="without a sandbox for programs"):
        full_report(asked, b"", Jails(lambda: sandbox), files={"main.c": b""})


def test_what_a_program_is_asked_changes_the_version_and_what_it_shows_does_not() -> None:
    def version(**changed: Any) -> str:
        return paper(Definition(title="t", questions=(question(**changed),)), {}).version

    assert version(cpu_s=3.0) != version()
    assert version(shows=Shows.ALL, title="Another") == version()


def test_one_reason_for_every_case_is_not_told_instead_of_how_a_program_was_built() -> None:
    report = reported("CE CE")
    two = replace(report, questions=[*report.questions, *report.questions])
    assert unloadable(two) is None
