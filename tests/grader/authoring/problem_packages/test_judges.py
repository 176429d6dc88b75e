"""Every judge's solution in the examples of the reference tools that is in an offered language gets the verdict that
its folder names: as a student's upload to the question that the package becomes in that language."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from grader.authoring.check import check_program
from grader.authoring.problem_packages.contents import PackageProgram, read_contents
from grader.authoring.problem_packages.importing import to_question
from grader.authoring.problem_packages.package import PackageError, open_package
from grader.definition.question import ProgramQuestion
from grader.programs.grading import ProgramGraded, grade_program
from grader.programs.jails import Jails
from sandbox.api import Verdict
from tests.grader.authoring.problem_packages.packages import imported, written
from tests.grader.authoring.problem_packages.sources import problemtools

pytestmark = pytest.mark.full

EXPECTED = {
    "wrong_answer": (Verdict.WA,),
    "run_time_error": (Verdict.RTE, Verdict.EXIT, Verdict.MLE),  # the format has one word for all three
    "time_limit_exceeded": (Verdict.TLE,),
}
"""The verdicts of ours that the first failed case may have."""

TIGHT: dict[str, dict[str, float]] = {"time_limit_exceeded": {"cpu_s": 0.2}, "run_time_error": {"memory_mib": 64}}
"""Limits for submissions that exceed any."""


@pytest.mark.slow
@pytest.mark.parametrize(("example", "count"), [("different", 7), ("hello", 5), ("oddecho", 3)])
def test_judges_solutions_get_their_verdicts(
    example: str, count: int, jails: Jails, pytestconfig: pytest.Config
) -> None:
    contents = read_contents(open_package(problemtools(pytestconfig) / "examples" / example))
    offered = [(folder, program) for folder, program in contents.programs if program.language]
    assert len(offered) == count
    for folder, program in offered:
        question = to_question(contents, example, program.language).question
        question = question.model_copy(update=TIGHT.get(folder, {}))
        graded = ProgramGraded.of(grade_program(question, sent(program, question), jails))
        assert is_as_expected(folder, [result.verdict for result in graded.results]), (program.path, graded)


def sent(program: PackageProgram, question: ProgramQuestion) -> dict[str, bytes]:
    return {path: text.encode() for path, text in program.with_main(question.required[0]).items()}


def is_as_expected(folder: str, verdicts: Sequence[Verdict]) -> bool:
    """As the format has it: the first case that fails decides. Partly accepted is what passes some cases."""
    failed = [verdict for verdict in verdicts if verdict is not Verdict.AC]
    if folder == "accepted":
        return not failed
    if folder == "partially_accepted":
        return 0 < len(failed) < len(verdicts)
    return bool(failed) and failed[0] in EXPECTED[folder]


def test_the_check_of_a_course_knows_what_the_formats_verdicts_mean(tmp_path: Path, jails: Jails) -> None:
    """A run-time error is any crash and too much memory; out of time is also who sleeps."""
    changes = {
        "problem.yaml": "limits: {time_limit: 0.5, memory: 64}\n",
        "submissions/run_time_error/memory.py": "b'1' * 10 ** 10\n",
        "submissions/run_time_error/crash.py": "1 / 0\n",
        "submissions/time_limit_exceeded/waits.py": "import time\ntime.sleep(9)\n",
        "submissions/wrong_answer/crash.py": "1 / 0\n",
    }
    question = imported(written(tmp_path, changes)).question
    found = check_program(question, jails, lambda _: None).problems
    assert [problem.file for problem in found] == ["questions/double/submissions/WA/crash"]


def test_an_interactive_example_is_refused(pytestconfig: pytest.Config) -> None:
    package = open_package(problemtools(pytestconfig) / "examples" / "guess")
    with pytest.raises(PackageError, match="interactive"):
        read_contents(package)
