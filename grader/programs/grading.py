"""Grades one program: builds it, runs it on every case, and judges what it did."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from grader.definition.programs import ProgramCase, ProgramQuestion
from grader.programs.jails import ProgramJails
from grader.programs.shown import Build, Run
from sandbox.api import Verdict


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """How one case went. `message` is a sentence for the author of the program, empty if the case passed."""

    case: ProgramCase
    verdict: Verdict
    message: str
    cpu_s: float = 0.0
    run: Run | None = None

    @property
    def passed(self) -> bool:
        """Whether the case counts as passed."""
        return self.verdict is Verdict.AC


@dataclass(frozen=True, slots=True)
class ProgramGraded:
    """How a program went: one result for each case, in order."""

    build: Build
    results: list[ProgramResult]


def grade_program(
    question: ProgramQuestion,
    uploaded: Mapping[str, bytes],
    jails: ProgramJails,
    heard: Callable[[ProgramResult], None] = lambda result: None,
    most_s: float = 60.0,
) -> ProgramGraded:
    """Grade the files of an upload. `heard` is called with each result as soon as it is known. `most_s`: seconds that
    all runs together may take. Raises SandboxError, and AuthorError for a mistake in a checker or a validator."""
    raise NotImplementedError
