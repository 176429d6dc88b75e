"""How a player is asked the cases of one question: in one process, as long as it answers, or raises exceptions that
leave it as it was after loading.

Cases are asked one by one or, while answers come quickly, many at once, which takes a third of the time. The outcome is
the same: if a process that was asked many at once dies, runs out of time or prints, it is forgotten, at no cost to the
player, and a fresh one is asked all that it was asked, one by one.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import monotonic, thread_time
from typing import Final, NamedTuple

from grader.definition.paper import Check, Paper
from grader.definition.question import FunctionQuestion
from sandbox.api import Fault, Limits, Program, Reply, Sandbox, Session, Verdict, call
from tournament.work.counters import SANDBOX_STARTS

SEED: Final = 10001
TIMEOUTS: Final = (Verdict.TLE, Verdict.WTLE)

_QUICK_S: Final = 0.002  # of CPU time: after a call that took longer, the next one is made alone
_REPEATED_S: Final = 5.0  # what may have to be asked again takes no longer than this


def program_for(question: FunctionQuestion, paper: Paper, source: bytes, filename: str) -> Program:
    """A player's file, to be asked that question."""
    guest = paper.guest
    return Program(source, {question.function: question.arities}, guest.modules, filename, guest.adapter, lasting=True)


class Answered(NamedTuple):
    """A case and what came of the call. `flood`: more was printed than is kept."""

    check: Check
    reply: Reply
    output: str = ""
    flood: bool = False


@dataclass(slots=True)
class Spent:
    """What the questions of a submission have cost together, and what is known of the player by now."""

    limits: Limits
    used_s: float = 0.0  # waited for processes that have ended, and computed on this side
    lost_s: float = 0.0  # in calls and loads out of time
    answers: bool = False  # a call has ended in time
    unloadable: Fault | None = None

    @property
    def doubtful(self) -> bool:
        """Whether all that the player has done so far is to run out of time."""
        return self.lost_s > 0 and not self.answers

    @contextmanager
    def computing(self) -> Iterator[None]:
        """Count what this side computes meanwhile: an answer can be of a shape that takes long to read or compare."""
        began = thread_time()
        try:
            yield
        finally:
            self.used_s += thread_time() - began


class Asking:
    """One question as it is put to one player."""

    def __init__(self, question: FunctionQuestion, program: Program, sandbox: Sandbox, spent: Spent) -> None:
        self.missing: Fault | None = None  # the question's function
        self.loaded = False  # at least once: what a player prints at import is shown once
        self.prints = question.comparator.kind == "printed"  # what it prints is compared
        # The budget is kept here: a call's own limit must strike first, because it says more to a student.
        most = spent.limits.grading_s + question.call_s
        self.limits = replace(spent.limits, call_s=question.call_s, game_s=most)
        self._function = question.function
        self._program = program
        self._sandbox = sandbox
        self._spent = spent
        self._session: Session | None = None
        self._elapsed = 0.0  # since it was opened, busy machine or not
        self._loading = 0  # characters that the session printed while it loaded
        self._printed = 0  # characters of the session's output that belong to earlier cases
        self._asked: list[Check] = []  # in this session
        self._quick = False  # its last call was, and printed nothing
        self._singly = self.prints  # from now on

    def put(self, check: Check, limits: Limits) -> Answered:
        """Put one call to the player."""
        started = monotonic()
        session = self._session or self._open(limits)
        if isinstance(session, Fault):
            return Answered(check, session)
        reply = call(session, self._function, check.case.args)
        text, flood = session.output()
        output, self._printed = text[self._printed :], len(text)
        self._quick = not output
        self._note(session, [check], [reply], started, limits)
        return Answered(check, reply, output, flood)

    def put_several(self, checks: Sequence[Check]) -> list[Answered]:
        """Put as many of these as can be asked at once, and at least one; or none, if they must be asked one by one."""
        session = self._session
        if not session or self._singly or not self._quick or self._elapsed > _REPEATED_S:
            return []
        started = monotonic()
        replies = session.calls(self._function, (check.case.args for check in checks))
        text, flood = session.output()
        if not replies or len(text) > self._printed:
            self._ask_again(session)
            return []
        self._note(session, checks, replies, started, self.limits)
        return [Answered(check, reply, "", flood) for check, reply in zip(checks, replies, strict=False)]

    def _note(
        self, session: Session, checks: Sequence[Check], replies: Sequence[Reply], started: float, limits: Limits
    ) -> None:
        """Note what came of the first calls for these checks, and what they have cost."""
        for check, reply in zip(checks, replies, strict=False):
            self._asked.append(check)
            if isinstance(reply, Fault):  # what comes after it does not depend on what was before
                self._asked, self._printed = [], self._loading
        last = replies[-1]
        self._quick = self._quick and last.cpu_s < _QUICK_S
        self._elapsed += monotonic() - started
        lost_s = _lost_s(last, limits.call_s, limits.wall_factor)
        self._spent.lost_s += lost_s
        self._spent.answers = self._spent.answers or not lost_s
        # What a busy machine adds does not count, or it would decide which cases are run. To know that exactly takes
        # a while, so it is asked only once the budget may be used up.
        left = self._spent.limits.grading_s - self._spent.used_s
        spent = self._elapsed >= left and session.waited_s >= left
        dead = isinstance(last, Fault) and not last.harmless
        if dead or spent or (self.prints and self._printed > limits.output // 2):
            self.close()

    def _ask_again(self, former: Session) -> None:
        """Bring a fresh process to where this one was before it was asked several cases."""
        former.close()
        asked, self._session, self._singly = self._asked, None, True
        session = self._open(self.limits)
        if isinstance(session, Fault):
            return
        started = monotonic()
        if any(isinstance(call(session, self._function, check.case.args), Fault) for check in asked):
            self.close()  # it does not do the same twice: let it begin afresh
            return
        self._elapsed, self._printed = monotonic() - started, len(session.output()[0])

    def _open(self, limits: Limits) -> Session | Fault:
        """A process with the player loaded. A player that could not be loaded need not be tried again; one that slept
        may not sleep next time."""
        SANDBOX_STARTS.labels(self._sandbox.name).inc()
        session = self._sandbox.open(self._program, limits, SEED)
        if isinstance(session, Fault) and session.verdict is Verdict.TLE:  # perhaps because of busy neighbours
            self._spent.used_s += session.cpu_s
            session = self._sandbox.open(self._program, limits, SEED)
        if not isinstance(session, Fault):
            self._session, self._elapsed, self._asked = session, 0.0, []
            self._loading = len(session.output()[0])
            self._printed = self._loading if self.loaded or self.prints else 0
            self.loaded = True
            return session
        lost_s = _lost_s(session, self.limits.load_s, self.limits.wall_factor)
        self._spent.used_s += lost_s or session.cpu_s
        if session.verdict is Verdict.WTLE:
            self._spent.lost_s += lost_s
        elif session.verdict is Verdict.MISSING:
            self.missing = session
        else:
            self._spent.unloadable = session
        return session

    def close(self) -> None:
        """End the process, if there is one. The next call gets a fresh one."""
        if self._session:
            self._spent.used_s += self._session.waited_s
            self._session.close()
            self._session = None


def _lost_s(reply: Reply, limit_s: float, wall_factor: float) -> float:
    """What a load or a call took that ran out of time, by the letter of the limit: 0 for any other."""
    if not isinstance(reply, Fault) or reply.verdict not in TIMEOUTS:
        return 0.0
    return limit_s * (wall_factor if reply.verdict is Verdict.WTLE else 1.0)
