"""Puts the cases of one question to a player, within what a submission may cost.

A crash or a time-out fails its own case; the rest run in a fresh process. Three cases out of time end a question. All
questions together have one budget of wall-clock time, loading included. Cases that are not run say so: they are
`NOT_RUN`, and nothing else.

A player that loops for ever in every case is to have its report soon, and one that is slow but right is to be charged
nothing. So from its first time-out on, as long as it has not answered a single call, a player is *probed*: a call that
is cut short far below its limit shows only that no answer came soon, and its case is neither failed nor done. A probe
that ends in time, with whatever result, ends all caution, and every case is run with its full limit. Where none does,
the questions by turns have cases run in full, up to three each, as long as `LOST_S` allows it.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from time import monotonic
from typing import Any, Final

from grader.cases import Check, checks
from grader.comparator import compare
from grader.messages import PRINTED_INSTEAD, meaning
from grader.report import CaseResult
from sandbox.api import Fault, Limits, Program, Reply, Sandbox, Session, Verdict, call
from tournament.games.api import Game, Question
from tournament.play.referee import value_text
from tournament.work.counters import SANDBOX_STARTS

SEED: Final = 10001
MAX_TIMEOUTS: Final = 3
PROBES: Final = 2
"""Cases of a question that are tried shortly."""
PROBE_S: Final = 0.25
"""The limit of a probe's call, in seconds of CPU time."""
LOST_S: Final = 12.0
"""What a player that answers nothing may take in calls out of time, in seconds."""

_TIMEOUTS: Final = (Verdict.TLE, Verdict.WTLE)


@dataclass(slots=True)
class Account:
    """What the questions of a submission have cost together, and what is known of its player by now."""

    limits: Limits
    used_s: float = 0.0  # waited for processes that have ended
    lost_s: float = 0.0  # in calls and loads out of time
    answers: bool = False  # a call has ended in time
    unloadable: Fault | None = None

    @property
    def doubtful(self) -> bool:
        """Whether all it has done so far is to run out of time."""
        return self.lost_s > 0 and not self.answers


class Questioning:
    """One question put to one player."""

    def __init__(
        self,
        game: Game[Any],
        question: Question,
        source: bytes,
        sandbox: Sandbox,
        account: Account,
        filename: str = "player.py",
    ) -> None:
        functions = {question.function: question.arities}
        self._question = question
        self._program = Program(source, functions, game.guest.modules, filename, game.guest.adapter)
        self._sandbox = sandbox
        self._account = account
        # The budget is kept here: a call's own limit must strike first, for it says more to a student.
        most = account.limits.grading_s + question.call_s
        self._limits = replace(account.limits, call_s=question.call_s, game_s=most)
        self._waiting = deque(checks(question))
        self._missing: Fault | None = None
        self._stopped = ""  # why nothing more is run
        self._timeouts = 0
        self._session: Session | None = None
        self._elapsed = 0.0  # since it was opened, busy machine or not
        self._printed = 0  # characters of the session's output that belong to earlier cases
        self._loaded = False  # at least once: what a player prints at import is shown once

    def results(self, tries: int) -> Iterator[CaseResult]:
        """Run what is left, in order. If the player has not answered anything yet, stop after so many cases in all,
        and with one more than `MAX_TIMEOUTS` give up."""
        try:
            while self._waiting and self._goes_on(tries):
                yield self._result(self._waiting.popleft())
        finally:
            self._close()

    def _goes_on(self, tries: int) -> bool:
        account = self._account
        if self._stopped or self._missing or account.unloadable:
            return True
        if account.used_s >= account.limits.grading_s:
            self._stop(f"All questions together have taken the {account.limits.grading_s:g} s that they may take")
        elif not account.doubtful:
            return True
        elif tries == 0:
            return self._answers_a_probe()
        elif tries <= MAX_TIMEOUTS:
            return self._timeouts < tries and account.lost_s + self._question.call_s <= LOST_S
        else:
            self._stop("Your player did not answer any call in time")
        return True

    def _stop(self, why: str) -> None:
        self._stopped = f"{why}: the other cases were not run."

    def _answers_a_probe(self) -> bool:
        loaded = self._loaded
        for check in islice(self._waiting, PROBES):
            if self._account.doubtful and self._account.lost_s < LOST_S:
                self._close()
                self._put(check, replace(self._limits, call_s=min(PROBE_S, self._limits.call_s)))
        self._close()
        self._loaded = loaded
        return self._account.answers

    def _result(self, check: Check) -> CaseResult:
        if self._stopped:
            return _judged(self._question, check, Fault(Verdict.NOT_RUN, self._stopped), "", False)
        known = self._missing or self._account.unloadable
        reply, output, flood = (known, "", False) if known else self._put(check, self._limits)
        if isinstance(reply, Fault) and reply.verdict in _TIMEOUTS and not known:
            self._timeouts += 1
            if self._timeouts == MAX_TIMEOUTS:
                self._stop(f"{MAX_TIMEOUTS} cases of this question ran out of time")
        return _judged(self._question, check, reply, output, flood)

    def _put(self, check: Check, limits: Limits) -> tuple[Reply, str, bool]:
        """The reply to one call, what was printed meanwhile, and whether that was more than is kept."""
        started = monotonic()
        session = self._session or self._open(limits)
        if isinstance(session, Fault):
            return session, "", False
        reply = call(session, self._question.function, check.case.args)
        text, flood = session.output()
        output, self._printed = text[self._printed :], len(text)
        self._elapsed += monotonic() - started
        lost_s = _lost_s(reply, limits.call_s, limits.wall_factor)
        self._account.lost_s += lost_s
        self._account.answers = self._account.answers or not lost_s
        if isinstance(reply, Fault) or self._is_over(session):
            self._close()
        return reply, output, flood

    def _open(self, limits: Limits) -> Session | Fault:
        SANDBOX_STARTS.labels(self._sandbox.name).inc()
        session = self._sandbox.open(self._program, limits, SEED)
        if isinstance(session, Fault):
            return self._unopened(session)
        self._session, self._elapsed = session, 0.0
        self._printed = len(session.output()[0]) if self._loaded else 0
        self._loaded = True
        return session

    def _unopened(self, fault: Fault) -> Fault:
        """A player that could not be loaded need not be tried again. One that slept may not sleep next time."""
        lost_s = _lost_s(fault, self._limits.load_s, self._limits.wall_factor)
        self._account.used_s += lost_s or fault.cpu_s
        if fault.verdict is Verdict.WTLE:
            self._account.lost_s += lost_s
        elif fault.verdict is Verdict.MISSING:
            self._missing = fault
        else:
            self._account.unloadable = fault
        return fault

    def _is_over(self, session: Session) -> bool:
        """Whether the budget is used up. What a busy machine adds does not count: else it would decide which cases are
        run. To know it exactly takes a while, so first it is looked whether it may be so."""
        left = self._account.limits.grading_s - self._account.used_s
        return self._elapsed >= left and session.waited_s >= left

    def _close(self) -> None:
        if self._session:
            self._account.used_s += self._session.waited_s
            self._session.close()
            self._session = None


def _lost_s(reply: Reply, limit_s: float, wall_factor: float) -> float:
    """What a load or a call took that ended out of time, to the letter of the limit: nothing for any other."""
    if not isinstance(reply, Fault) or reply.verdict not in _TIMEOUTS:
        return 0.0
    return limit_s * (wall_factor if reply.verdict is Verdict.WTLE else 1.0)


def _judged(question: Question, check: Check, reply: Reply, output: str, flood: bool) -> CaseResult:
    traceback, line, got = "", None, ""
    if isinstance(reply, Fault):
        verdict, message = reply.verdict, reply.message or meaning(reply.verdict).what
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
