"""Grades one program: builds it, runs it on every case, and judges what it did.

Expected output never enters a jail of the student's. What a grading may cost is bounded: three cases out of time end
it, and so does the budget for all runs; a case that is not run gets the verdict `NOT_RUN` and nothing else. A case that
fails is run a second time, to tell a program whose output is not the same each time from one that is wrong.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import thread_time
from typing import Final

from grader.definition.programs import ProgramQuestion, Warnings
from grader.languages import LANGUAGES
from grader.programs.building import Built, build
from grader.programs.examination import Examination, ProgramResult
from grader.programs.jails import ProgramJails
from grader.programs.merging import merge
from grader.programs.shown import Build
from sandbox.api import Verdict

GRADING_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class ProgramGraded:
    """How a program went: one result for each case, in order."""

    build: Build
    results: list[ProgramResult]


Heard = Callable[[ProgramResult], None]


def grade_program(
    question: ProgramQuestion,
    uploaded: Mapping[str, bytes],
    jails: ProgramJails,
    heard: Heard = lambda result: None,
    most_s: float = GRADING_S,
) -> ProgramGraded:
    """Grade the files of an upload. `heard` is called with each result as soon as it is known. `most_s`: seconds that
    all runs together may take, with what this side has to do for them, or half of what the cases' limits allow, if that
    is more. Raises SandboxError, and
    AuthorError for a mistake in a checker or a validator."""
    began = thread_time()
    merged = merge(question, uploaded)
    if merged.missing:
        lacks = Build(False, "", missing=merged.missing, replaced=merged.replaced)
        message = f"Your upload has no {', '.join(merged.missing)}, so nothing was run."
        return ProgramGraded(lacks, _alike(question, Verdict.MISSING, message, heard))
    with jails.programs.open() as jail:
        built = build(question, merged, jails, jail)
        if why := _refusal(question, built):
            return ProgramGraded(built.build, _alike(question, *why, heard))
        results = []
        with Examination(question, merged, built.files, jails, jail, thread_time() - began) as examination:
            for case in question.cases:
                result = examination.result(case, max(most_s, question.cpu_s * len(question.cases) / 2))
                heard(result)
                results.append(result)
        return ProgramGraded(built.build, results)


def _refusal(question: ProgramQuestion, built: Built) -> tuple[Verdict, str] | None:
    """Why nothing is run, if it is not: the verdict of every case, and a sentence."""
    found = built.build.diagnostics
    if not built.runs:
        first = next((each for each in found if each.kind == "error"), None)
        message = "Your program could not be built, so nothing was run."
        if first:
            where = f" at {first.file}:{first.line}" if first.line else ""
            message = f"Your program could not be built, so nothing was run. The first error{where}: {first.message}"
        return LANGUAGES[question.language].unbuilt, message
    if question.warnings is Warnings.FAIL and built.build.warnings:
        count = f"{built.build.warnings} warning{'s' if built.build.warnings > 1 else ''}"
        return Verdict.CE, f"The compiler gave {count}. This question accepts none, so nothing was run."
    return None


def _alike(question: ProgramQuestion, verdict: Verdict, message: str, heard: Heard) -> list[ProgramResult]:
    results = [ProgramResult(case, verdict, message) for case in question.cases]
    for each in results:
        heard(each)
    return results
