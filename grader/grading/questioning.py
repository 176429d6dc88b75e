"""Asks a player one question, in the sandbox and within limits. The answers are judged outside the sandbox.

Each question has its own processes, in which only the question's function must exist. Visible and hidden cases run in
different processes: the answers of a process are shown to the same extent as its cases (see `grader.grading.report`),
so no process may receive cases of both kinds. Expected values never enter the sandbox. The player's own randomness
always has the same seed, so that a second run gives the same verdicts.

The cost is limited. A crash or a time-out fails only its own case, and the remaining cases run in a new process. A
question ends after three cases that time out. All questions together have one budget of wall-clock time, which includes
the time for loading and for reading and comparing answers outside the sandbox. A case that is not run gets only the
verdict `NOT_RUN`.

On a busy machine a call can take 50% more processor time. A call that times out is therefore repeated once, alone, and
counts as a failure only if it exceeds its limit again. If twice the limit is not enough, the player is probably in an
endless loop, and no other call of the question is repeated.

Calls are made one by one or, while answers come quickly, many at once, which takes a third of the time. The outcome is
the same: if a process with many calls dies, runs out of time or prints, its answers are discarded, at no cost to the
player, and a new process makes the same calls one by one.

A player that loops in every case should get its report soon, and a player that is slow but right should lose nothing.
From its first time-out until it answers a call, a player is therefore *probed*: called with far less than the usual
limit. A time-out of a probe does not decide its case. A probe that ends in time, with any result, ends the probing, and
every case runs with its full limit. If no probe ends in time, the questions take turns: up to three cases of each
question run with the full limit, within the time that `LOST_S` allows.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from time import monotonic
from typing import Final, NamedTuple

from grader.author_code.authored import CheckerProcess
from grader.comparing.comparators import Checker, judging_of
from grader.comparing.judging import PRINTED_INSTEAD, Judgement
from grader.definition.paper import Check, Paper
from grader.definition.question import FunctionQuestion
from grader.grading.messages import meaning
from grader.programs.jails import MAX_TIMEOUTS, NOT_RUN, TIMEOUTS, Jails, Patience, Spent
from grader.programs.shown import CaseResult
from sandbox.api import Fault, Limits, Program, Reply, Sandbox, Session, Value, Verdict, call
from sandbox.visible import value_text
from tournament.work.tally import SANDBOX_STARTS

SEED: Final = 10001

_QUICK_S: Final = 0.002  # after a call with more CPU time, the next call is made alone
_REPEATED_S: Final = 5.0  # maximum seconds of calls that may have to be repeated


def program_for(question: FunctionQuestion, paper: Paper, source: bytes, filename: str) -> Program:
    """Return the program that runs a player's file for this question."""
    guest = paper.guest
    return Program(source, {question.function: question.arities}, guest.modules, filename, guest.adapter, lasting=True)


class Answered(NamedTuple):
    """A case and the result of its call. `flood` is true if the player printed more than is kept."""

    check: Check
    reply: Reply
    output: str = ""
    flood: bool = False


class Asking:
    """Calls one player with the cases of one question."""

    def __init__(self, question: FunctionQuestion, program: Program, sandbox: Sandbox, spent: Spent) -> None:
        self.missing: Fault | None = None  # set if the question's function is missing
        self.loaded = False  # has been loaded, so output at import is not shown again
        self.prints = question.comparator.kind == "printed"  # printed output is compared
        # The sandbox allows more than the budget: a call must reach its own limit first, which tells students more.
        most = spent.limits.grading_s + question.call_s
        self.limits = replace(spent.limits, call_s=question.call_s, game_s=most)
        self._function = question.function
        self._program = program
        self._sandbox = sandbox
        self._spent = spent
        self._session: Session | None = None
        self._elapsed = 0.0  # wall-clock seconds since the session was opened
        self._loading = 0  # characters that the session printed while loading
        self._printed = 0  # characters that the session printed in earlier cases
        self._asked: list[Check] = []  # cases called in this session
        self._quick = False  # the last call was quick, and printed nothing
        self._singly = self.prints  # only single calls from now on

    def put(self, check: Check, limits: Limits) -> Answered:
        """Make one call of the player's function."""
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
        """Call the player's function with as many of these cases at once as possible. The result is empty if calls must
        be made one by one."""
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
        """Record the replies to the first of these checks, and their cost."""
        for check, reply in zip(checks, replies, strict=False):
            self._asked.append(check)
            if isinstance(reply, Fault):  # later cases do not depend on earlier ones
                self._asked, self._printed = [], self._loading
        last = replies[-1]
        self._quick = self._quick and last.cpu_s < _QUICK_S
        self._elapsed += monotonic() - started
        lost_s = _lost_s(last, limits.call_s, limits.wall_factor)
        self._spent.lost_s += lost_s
        self._spent.answers = self._spent.answers or not lost_s
        # Time lost to a busy machine must not decide which cases run. Measuring it is slow, and necessary only when the
        # budget may be used up.
        left = self._spent.limits.grading_s - self._spent.used_s
        spent = self._elapsed >= left and session.waited_s >= left
        dead = isinstance(last, Fault) and not last.harmless
        if dead or spent or (self.prints and self._printed > limits.output // 2):
            self.close()

    def _ask_again(self, former: Session) -> None:
        """Bring a new process to the state that `former` had before several calls were made at once."""
        former.close()
        asked, self._session, self._singly = self._asked, None, True
        session = self._open(self.limits)
        if isinstance(session, Fault):
            return
        started = monotonic()
        if any(isinstance(call(session, self._function, check.case.args), Fault) for check in asked):
            self.close()  # the player behaves differently the second time, so begin with a new process
            return
        self._elapsed, self._printed = monotonic() - started, len(session.output()[0])

    def _open(self, limits: Limits) -> Session | Fault:
        """Start a process with the player. A player that cannot be loaded is not loaded again, unless it exceeded only
        its wall-clock time."""
        SANDBOX_STARTS.labels(self._sandbox.name).inc()
        session = self._sandbox.open(self._program, limits, SEED)
        if isinstance(session, Fault) and session.verdict is Verdict.TLE:  # perhaps because the machine was busy
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
        """End the process, if any. The next call starts a new process."""
        if self._session:
            self._spent.used_s += self._session.waited_s
            self._session.close()
            self._session = None


def _lost_s(reply: Reply, limit_s: float, wall_factor: float) -> float:
    """Return the time limit that a timed-out load or call has used up, in seconds; 0 for other results."""
    if not isinstance(reply, Fault) or reply.verdict not in TIMEOUTS:
        return 0.0
    return limit_s * (wall_factor if reply.verdict is Verdict.WTLE else 1.0)


PROBES: Final = 2  # probes per question
PROBE_S: Final = 0.25  # the limit of a probe, in seconds of CPU time
BATCH: Final = 40  # answers that a checker judges in one call
LOST_S: Final = 12.0  # maximum total seconds of timed-out calls for a player that answers nothing


class Questioning:
    """Asks a player one question, and judges the answers."""

    def __init__(self, question: FunctionQuestion, paper: Paper, program: Program, jails: Jails, spent: Spent) -> None:
        self._question = question
        self._asking = Asking(question, program, jails.players(), spent)
        self._checker = None
        if isinstance(question.comparator, Checker):
            modules = paper.authored[question.slug].modules
            self._checker = CheckerProcess(jails.authors, question.comparator.source, modules)
        else:
            self._judging = judging_of(question.comparator)
        self._spent = spent
        self._waiting = deque[Check]()
        self._checks = paper.checks[question.slug]
        self._stopped = ""  # the reason why no more cases are run
        self._patience = Patience()

    def deal(self, hidden: bool) -> None:
        """Queue the hidden cases, or else the visible cases, to run next. The former process must have ended."""
        self._waiting.extend(check for check in self._checks if check.hidden is hidden)

    def results(self, tries: int) -> Iterator[CaseResult]:
        """Run the remaining cases of the last `deal`, in order, in a new process. If the player has not answered any
        call yet, stop after `tries` time-outs of this question; if `tries` is more than `MAX_TIMEOUTS`, the
        remaining cases are not run."""
        batch: list[Answered] = []
        try:
            while self._waiting and self._goes_on(tries):
                with self._spent.computing():
                    several = self._next()
                    judged = [] if self._checker else [self._judged(answered) for answered in several]
                yield from judged
                if not self._checker:
                    continue
                for answered in several:
                    batch.append(answered)
                    if len(batch) == BATCH:
                        yield from self._checked(self._checker, batch)
                        batch = []
            if self._checker:
                yield from self._checked(self._checker, batch)
        finally:
            self.close()

    def _next(self) -> Sequence[Answered]:
        """Return the answers to one or several of the next cases. Once the question has been stopped, no case is
        run."""
        fault = self._asking.missing or self._spent.unloadable
        if self._stopped:
            fault = Fault(Verdict.NOT_RUN, self._stopped)
        if not fault and (several := self._asking.put_several(self._waiting)):
            for _ in several:
                self._waiting.popleft()
            return several
        check = self._waiting.popleft()
        if fault:
            return [Answered(check, fault)]
        answered = self._put(check)
        if isinstance(answered.reply, Fault) and answered.reply.verdict in TIMEOUTS:
            self._patience.timeouts += 1
            if why := self._patience.ended:
                self._stop(why)
        return [answered]

    def _put(self, check: Check) -> Answered:
        """Make one call of the player's function. If the call times out, repeat it once in a new process."""
        if self._spent.unloadable:
            return Answered(check, self._spent.unloadable)
        limits = self._asking.limits

        def attempt(times: float) -> Answered:
            answered = self._asking.put(check, replace(limits, call_s=limits.call_s * times))
            if times > 1:
                self._asking.close()
            return answered

        def took_s(answered: Answered) -> float | None:
            late = isinstance(answered.reply, Fault) and answered.reply.verdict is Verdict.TLE
            return None if late and not self._spent.unloadable else answered.reply.cpu_s

        return self._patience.tried(attempt, took_s, limits.call_s, again=not self._spent.doubtful)

    def close(self) -> None:
        """End the processes of the player and the checker. The next case starts new processes."""
        self._asking.close()
        if self._checker:
            self._checker.close()

    def answer(self, check: Check) -> CaseResult:
        """Run an additional case, which does not count, and return its result."""
        with self._spent.computing():
            answered = self._put(check)
            if not self._checker:
                return self._judged(answered)
        (result,) = self._checked(self._checker, [answered])
        return result

    def _goes_on(self, tries: int) -> bool:
        spent = self._spent
        if self._stopped or self._asking.missing or spent.unloadable:
            return True
        if spent.used_s >= spent.limits.grading_s:
            self._stop(f"The questions have used up their total time of {spent.limits.grading_s:g} s")
        elif not spent.doubtful:
            return True
        elif tries == 0:
            return self._answers_a_probe()
        elif tries <= MAX_TIMEOUTS:
            return self._patience.timeouts < tries and spent.lost_s + self._question.call_s <= LOST_S
        else:
            self._stop("Your player did not answer any call in time")
        return True

    def _stop(self, why: str) -> None:
        self._stopped = NOT_RUN.format(why)

    def _answers_a_probe(self) -> bool:
        asking, loaded = self._asking, self._asking.loaded
        for check in islice(self._waiting, PROBES):
            if self._spent.doubtful and self._spent.lost_s < LOST_S:
                asking.close()
                asking.put(check, replace(asking.limits, call_s=min(PROBE_S, asking.limits.call_s)))
        asking.close()
        asking.loaded = loaded
        return self._spent.answers

    def _judged(self, answered: Answered) -> CaseResult:
        """Judge a case with a comparator that is not a checker."""
        if isinstance(answered.reply, Fault):
            return self._result(answered, None)
        return self._result(answered, self._judging(answered.check.case, answered.reply.data, answered.output))

    def _checked(self, checker: CheckerProcess, batch: Sequence[Answered]) -> list[CaseResult]:
        """Judge a batch of cases in a single call of the checker."""
        with self._spent.computing():
            values = [(each.check.case.args, each.reply.data) for each in batch if isinstance(each.reply, Value)]
            judgements = iter(checker.all(values) if values else [])
            return [self._result(each, next(judgements) if isinstance(each.reply, Value) else None) for each in batch]

    def _result(self, answered: Answered, judgement: Judgement | None) -> CaseResult:
        check, reply = answered.check, answered.reply
        traceback, line, got, meant = "", None, "", ""
        if isinstance(reply, Fault):
            verdict, message = reply.verdict, reply.message or meaning(reply.verdict).what
            traceback, line, meant = reply.traceback, reply.line, reply.meant
        elif judgement:
            got, verdict, message = value_text(reply.data), judgement.verdict, judgement.message
            if reply.data is None and verdict is not Verdict.AC and answered.output.strip() and not self._asking.prints:
                message = PRINTED_INSTEAD
        return CaseResult(
            question=self._question.slug,
            title=check.case.title,
            call=check.call,
            expected=check.expected,
            got=got,
            verdict=verdict,
            message=message,
            cpu_ms=round(reply.cpu_s * 1000, 3),
            hidden=check.hidden,
            output=answered.output,
            flood=answered.flood,
            traceback=traceback,
            line=line,
            meant=meant,
        )
