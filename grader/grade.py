"""Runs a game's questions on a player, in the sandbox, and judges the answers outside it.

Each question gets a process of its own, in which only that question's function must exist. A crash or a time-out fails
its own case, and the rest run in a fresh process. What this may cost is bounded per question: `BUDGET` times the limit
of one call (CPU time of the calls, and what loading the file takes each time), `MAX_TIMEOUTS` cases out of time and
`MAX_CRASHES` that failed otherwise. Cases beyond a bound are not run, say so, and count as failed.

Expected values never enter the sandbox. The player's own randomness is seeded alike each time, so that a second run
gives the same verdicts.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.resources import files
from typing import Any

from grader.cases import Check, checks
from grader.compare import compare
from grader.messages import PRINTED_INSTEAD, meaning
from grader.report import CaseResult, Report, assemble
from grader.version import product_version, questions_version
from sandbox.api import Fault, Limits, Program, Reply, Sandbox, SandboxError, Session, Verdict, call
from tournament.games.api import Game, Question
from tournament.metrics import SANDBOX_STARTS
from tournament.referee import value_text

BUDGET = 10
MAX_TIMEOUTS = 5
MAX_CRASHES = 200
SEED = 10001

_TIMEOUTS = (Verdict.TLE, Verdict.WTLE)


def grade(game: Game[Any], source: bytes, sandbox: Sandbox, limits: Limits | None = None) -> Iterator[CaseResult]:
    """Yield the result of each case of each question, in order, as soon as it is known. Raises SandboxError.

    A file that cannot be loaded is started only once: every case of every question then fails alike.
    """
    unloadable: Fault | None = None
    for question in game.questions:
        functions = {question.function: question.arities}
        program = Program(source, functions, game.guest.modules, adapter=game.guest.adapter)
        run = _Run(question, program, sandbox, limits or Limits(), unloadable)
        yield from run.results()
        unloadable = run.unloadable


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
) -> Report:
    """Grade and report; `heard` is told each result as soon as it is known. Raises SandboxError."""
    results = []
    for result in grade(game, source, sandbox, limits):
        heard(result)
        results.append(result)
    report = assemble(game, results, advice(source, sandbox, limits or Limits()))
    return replace(report, questions_version=questions_version(game), product_version=product_version())


class _Run:
    """One question on one player."""

    def __init__(
        self, question: Question, program: Program, sandbox: Sandbox, limits: Limits, unloadable: Fault | None
    ) -> None:
        self.question = question
        self.program = program
        self.sandbox = sandbox
        self.budget_s = BUDGET * question.call_s
        # The budget is kept here: the call's own limit must strike first, for it says more to a student.
        self.limits = replace(limits, call_s=question.call_s, game_s=self.budget_s + question.call_s)
        self.unloadable = unloadable
        self.stopped = unloadable  # why nothing more is run
        self.left_s = self.budget_s
        self.timeouts = self.crashes = 0
        self.session: Session | None = None
        self.printed = 0  # characters of the session's output that belong to earlier cases

    def results(self) -> Iterator[CaseResult]:
        try:
            for check in checks(self.question):
                yield self._result(check)
        finally:
            self._close()

    def _result(self, check: Check) -> CaseResult:
        reply, output, flood = self._ask(check)
        if isinstance(reply, Fault) and reply.verdict is Verdict.WTLE:
            reply, output, flood = self._ask(check)  # a sleeper, or a busy machine: once more before it counts
        return _judged(self.question, check, reply, output, flood)

    def _ask(self, check: Check) -> tuple[Reply, str, bool]:
        """The reply to one call, and what was printed meanwhile."""
        if self.stopped:
            return self.stopped, "", False
        session = self.session or self._open()
        if isinstance(session, Fault):
            return session, "", False
        reply = call(session, self.question.function, check.case.args)
        text, flood = session.output()
        output, self.printed = text[self.printed :], len(text)
        self._charge(reply)
        return reply, output, flood

    def _open(self) -> Session | Fault:
        SANDBOX_STARTS.labels(self.sandbox.name).inc()
        session = self.sandbox.open(self.program, self.limits, SEED)
        if isinstance(session, Fault):
            self.stopped = session
            self.unloadable = None if session.verdict is Verdict.MISSING else session
            return session
        self.session = session
        self.left_s -= session.waited_s  # no busy machine's doing: else it would decide which cases are run
        restarted = self.timeouts + self.crashes > 0
        self.printed = len(session.output()[0]) if restarted else 0  # what it prints at import is shown once
        return session

    def _charge(self, reply: Reply) -> None:
        """Keep the question within its bounds."""
        self.left_s -= reply.cpu_s
        if isinstance(reply, Fault):
            self._close()
            self.timeouts += reply.verdict in _TIMEOUTS
            self.crashes += reply.verdict not in _TIMEOUTS
        if self.left_s <= 0:
            self._stop(Verdict.TLE, f"the cases before it took all of the {self.budget_s:g} seconds of this question")
        elif self.timeouts >= MAX_TIMEOUTS:
            self._stop(Verdict.TLE, f"{MAX_TIMEOUTS} cases before it ran out of time")
        elif isinstance(reply, Fault) and self.crashes >= MAX_CRASHES:
            self._stop(reply.verdict, f"{MAX_CRASHES} cases before it failed already")

    def _stop(self, verdict: Verdict, reason: str) -> None:
        self.stopped = Fault(verdict, f"This case was not run: {reason}.")

    def _close(self) -> None:
        if self.session:
            self.session.close()
            self.session = None


def _judged(question: Question, check: Check, reply: Reply, output: str, flood: bool) -> CaseResult:
    traceback, line = "", None
    if isinstance(reply, Fault):
        got, verdict, message = "", reply.verdict, reply.message or meaning(reply.verdict).what
        traceback, line = reply.traceback, reply.line
    else:
        comparison = compare(check.case.expected, reply.data, question.accepts)
        got, verdict, message = value_text(reply.data), comparison.verdict, comparison.message
        if reply.data is None and verdict is not Verdict.AC and output.strip():
            message = PRINTED_INSTEAD
    return CaseResult(
        question=question.slug,
        title=check.case.title,
        call=check.call,
        expected=check.expected,
        got=got,
        verdict=verdict,
        message=message,
        cpu_ms=round(reply.cpu_s * 1000, 3),
        hidden=check.hidden,
        output=output,
        flood=flood,
        traceback=traceback,
        line=line,
    )
