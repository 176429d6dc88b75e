"""Grades one program: builds it, runs it on every case, and judges what it did.

Expected output never enters a jail of the student's. What a grading may cost is bounded: three cases out of time end
it, and so does the budget for all runs; a case that is not run gets the verdict `NOT_RUN` and nothing else. A case that
fails is run a second time, to tell a program whose output is not the same each time from one that is wrong.

To find the line of a student's file at which a program crashes, it is built again with `-g`, with checks of undefined
behaviour, and with a handler of ours that prints where it was, and run once more, outside the timed run.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files as resources
from pathlib import PurePosixPath
from time import thread_time
from typing import Final, Self

from grader.definition.programs import (
    OutputChecker,
    OutputComparator,
    ProgramCase,
    ProgramQuestion,
    SameLines,
    Validator,
    Warnings,
)
from grader.languages import LANGUAGES
from grader.languages.language import BINARY
from grader.programs.building import Built, build, compiled
from grader.programs.compiling import Compiler
from grader.programs.jails import ProgramJails
from grader.programs.judging import Judging, OutputJudgement, judge_text
from grader.programs.running import (
    LINES_BEFORE,
    TIMEOUTS,
    Failure,
    command_for,
    crash_message,
    failure_of,
    last_words,
    run_of,
    static_memory,
    transcript_of,
)
from grader.programs.shown import Build, Run
from grader.programs.upload import Merged, merge
from sandbox import patterns
from sandbox.api import SentBytes, SentText, Verdict
from sandbox.programs import Ended, ProgramJail, Stop

OPTIONS: Final = (
    *("-g", "-O0", "-w", "-fno-omit-frame-pointer", "-D_GLIBCXX_ASSERTIONS"),
    *("-fsanitize=undefined", "-fno-sanitize=vptr"),  # this last check needs a pipe, which a run does not get
)
BACKTRACE: Final = ("-DQUADRILLE_BACKTRACE", "-lbacktrace")
"""For the lines of the stack. Compilers of Debian and its kin bring this library; without it, only what the checks find
is known."""

_FRAME: Final = patterns.compile(r"(?m)^quadrille: at (.+):(\d+)$")
_PYTHON: Final = patterns.compile(r'(?m)^ +File "([^"\n]+)", line (\d+)')
_UNDEFINED: Final = patterns.compile(r"(?m)^(\S+?):(\d+):\d+: runtime error: (.*)$")


class CrashFinder:
    """Finds the places of crashes of one program. It is built again at the first crash, once."""

    def __init__(self, question: ProgramQuestion, merged: Merged, jails: ProgramJails, jail: ProgramJail) -> None:
        self._question, self._merged, self._jails, self._jail = question, merged, jails, jail
        self._language = LANGUAGES[question.language]
        self._program: dict[str, bytes] | None = None

    def place(self, case: ProgramCase) -> tuple[str, str]:
        """The line at which the program crashes on this case, as `Deck.cpp:41`, and what the checks say of it; empty if
        they are not found. Raises SandboxError."""
        if self._program is None:
            self._program = self._built()
        if not self._program:
            return "", ""
        self._jails.working("looking for the line of a crash")
        command = command_for(self._question, self._program, case)
        limits = replace(command.limits, cpu_s=10 + self._question.cpu_s, wall_s=30.0, memory=1 << 30)
        ended = self._jail.run(replace(command, limits=limits))
        return crash_place(SentText(ended.stderr.decode("utf-8", "replace")), self._own())

    def _own(self) -> list[str]:
        """The files in which the place is sought: the student's."""
        return [path for path in self._merged.files if path not in self._merged.locked]

    def _built(self) -> dict[str, bytes]:
        handler = f"quadrille_crash{self._language.sources[0]}"
        text = resources("grader.programs").joinpath("crash_handler.c").read_bytes()
        merged = replace(
            self._merged, files={**self._merged.files, handler: text}, locked=self._merged.locked | {handler}
        )
        for more in (BACKTRACE, ()):
            options = (*self._question.options, *OPTIONS, *more)
            compiler = Compiler(self._language, options, merged, self._jails, self._jail)
            if program := compiled(compiler, compiler.sources).files:
                return dict(program)
        return {}


def crash_place(errors: SentText, own: Collection[str]) -> tuple[str, str]:
    """The place that standard error tells, in one of these files, and what is wrong there."""
    undefined = [(_known(file, own), line, what) for file, line, what in _UNDEFINED.findall(errors)]
    frames = ((_known(file, own), line) for file, line in _FRAME.findall(errors))
    found = next(((file, line) for file, line in frames if file), None)
    if found is None:
        return next(((f"{file}:{line}", what) for file, line, what in reversed(undefined) if file), ("", ""))
    return ":".join(found), next((what for file, line, what in reversed(undefined) if (file, line) == found), "")


def exception_place(errors: SentText, own: Collection[str]) -> str:
    """The last place in one of these files that a Python traceback names; "" if there is none."""
    places = [(_known(file, own), line) for file, line in _PYTHON.findall(errors)]
    return next((f"{file}:{line}" for file, line in reversed(places) if file), "")


def _known(file: str, own: Collection[str]) -> str:
    """Which of the files it is, wherever the jail has it."""
    path = PurePosixPath(file).as_posix().removeprefix("./")
    fitting = [each for each in own if path == each or path.endswith(f"/{each}")]
    return max(fitting, key=len, default="")


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


GRADING_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class ProgramGraded:
    """How a program went: one result for each case, in order."""

    build: Build
    results: list[ProgramResult]


Heard = Callable[[ProgramResult], None]


def grade_program(
    question: ProgramQuestion,
    uploaded: Mapping[str, bytes],
    jails: ProgramJails,
    heard: Heard = lambda result: None,
    most_s: float = GRADING_S,
) -> ProgramGraded:
    """Grade the files of an upload. `heard` is called with each result as soon as it is known. `most_s`: seconds that
    all runs together may take, with what this side has to do for them, or half of what the cases' limits allow, if that
    is more. Raises SandboxError, and
    AuthorError for a mistake in a checker or a validator."""
    began = thread_time()
    merged = merge(question, uploaded)
    if merged.missing:
        lacks = Build(False, "", missing=merged.missing, replaced=merged.replaced)
        message = f"Your upload has no {', '.join(merged.missing)}, so nothing was run."
        return ProgramGraded(lacks, _alike(question, Verdict.MISSING, message, heard))
    with jails.programs.open() as jail:
        built = build(question, merged, jails, jail)
        if why := _refusal(question, built):
            return ProgramGraded(built.build, _alike(question, *why, heard))
        results = []
        with Examination(question, merged, built.files, jails, jail, thread_time() - began) as examination:
            for case in question.cases:
                result = examination.result(case, max(most_s, question.cpu_s * len(question.cases) / 2))
                heard(result)
                results.append(result)
        return ProgramGraded(built.build, results)


def _refusal(question: ProgramQuestion, built: Built) -> tuple[Verdict, str] | None:
    """Why nothing is run, if it is not: the verdict of every case, and a sentence."""
    found = built.build.diagnostics
    if not built.runs:
        first = next((each for each in found if each.kind == "error"), None)
        message = "Your program could not be built, so nothing was run."
        if first:
            where = f" at {first.file}:{first.line}" if first.line else ""
            message = f"Your program could not be built, so nothing was run. The first error{where}: {first.message}"
        return LANGUAGES[question.language].unbuilt, message
    if question.warnings is Warnings.FAIL and built.build.warnings:
        count = f"{built.build.warnings} warning{'s' if built.build.warnings > 1 else ''}"
        return Verdict.CE, f"The compiler gave {count}. This question accepts none, so nothing was run."
    return None


def _alike(question: ProgramQuestion, verdict: Verdict, message: str, heard: Heard) -> list[ProgramResult]:
    results = [ProgramResult(case, verdict, message) for case in question.cases]
    for each in results:
        heard(each)
    return results
