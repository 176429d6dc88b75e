"""Runs a game's questions on a player, in the sandbox, and judges the answers outside it.

Each question gets a process of its own, in which only that question's function must exist. What all of it may cost is
bounded: see `questioning.py`.

Expected values never enter the sandbox. The player's own randomness is seeded alike each time, so that a second run
gives the same verdicts.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.resources import files
from typing import Any

from grader.questioning import MAX_TIMEOUTS, SEED, Account, Questioning
from grader.report import CaseResult, Report, assemble
from grader.version import product_version, questions_version
from sandbox.api import Fault, Limits, Program, Sandbox, SandboxError, call
from tournament.games.api import Game
from tournament.work.counters import SANDBOX_STARTS


def grade(
    game: Game[Any], source: bytes, sandbox: Sandbox, limits: Limits | None = None, filename: str = "player.py"
) -> Iterator[CaseResult]:
    """Yield the result of each case of each question as soon as it is known: those of one question in order, but for a
    player that answers nothing the questions by turns. Raises SandboxError.

    A file that cannot be loaded is started only once: every case of every question then fails alike.
    """
    account = Account(limits or Limits())
    questions = [Questioning(game, question, source, sandbox, account, filename) for question in game.questions]
    for tries in range(MAX_TIMEOUTS + 2):
        for each in questions:
            yield from each.results(tries)


def advice(source: bytes, sandbox: Sandbox, limits: Limits) -> list[str]:
    """Notes on a player's source; none on a file that Python cannot read. Raises SandboxError."""
    linter = files("grader").joinpath("lint.py").read_bytes()
    SANDBOX_STARTS.labels(sandbox.name).inc()
    session = sandbox.open(Program(linter, {"lint": (1,)}, filename="lint.py"), limits, SEED)
    if isinstance(session, Fault):
        raise SandboxError(f"our own linter failed to load: {session.message}")
    try:
        reply = call(session, "lint", (source.decode("utf-8", "replace"),))
    finally:
        session.close()
    return [] if isinstance(reply, Fault) else [str(note) for note in reply.data]


def full_report(
    game: Game[Any],
    source: bytes,
    sandbox: Sandbox,
    limits: Limits | None = None,
    heard: Callable[[CaseResult], None] = lambda result: None,
    filename: str = "player.py",
) -> Report:
    """Grade and report; `heard` is told each result as soon as it is known, and tracebacks call the file `filename`.
    Raises SandboxError."""
    results = []
    for result in grade(game, source, sandbox, limits, filename):
        heard(result)
        results.append(result)
    report = assemble(game, results, advice(source, sandbox, limits or Limits()))
    return replace(report, questions_version=questions_version(game), product_version=product_version())
