"""How long the accepted submissions of a package take: from that follows a time limit, where it has none."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from grader.problem_packages.contents import PackageContents
from grader.problem_packages.importing import to_question
from grader.programs.grading import grade_program
from grader.programs.jails import ProgramJails

GENEROUS_S: Final = 20.0
"""Seconds of CPU time that an accepted submission may take in one case."""


@dataclass(frozen=True, slots=True)
class Timing:
    """How the accepted submissions did. `slowest_s`: the most seconds of CPU time of one case, in hundredths; None if
    none of them passes. `failed` names those that do not, with the first case."""

    slowest_s: float | None
    failed: tuple[str, ...]


def time_accepted(contents: PackageContents, jails: ProgramJails, heard: Callable[[str], None]) -> Timing:
    """Run the accepted submissions in all languages that are offered. `heard` is told which one. Raises SandboxError,
    AuthorError for a validator that does not work, and PackageError."""
    slowest: float | None = None
    failed = []
    for program in contents.accepted:
        heard(program.path)
        question = to_question(contents, "timed", program.language).question
        files = {path: text.encode() for path, text in program.with_main(question.required[0]).items()}
        graded = grade_program(question.model_copy(update={"cpu_s": GENEROUS_S}), files, jails)
        wrong = next((result for result in graded.results if not result.passed), None)
        if wrong:
            failed.append(f"{program.path}: it is said to be right, but gets {wrong.verdict} in {wrong.case.slug}")
        else:
            slowest = max(slowest or 0.0, *(result.cpu_s for result in graded.results))
    return Timing(None if slowest is None else math.ceil(slowest * 100) / 100, tuple(failed))
