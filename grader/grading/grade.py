"""Grades a player: puts the questions of a paper to it (see `grader.grading.questioning`), and reports."""

from collections.abc import Callable, Iterator
from importlib.resources import files

from grader.definition.paper import Paper
from grader.grading.questioning import MAX_TIMEOUTS, SEED, Jails, Questioning, Spent, program_for
from grader.grading.report import CaseResult, Report, assemble
from grader.grading.twins import with_twins
from sandbox.api import Fault, Limits, Program, Sandbox, SandboxError, call
from tournament.work.counters import SANDBOX_STARTS


def full_report(
    paper: Paper,
    source: bytes,
    jails: Jails,
    limits: Limits | None = None,
    heard: Callable[[CaseResult], None] = lambda result: None,
    filename: str = "player.py",
) -> Report:
    """Grade a player and report on it. `heard` is called with each result as soon as it is known; tracebacks call the
    file `filename`. Raises SandboxError, and AuthorError for a mistake in a checker."""
    results = []
    for result in grade(paper, source, jails, limits, filename):
        heard(result)
        results.append(result)
    report = assemble(paper, results, advice(source, jails.players, limits or Limits()))
    return with_twins(report, paper, source, jails, limits, filename)


def grade(
    paper: Paper, source: bytes, jails: Jails, limits: Limits | None = None, filename: str = "player.py"
) -> Iterator[CaseResult]:
    """Yield the result of each case as soon as it is known. The cases of a question come in order; the questions too,
    unless the player answers nothing and they take turns. Raises SandboxError, and AuthorError for a mistake in a
    checker.

    A file that cannot be loaded is started only once: every case of every question then fails for that reason.
    """
    spent = Spent(limits or Limits())
    questions = [
        Questioning(question, paper, program_for(question, paper, source, filename), jails, spent)
        for question in paper.functions
    ]
    for tries in range(MAX_TIMEOUTS + 2):
        for each in questions:
            yield from each.results(tries)


def advice(source: bytes, sandbox: Sandbox, limits: Limits) -> list[str]:
    """Notes on a player's source; none on a file that Python cannot read. Raises SandboxError."""
    linter = files("grader.grading").joinpath("lint.py").read_bytes()
    SANDBOX_STARTS.labels(sandbox.name).inc()
    session = sandbox.open(Program(linter, {"lint": (1,)}, filename="lint.py"), limits, SEED)
    if isinstance(session, Fault):
        raise SandboxError(f"our own linter failed to load: {session.message}")
    try:
        reply = call(session, "lint", (source.decode("utf-8", "replace"),))
    finally:
        session.close()
    return [] if isinstance(reply, Fault) else [str(note) for note in reply.data]
