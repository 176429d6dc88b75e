"""Grades the programs of a submission, and puts what came of them into the form of all results."""

from collections.abc import Callable, Mapping

from grader.definition.paper import Paper
from grader.definition.programs import ProgramQuestion
from grader.grading.jails import Jails
from grader.grading.report import CaseResult
from grader.programs.grading import ProgramResult, grade_program
from grader.programs.jails import ProgramJails, kept_objects
from grader.programs.running import typed
from grader.programs.shown import Build


def grade_programs(
    paper: Paper, files: Mapping[str, bytes], jails: Jails, heard: Callable[[CaseResult], None]
) -> dict[str, Build]:
    """Grade the files of an upload by every question of the paper that asks for a program. `heard` is called with each
    result as soon as it is known. Returns how each was built, by the question's slug. Raises SandboxError, and
    AuthorError for a mistake in a checker or a validator."""
    if not paper.programs:
        return {}
    own = program_jails(jails)
    builds = {}
    for question in paper.programs:
        hear = _hearing(question, heard)
        builds[question.slug] = grade_program(question, files, own, hear, jails.limits.grading_s).build
    return builds


def program_jails(jails: Jails) -> ProgramJails:
    """The jails for programs among those of a grading. Raises SandboxError."""
    return ProgramJails(jails.programs(), jails.authors, kept_objects(), jails.owner, jails.working)


def _hearing(question: ProgramQuestion, heard: Callable[[CaseResult], None]) -> Callable[[ProgramResult], None]:
    return lambda result: heard(case_result(question, result))


def case_result(question: ProgramQuestion, result: ProgramResult) -> CaseResult:
    """The result of a program's case, like those of all questions."""
    return CaseResult(
        question=question.slug,
        title=result.case.title,
        call=result.run.command if result.run else typed(question, result.case),
        expected="",
        got="",
        verdict=result.verdict,
        message=result.message,
        cpu_ms=round(result.cpu_s * 1000, 3),
        hidden=result.case.hidden,
        run=result.run,
    )
