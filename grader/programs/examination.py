"""Runs a program that was built on one case after the other, and judges each run."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import thread_time
from typing import Final, Self

from grader.definition.programs import (
    OutputChecker,
    OutputComparator,
    ProgramCase,
    ProgramQuestion,
    SameLines,
    Validator,
)
from grader.languages import LANGUAGES
from grader.languages.language import BINARY
from grader.programs.comparing import OutputJudgement, judge_text
from grader.programs.crashes import CrashFinder, exception_place
from grader.programs.jails import ProgramJails
from grader.programs.judging import Judging
from grader.programs.merging import Merged
from grader.programs.running import (
    LINES_BEFORE,
    TIMEOUTS,
    Failure,
    command_for,
    failure_of,
    last_words,
    run_of,
    static_memory,
    transcript_of,
)
from grader.programs.shown import Run
from grader.programs.signals import crash_message
from sandbox.api import SentBytes, SentText, Verdict
from sandbox.programs import Ended, ProgramJail, Stop

MAX_TIMEOUTS: Final = 3
AGAIN: Final = 2.0
"""The limit with which a run out of time is tried once more, in limits."""


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


class Examination:
    """One program, put to the cases of its question. `spent_s`: what this side had to do before."""

    def __init__(
        self,
        question: ProgramQuestion,
        merged: Merged,
        files: Mapping[str, bytes],
        jails: ProgramJails,
        jail: ProgramJail,
        spent_s: float = 0.0,
    ) -> None:
        self._question, self._merged, self._files = question, merged, files
        self._memory = static_memory(files.get(BINARY, b""))
        self._jails, self._jail = jails, jail
        self._judging = Judging(question, jails)
        self._crashes = CrashFinder(question, merged, jails, jail)
        self._timeouts = 0
        self._loops = False  # a run did not end within `AGAIN` times its limit
        self._spent_s = spent_s

    def __enter__(self) -> Self:
        self._judging.__enter__()
        return self

    def __exit__(self, *exc: object) -> None:
        self._judging.__exit__(*exc)

    def result(self, case: ProgramCase, most_s: float) -> ProgramResult:
        """Run one case, unless three were out of time or all so far have taken `most_s` seconds. Raises SandboxError,
        and AuthorError."""
        if why := self._stopped(most_s):
            return ProgramResult(case, Verdict.NOT_RUN, f"{why}, so the other cases were not run.")
        began = thread_time()
        try:
            return self._result(case)
        finally:
            self._spent_s += thread_time() - began  # what this side has to do counts too

    def _result(self, case: ProgramCase) -> ProgramResult:
        ended = self._in_time(case)
        run = run_of(self._question, case, ended)
        failure = self._oversize() or failure_of(self._question, case, ended)
        if failure is None:
            judgement = self._judged(case, ended)
            if judgement.right:
                return ProgramResult(case, Verdict.AC, "", ended.cpu_s, replace(run, transcript=[]))
            failure = Failure(Verdict.WA, judgement.message)
            run = replace(run, difference=judgement.difference)
        message, run = self._looked_into(case, ended, failure, run)
        return ProgramResult(case, failure.verdict, message, ended.cpu_s, run)

    def _oversize(self) -> Failure | None:
        """Why the program cannot even be started, if that is so."""
        if self._memory <= self._question.memory_mib << 20:
            return None
        size = f"{self._memory >> 20:,} MiB for its global variables, more than the {self._question.memory_mib} MiB"
        return Failure(Verdict.MLE, f"Your program needs {size} that it may use.")

    def _stopped(self, most_s: float) -> str:
        if self._timeouts == MAX_TIMEOUTS:
            return f"{MAX_TIMEOUTS} cases of this question ran out of time"
        if self._spent_s >= most_s:
            return f"All runs of this question together have taken the {most_s:g} s that they may take"
        return ""

    def _in_time(self, case: ProgramCase) -> Ended:
        """Run the case; once more if it was out of time, unless the program loops: see `grader.grading.questioning`."""
        ended = self._run(case)
        if ended.stop is not Stop.CPU or self._loops:
            return ended
        again = self._run(case, most=AGAIN)
        self._loops = again.stop is Stop.CPU
        return again if again.cpu_s <= self._question.cpu_s else ended

    def _run(self, case: ProgramCase, paced: bool = False, most: float = 1.0) -> Ended:
        """Run the case, for at most so many times the usual limit."""
        self._jails.working("running the program")
        command = command_for(self._question, self._files, case)
        limits = replace(command.limits, cpu_s=command.limits.cpu_s * most, wall_s=command.limits.wall_s * most)
        ended = self._jail.run(replace(command, paced=paced, limits=limits))
        self._spent_s += ended.wall_s if ended.stop is Stop.WALL else ended.cpu_s
        return ended

    def _judged(self, case: ProgramCase, ended: Ended) -> OutputJudgement:
        judgement = self._judging.judge(case, SentBytes(ended.stdout))
        for path, expected in case.leaves.items():
            if not judgement.right:
                break
            written = ended.kept.get(path)
            if written is None:
                return OutputJudgement(False, f"Your program did not write the file {path}.")
            found = judge_text(_textual(self._question), expected, SentBytes(written))
            judgement = replace(found, message=found.message and f"In the file {path}: {found.message}")
        return judgement

    def _looked_into(self, case: ProgramCase, ended: Ended, failure: Failure, run: Run) -> tuple[str, Run]:
        """The message and the run of a case that failed, after more runs: another one to see whether it does the same
        again, one for a transcript, and one for the place of a crash."""
        message = failure.message
        if failure.verdict in TIMEOUTS:
            self._timeouts += 1
        elif ended.stop in (Stop.EXITED, Stop.SIGNALLED):
            again = self._run(case)
            if (again.stop, again.code, again.stdout) != (ended.stop, ended.code, ended.stdout):
                run = replace(run, unstable=True)
        if case.hidden:
            return message, run
        if failure.verdict is Verdict.RTE:
            run = replace(run, where=exception_place(SentText(run.errors), list(self._files)))
            if ended.stop is Stop.SIGNALLED and LANGUAGES[self._question.language].compiled:
                where, what = self._crashes.place(case)
                message = crash_message(ended.code, where, last_words(SentBytes(ended.stderr)) or what)
                run = replace(run, where=where)
        if case.input and ended.stop is not Stop.OUTPUT:
            line = run.difference.line if run.difference else 0
            transcript = transcript_of(self._run(case, paced=True), line)
            run = replace(run, transcript=transcript or run.transcript, cut=run.cut or line > LINES_BEFORE + 1)
        return message, run


def _textual(question: ProgramQuestion) -> OutputComparator:
    """How files that a program leaves are compared."""
    return SameLines() if isinstance(question.comparator, OutputChecker | Validator) else question.comparator
