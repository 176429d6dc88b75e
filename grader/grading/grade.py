"""Grades a submission: puts the questions of a paper to the player (see `grader.grading.questioning`), has its programs
graded (see `grader.programs`), and reports."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib.resources import files as resources
from types import MappingProxyType

from grader.definition.paper import Paper
from grader.grading.asking import SEED, Spent, program_for
from grader.grading.jails import Jails
from grader.grading.program_results import grade_programs
from grader.grading.questioning import MAX_TIMEOUTS, Questioning
from grader.grading.report import CaseResult, Report, assemble
from grader.grading.twins import with_twins
from sandbox.api import Fault, Program, SandboxError, call
from tournament.work.counters import SANDBOX_STARTS


def full_report(
    paper: Paper,
    source: bytes,
    jails: Jails,
    heard: Callable[[CaseResult], None] = lambda result: None,
    filename: str = "player.py",
    files: Mapping[str, bytes] = MappingProxyType({}),
) -> Report:
    """Grade a player and the programs that `files` make, and report on them. `heard` is called with each result as soon
    as it is known; tracebacks call the player's file `filename`. Raises SandboxError, and AuthorError for a mistake in
    a checker."""
    results = []

    def hear(result: CaseResult) -> None:
        heard(result)
        results.append(result)

    for result in grade(paper, source, jails, filename):
        hear(result)
    builds = grade_programs(paper, files, jails, hear)
    notes = advice(source, jails) if source or not paper.programs else {}
    at_lines = [found for lines in notes.values() for found in lines]
    report = replace(assemble(paper, results, [*notes], builds), line_notes=at_lines)
    return with_twins(report, paper, source, jails, filename)


def grade(paper: Paper, source: bytes, jails: Jails, filename: str = "player.py") -> Iterator[CaseResult]:
    """Yield the result of each call as soon as it is known. The visible cases of all questions come first, so that they
    do not depend on hidden ones. The cases of a question come in order; the questions too, unless the player answers
    nothing and they take turns. Raises SandboxError, and AuthorError for a mistake in a checker.

    A file that cannot be loaded is started only once: every case of every question then fails for that reason.
    """
    spent = Spent(jails.limits)
    questions = [
        Questioning(question, paper, program_for(question, paper, source, filename), jails, spent)
        for question in paper.functions
    ]
    for hidden in (False, True):
        for each in questions:
            each.deal(hidden)
        for tries in range(MAX_TIMEOUTS + 2):
            for each in questions:
                yield from each.results(tries)


def advice(source: bytes, jails: Jails) -> dict[str, list[tuple[int, str]]]:
    """Notes on a player's source, each with lines and what to say there; none on a file that Python cannot read. Raises
    SandboxError."""
    linter = resources("grader.grading").joinpath("lint.py").read_bytes()
    SANDBOX_STARTS.labels(jails.players.name).inc()
    session = jails.players.open(Program(linter, {"lint": (1,)}, filename="lint.py"), jails.limits, SEED)
    if isinstance(session, Fault):
        raise SandboxError(f"our own linter failed to load: {session.message}")
    try:
        reply = call(session, "lint", (source.decode("utf-8", "replace"),))
    finally:
        session.close()
    if isinstance(reply, Fault):
        return {}
    return {str(note): [(int(line), str(text)) for line, text in lines.items()] for note, lines in reply.data}
