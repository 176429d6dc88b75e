"""One question put to one player, in the sandbox, within bounds; the answers are judged outside it.

Each question gets a process of its own, in which only that question's function must exist. Expected values never enter
the sandbox. The player's own randomness has the same seed each time, so that a second run gives the same verdicts.

What this may cost is bounded. A crash or a time-out fails its own case, and the rest run in a fresh process. Three
cases out of time end a question. All questions together have one budget of wall-clock time, loading included. A case
that is not run gets the verdict `NOT_RUN` and nothing else.

A player that loops for ever in every case should have its report soon, and one that is slow but right should lose
nothing. So from its first time-out on, until it has answered a call, a player is *probed*: a call is cut short far
below its limit, which shows only that no answer came soon; its case is neither failed nor done. A probe that ends in
time, with whatever result, ends all caution, and every case is run with its full limit. If none does, the questions
take turns: up to three cases of each are run in full, as long as `LOST_S` allows it.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from time import monotonic
from typing import Final, NamedTuple, Self

from grader.authoring.checker import CheckerProcess
from grader.comparing.comparator import Judgement
from grader.definition.comparators import Checker
from grader.definition.judges import judging_of
from grader.definition.paper import Check, Paper
from grader.definition.question import FunctionQuestion
from grader.grading.jails import Jails
from grader.grading.messages import PRINTED_INSTEAD, meaning
from grader.grading.report import CaseResult
from sandbox.api import Fault, Limits, Program, Reply, Session, Value, Verdict, call
from tournament.play.referee import value_text
from tournament.work.counters import SANDBOX_STARTS

SEED: Final = 10001
MAX_TIMEOUTS: Final = 3
PROBES: Final = 2
"""Cases of a question that are probed."""
PROBE_S: Final = 0.25
"""The limit of a probe's call, in seconds of CPU time."""
BATCH: Final = 40
"""Answers about which a checker is asked at once."""
LOST_S: Final = 12.0
"""What a player that answers nothing may take in calls out of time, in seconds."""

_TIMEOUTS: Final = (Verdict.TLE, Verdict.WTLE)


def program_for(question: FunctionQuestion, paper: Paper, source: bytes, filename: str) -> Program:
    """A player's file, to be asked that question."""
    guest = paper.guest
    return Program(source, {question.function: question.arities}, guest.modules, filename, guest.adapter)


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
    used_s: float = 0.0  # waited for processes that have ended
    lost_s: float = 0.0  # in calls and loads out of time
    answers: bool = False  # a call has ended in time
    unloadable: Fault | None = None

    @property
    def doubtful(self) -> bool:
        """Whether all that the player has done so far is to run out of time."""
        return self.lost_s > 0 and not self.answers


class Questioning:
    """One question put to one player."""

    def __init__(self, question: FunctionQuestion, paper: Paper, program: Program, jails: Jails, spent: Spent) -> None:
        self._question = question
        self._program = program
        self._sandbox = jails.players
        self._prints = question.comparator.kind == "printed"
        self._checker = None
        if isinstance(question.comparator, Checker):
            modules = paper.authored[question.slug].modules
            self._checker = CheckerProcess(jails.authors, question.comparator.source, modules)
        else:
            self._judging = judging_of(question.comparator)
        self._spent = spent
        # The budget is kept here: a call's own limit must strike first, because it says more to a student.
        most = spent.limits.grading_s + question.call_s
        self._limits = replace(spent.limits, call_s=question.call_s, game_s=most)
        self._waiting = deque(paper.checks[question.slug])
        self._missing: Fault | None = None
        self._stopped = ""  # why nothing more is run
        self._timeouts = 0
        self._session: Session | None = None
        self._elapsed = 0.0  # since it was opened, busy machine or not
        self._printed = 0  # characters of the session's output that belong to earlier cases
        self._loaded = False  # at least once: what a player prints at import is shown once

    def results(self, tries: int) -> Iterator[CaseResult]:
        """Run what is left, in order. If the player has not answered anything yet, stop after `tries` time-outs of
        this question; with more than `MAX_TIMEOUTS`, give up."""
        batch = []
        try:
            while self._waiting and self._goes_on(tries):
                answered = self._next()
                if not self._checker:
                    yield self._result(answered, self._judgement(answered))
                    continue
                batch.append(answered)
                if len(batch) == BATCH:
                    yield from self._checked(self._checker, batch)
                    batch = []
            if self._checker:
                yield from self._checked(self._checker, batch)
        finally:
            self.__exit__()

    def _next(self) -> Answered:
        """Run the next case, unless nothing more is run."""
        check = self._waiting.popleft()
        if self._stopped:
            return Answered(check, Fault(Verdict.NOT_RUN, self._stopped))
        if fault := self._missing or self._spent.unloadable:
            return Answered(check, fault)
        answered = self._put(check, self._limits)
        if isinstance(answered.reply, Fault) and answered.reply.verdict in _TIMEOUTS:
            self._timeouts += 1
            if self._timeouts == MAX_TIMEOUTS:
                self._stop(f"{MAX_TIMEOUTS} cases of this question ran out of time")
        return answered

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._close()
        if self._checker:
            self._checker.close()

    def answer(self, check: Check) -> CaseResult:
        """The result of one more case, which counts for nothing."""
        answered = self._put(check, self._limits)
        if not self._checker:
            return self._result(answered, self._judgement(answered))
        (result,) = self._checked(self._checker, [answered])
        return result

    def _goes_on(self, tries: int) -> bool:
        spent = self._spent
        if self._stopped or self._missing or spent.unloadable:
            return True
        if spent.used_s >= spent.limits.grading_s:
            self._stop(f"All questions together have taken the {spent.limits.grading_s:g} s that they may take")
        elif not spent.doubtful:
            return True
        elif tries == 0:
            return self._answers_a_probe()
        elif tries <= MAX_TIMEOUTS:
            return self._timeouts < tries and spent.lost_s + self._question.call_s <= LOST_S
        else:
            self._stop("Your player did not answer any call in time")
        return True

    def _stop(self, why: str) -> None:
        self._stopped = f"{why}, so the other cases were not run."

    def _answers_a_probe(self) -> bool:
        loaded = self._loaded
        for check in islice(self._waiting, PROBES):
            if self._spent.doubtful and self._spent.lost_s < LOST_S:
                self._close()
                self._put(check, replace(self._limits, call_s=min(PROBE_S, self._limits.call_s)))
        self._close()
        self._loaded = loaded
        return self._spent.answers

    def _put(self, check: Check, limits: Limits) -> Answered:
        """Put one call to the player."""
        started = monotonic()
        session = self._session or self._open(limits)
        if isinstance(session, Fault):
            return Answered(check, session)
        reply = call(session, self._question.function, check.case.args)
        text, flood = session.output()
        output, self._printed = text[self._printed :], len(text)
        self._elapsed += monotonic() - started
        lost_s = _lost_s(reply, limits.call_s, limits.wall_factor)
        self._spent.lost_s += lost_s
        self._spent.answers = self._spent.answers or not lost_s
        # What a busy machine adds does not count, or it would decide which cases are run. To know that exactly takes
        # a while, so it is asked only once the budget may be used up.
        left = self._spent.limits.grading_s - self._spent.used_s
        spent = self._elapsed >= left and session.waited_s >= left
        if isinstance(reply, Fault) or spent or (self._prints and self._printed > limits.output // 2):
            self._close()
        return Answered(check, reply, output, flood)

    def _open(self, limits: Limits) -> Session | Fault:
        """A process with the player loaded. A player that could not be loaded need not be tried again; one that slept
        may not sleep next time."""
        SANDBOX_STARTS.labels(self._sandbox.name).inc()
        session = self._sandbox.open(self._program, limits, SEED)
        if not isinstance(session, Fault):
            self._session, self._elapsed = session, 0.0
            self._printed = len(session.output()[0]) if self._loaded or self._prints else 0
            self._loaded = True
            return session
        lost_s = _lost_s(session, self._limits.load_s, self._limits.wall_factor)
        self._spent.used_s += lost_s or session.cpu_s
        if session.verdict is Verdict.WTLE:
            self._spent.lost_s += lost_s
        elif session.verdict is Verdict.MISSING:
            self._missing = session
        else:
            self._spent.unloadable = session
        return session

    def _close(self) -> None:
        if self._session:
            self._spent.used_s += self._session.waited_s
            self._session.close()
            self._session = None

    def _judgement(self, answered: Answered) -> Judgement | None:
        """What the comparator says, unless it is a checker; None if there was no answer."""
        if isinstance(answered.reply, Fault):
            return None
        return self._judging(answered.check.case, answered.reply.data, answered.output)

    def _checked(self, checker: CheckerProcess, batch: Sequence[Answered]) -> Iterator[CaseResult]:
        """The results of a batch, about whose answers the checker is asked at once."""
        values = [(each.check.case.args, each.reply.data) for each in batch if isinstance(each.reply, Value)]
        judgements = iter(checker.all(values) if values else [])
        for each in batch:
            yield self._result(each, next(judgements) if isinstance(each.reply, Value) else None)

    def _result(self, answered: Answered, judgement: Judgement | None) -> CaseResult:
        check, reply = answered.check, answered.reply
        traceback, line, got, meant = "", None, "", ""
        if isinstance(reply, Fault):
            verdict, message = reply.verdict, reply.message or meaning(reply.verdict).what
            traceback, line, meant = reply.traceback, reply.line, reply.meant
        elif judgement:
            got, verdict, message = value_text(reply.data), judgement.verdict, judgement.message
            if reply.data is None and verdict is not Verdict.AC and answered.output.strip() and not self._prints:
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


def _lost_s(reply: Reply, limit_s: float, wall_factor: float) -> float:
    """What a load or a call took that ran out of time, by the letter of the limit: 0 for any other."""
    if not isinstance(reply, Fault) or reply.verdict not in _TIMEOUTS:
        return 0.0
    return limit_s * (wall_factor if reply.verdict is Verdict.WTLE else 1.0)
