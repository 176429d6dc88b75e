"""Every judge's solution in the examples of the reference tools that is in an offered language gets the verdict that
its folder names: as a student's upload to the question that the package becomes in that language."""

from collections.abc import Iterator, Sequence

import pytest

from grader.definition.programs import ProgramQuestion
from grader.problem_packages.contents import read_contents
from grader.problem_packages.errors import PackageError
from grader.problem_packages.files import open_package
from grader.problem_packages.importing import to_question
from grader.problem_packages.programs import PackageProgram
from grader.programs.grading import grade_program
from grader.programs.jails import ProgramJails
from sandbox.api import Sandbox, SandboxUnavailable, Verdict
from sandbox.choose import open_program_sandbox
from tests.grader.problem_packages.sources import problemtools
from tests.services import missing

EXPECTED = {
    "wrong_answer": (Verdict.WA,),
    "run_time_error": (Verdict.RTE, Verdict.EXIT, Verdict.MLE),  # the format has one word for all three
    "time_limit_exceeded": (Verdict.TLE,),
}
"""The verdicts of ours that the first failed case may have."""

HASTY_S = 0.5
"""The time limit for a submission that is out of time under any."""


@pytest.fixture(scope="module")
def jails(sandbox: Sandbox) -> Iterator[ProgramJails]:
    try:
        opened = open_program_sandbox()
    except SandboxUnavailable:
        missing("a sandbox for programs")
    with opened:
        for tool in ("g++", "gcc", "python3"):
            if opened.missing(tool):
                missing(tool)
        yield ProgramJails(opened, lambda: sandbox)


@pytest.mark.slow
@pytest.mark.parametrize(("example", "count"), [("different", 7), ("hello", 5), ("oddecho", 3)])
def test_judges_solutions_get_their_verdicts(
    example: str, count: int, jails: ProgramJails, pytestconfig: pytest.Config
) -> None:
    contents = read_contents(open_package(problemtools(pytestconfig) / "examples" / example))
    offered = [(folder, program) for folder, program in contents.programs if program.language]
    assert len(offered) == count
    for folder, program in offered:
        question = to_question(contents, example, program.language).question
        if folder == "time_limit_exceeded":
            question = question.model_copy(update={"cpu_s": HASTY_S})
        graded = grade_program(question, sent(program, question), jails)
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


def test_an_interactive_example_is_refused(pytestconfig: pytest.Config) -> None:
    package = open_package(problemtools(pytestconfig) / "examples" / "guess")
    with pytest.raises(PackageError, match="interactive"):
        read_contents(package)
