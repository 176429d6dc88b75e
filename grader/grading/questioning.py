"""One question put to one player, in the sandbox, within bounds; the answers are judged outside it.

Each question gets processes of its own, in which only that question's function must exist: one for the cases that
students see, another for the hidden ones. What a process answers is shown as far as its cases are (see
`grader.grading.shortened`), so no process gets cases of both kinds. Expected values never enter the sandbox. The
player's own randomness has the same seed each time, so that a second run gives the same verdicts.

What this may cost is bounded. A crash or a time-out fails its own case, and the rest run in a fresh process. Three
cases out of time end a question. All questions together have one budget of wall-clock time, loading included, and what
this side computes to read and compare answers. A case that is not run gets the verdict `NOT_RUN` and nothing else.

Beside busy neighbours a call can take half as much processor time again. So a call out of time is tried once more,
alone, before it is charged: it is not if it then ends within its limit. Where twice the limit is not enough, the player
probably loops, and no further case of the question is tried again.

A player that loops for ever in every case should have its report soon, and one that is slow but right should lose
nothing. So from its first time-out on, until it has answered a call, a player is *probed*: a call is cut short far
below its limit, which shows only that no answer came soon; its case is neither failed nor done. A probe that ends in
time, with whatever result, ends all caution, and every case is run with its full limit. If none does, the questions
take turns: up to three cases of each are run in full, as long as `LOST_S` allows it.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final, Self

from grader.author_code.checker import CheckerProcess
from grader.comparing.comparator import Judgement
from grader.comparing.comparators import Checker
from grader.comparing.judges import judging_of
from grader.definition.paper import Check, Paper
from grader.definition.question import FunctionQuestion
from grader.grading.asking import TIMEOUTS, Answered, Asking, Spent
from grader.grading.jails import Jails
from grader.grading.messages import PRINTED_INSTEAD, meaning
from grader.grading.report import CaseResult
from sandbox.api import Fault, Program, Value, Verdict
from tournament.play.referee import value_text

MAX_TIMEOUTS: Final = 3
AGAIN: Final = 2.0
"""The limit with which a call out of time is tried once more, in limits."""
PROBES: Final = 2
"""Cases of a question that are probed."""
PROBE_S: Final = 0.25
"""The limit of a probe's call, in seconds of CPU time."""
BATCH: Final = 40
"""Answers about which a checker is asked at once."""
LOST_S: Final = 12.0
"""What a player that answers nothing may take in calls out of time, in seconds."""


class Questioning:
    """One question put to one player."""

    def __init__(self, question: FunctionQuestion, paper: Paper, program: Program, jails: Jails, spent: Spent) -> None:
        self._question = question
        self._asking = Asking(question, program, jails.players, spent)
        self._checker = None
        if isinstance(question.comparator, Checker):
            modules = paper.authored[question.slug].modules
            self._checker = CheckerProcess(jails.authors, question.comparator.source, modules)
        else:
            self._judging = judging_of(question.comparator)
        self._spent = spent
        self._waiting = deque[Check]()
        self._checks = paper.checks[question.slug]
        self._stopped = ""  # why nothing more is run
        self._timeouts = 0
        self._loops = False  # a call did not end within `AGAIN` times its limit

    def deal(self, hidden: bool) -> None:
        """Let the hidden cases, or else the visible ones, be run next. No process may be left from before."""
        self._waiting.extend(check for check in self._checks if check.hidden is hidden)

    def results(self, tries: int) -> Iterator[CaseResult]:
        """Run what is left of the cases that were dealt, in order, in a fresh process. If the player has not answered
        anything yet, stop after `tries` time-outs of this question; with more than `MAX_TIMEOUTS`, give up."""
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
            self.__exit__()

    def _next(self) -> Sequence[Answered]:
        """Run the next case, or several, unless nothing more is run."""
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
            self._timeouts += 1
            if self._timeouts == MAX_TIMEOUTS:
                self._stop(f"{MAX_TIMEOUTS} cases of this question ran out of time")
        return [answered]

    def _put(self, check: Check) -> Answered:
        """Put one call to the player; if it is out of time, once more in a fresh process."""
        limits, loops = self._asking.limits, self._loops or self._spent.doubtful
        answered = self._asking.put(check, limits)
        if loops or not isinstance(answered.reply, Fault) or answered.reply.verdict is not Verdict.TLE:
            return answered
        again = self._asking.put(check, replace(limits, call_s=limits.call_s * AGAIN))
        self._asking.close()
        self._loops = isinstance(again.reply, Fault) and again.reply.verdict is Verdict.TLE
        return again if again.reply.cpu_s <= limits.call_s else answered

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._asking.close()
        if self._checker:
            self._checker.close()

    def answer(self, check: Check) -> CaseResult:
        """The result of one more case, which counts for nothing."""
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
        asking, loaded = self._asking, self._asking.loaded
        for check in islice(self._waiting, PROBES):
            if self._spent.doubtful and self._spent.lost_s < LOST_S:
                asking.close()
                asking.put(check, replace(asking.limits, call_s=min(PROBE_S, asking.limits.call_s)))
        asking.close()
        asking.loaded = loaded
        return self._spent.answers

    def _judged(self, answered: Answered) -> CaseResult:
        """The result by the comparator, unless that is a checker."""
        if isinstance(answered.reply, Fault):
            return self._result(answered, None)
        return self._result(answered, self._judging(answered.check.case, answered.reply.data, answered.output))

    def _checked(self, checker: CheckerProcess, batch: Sequence[Answered]) -> list[CaseResult]:
        """The results of a batch, about whose answers the checker is asked at once."""
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
