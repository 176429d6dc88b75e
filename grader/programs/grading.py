"""Grades one program: builds it, runs it on every case, and judges the results.

Expected output never enters a student's jail. The cost of a grading is limited: it ends after three cases that time
out, or when the budget for all runs is spent. A case that is not run gets only the verdict `NOT_RUN`. A failed case is
run a second time, to distinguish varying output from wrong output.

To find the line of a student's file where a program crashes, the program is built again with `-g`, with checks for
undefined behaviour, and with Quadrille's own handler, which prints the place of the crash. The program is then run once
more, separately from the timed run.

This module also determines which languages a worker needs for an assignment, and which languages work on this host, by
building and running a small program in each.
"""

import logging
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files as resources
from pathlib import PurePosixPath
from typing import Final, Self

from grader.comparing.outputs import OutputJudgement, SameLines, TextComparator
from grader.definition.model import Definition
from grader.definition.question import ProgramCase, ProgramQuestion, Warnings
from grader.languages import LANGUAGES
from grader.languages.language import BINARY, Language
from grader.programs.building import Built, build, compiled
from grader.programs.compiling import Compiler
from grader.programs.jails import NOT_RUN, TIMEOUTS, Jails, Patience, Spent
from grader.programs.running import (
    LINES_BEFORE,
    Failure,
    Judging,
    command_for,
    crash_message,
    failure_of,
    last_words,
    run_of,
    static_memory,
    transcript_of,
    typed,
)
from grader.programs.shown import Build, CaseResult, Event, ProgramBuilt, Run
from grader.programs.upload import Merged, merge
from sandbox import patterns
from sandbox.api import SandboxError, SandboxUnavailable, SentBytes, SentText, Verdict
from sandbox.programs import Ended, ProgramJail, ProgramSandbox, Stop

OPTIONS: Final = (
    *("-g", "-O0", "-w", "-fno-omit-frame-pointer", "-D_GLIBCXX_ASSERTIONS"),
    *("-fsanitize=undefined", "-fno-sanitize=vptr"),  # the vptr check needs a pipe, which runs do not have
)
BACKTRACE: Final = ("-DQUADRILLE_BACKTRACE", "-lbacktrace")
"""Options for printing the lines of the stack. Debian's compilers include this library; without it, only the findings
of the checks are known."""

_FRAME: Final = patterns.compile(r"(?m)^quadrille: at (.+):(\d+)$")
_PYTHON: Final = patterns.compile(r'(?m)^ +File "([^"\n]+)", line (\d+)')
_UNDEFINED: Final = patterns.compile(r"(?m)^(\S+?):(\d+):\d+: runtime error: (.*)$")


class CrashFinder:
    """Finds where a program crashes. The program is built again only once, at the first crash."""

    def __init__(self, question: ProgramQuestion, merged: Merged, jails: Jails, jail: ProgramJail) -> None:
        self._question, self._merged, self._jails, self._jail = question, merged, jails, jail
        self._language = LANGUAGES[question.language]
        self._program: dict[str, bytes] | None = None

    def place(self, case: ProgramCase) -> tuple[str, str]:
        """Return where the program crashes on this case, as `Deck.cpp:41`, and why; both are empty if unknown. Raises
        SandboxError."""
        if self._program is None:
            self._program = self._built()
        if not self._program:
            return "", ""
        self._jails.working("looking for the line of a crash")
        command = command_for(self._question, self._program, case)
        limits = replace(command.limits, cpu_s=10 + self._question.cpu_s, wall_s=30.0, memory=1 << 30)
        ended = self._jail.run(replace(command, limits=limits))
        own = [path for path in self._merged.files if path not in self._merged.locked]
        return crash_place(SentText(ended.stderr.decode("utf-8", "replace")), own)

    def _built(self) -> dict[str, bytes]:
        handler = f"quadrille_crash{self._language.sources[0]}"
        text = resources("grader.programs").joinpath("crash_handler.c").read_bytes()
        files, locked = {**self._merged.files, handler: text}, self._merged.locked | {handler}
        merged = replace(self._merged, files=files, locked=locked)
        for more in (BACKTRACE, ()):
            options = (*self._question.options, *OPTIONS, *more)
            compiler = Compiler(self._language, options, merged, self._jails, self._jail)
            if program := compiled(compiler, compiler.sources).files:
                return dict(program)
        return {}


def crash_place(errors: SentText, own: Collection[str]) -> tuple[str, str]:
    """Return the place of a crash in one of the `own` files, according to standard error, and the reason."""
    undefined = [(_own_file(file, own), line, what) for file, line, what in _UNDEFINED.findall(errors)]
    frames = ((_own_file(file, own), line) for file, line in _FRAME.findall(errors))
    found = next(((file, line) for file, line in frames if file), None)
    if found is None:
        return next(((f"{file}:{line}", what) for file, line, what in reversed(undefined) if file), ("", ""))
    return ":".join(found), next((what for file, line, what in reversed(undefined) if (file, line) == found), "")


def exception_place(errors: SentText, own: Collection[str]) -> str:
    """Return the last place in one of the `own` files that a Python traceback names, or ""."""
    places = [(_own_file(file, own), line) for file, line in _PYTHON.findall(errors)]
    return next((f"{file}:{line}" for file, line in reversed(places) if file), "")


def _own_file(file: str, own: Collection[str]) -> str:
    """Return the path among `own` that `file` refers to, wherever the file is in the jail, or ""."""
    path = PurePosixPath(file).as_posix().removeprefix("./")
    return max((each for each in own if path == each or path.endswith(f"/{each}")), key=len, default="")


class Examination:
    """Runs one program on the cases of its question."""

    def __init__(
        self,
        question: ProgramQuestion,
        merged: Merged,
        files: Mapping[str, bytes],
        jails: Jails,
        jail: ProgramJail,
        spent: Spent,
        judging: Judging,
    ) -> None:
        self._question, self._merged, self._files = question, merged, files
        self._memory = static_memory(files.get(BINARY, b""))
        self._jails, self._jail = jails, jail
        self._judging = judging
        self._crashes = CrashFinder(question, merged, jails, jail)
        self._patience = Patience()
        self._spent = spent

    def result(self, case: ProgramCase) -> CaseResult:
        """Return the result of one case. The case is not run if three cases have timed out or no time is left. Raises
        AuthorError and SandboxError."""
        if why := self._stopped():
            return result_of(self._question, case, Verdict.NOT_RUN, NOT_RUN.format(why))
        with self._spent.computing():
            return self._run_and_judged(case)

    def _run_and_judged(self, case: ProgramCase) -> CaseResult:
        ended = self._patience.tried(
            lambda times: self._run(case, most=times),
            lambda ended: None if ended.stop is Stop.CPU else ended.cpu_s,
            self._question.cpu_s,
        )
        run = run_of(self._question, case, ended)
        failure = self._oversize() or failure_of(self._question, case, ended)
        if failure is None:
            judgement = self._judged(case, ended)
            if judgement.right:
                return result_of(self._question, case, Verdict.AC, "", ended.cpu_s, replace(run, transcript=[]))
            failure = Failure(Verdict.WA, judgement.message)
            run = replace(run, difference=judgement.difference)
        message, run = self._looked_into(case, ended, failure, run)
        return result_of(self._question, case, failure.verdict, message, ended.cpu_s, run)

    def _oversize(self) -> Failure | None:
        """Return the failure of a program that is too large to start; None for other programs."""
        if self._memory <= self._question.memory_mib << 20:
            return None
        size = f"{self._memory >> 20:,} MiB for its global variables, more than the {self._question.memory_mib} MiB"
        return Failure(Verdict.MLE, f"Your program needs {size} that it may use.")

    def _stopped(self) -> str:
        most_s = self._spent.limits.grading_s
        if not self._patience.ended and self._spent.used_s >= most_s:
            return f"The runs of this question have used up their total time of {most_s:g} s"
        return self._patience.ended

    def _run(self, case: ProgramCase, paced: bool = False, most: float = 1.0) -> Ended:
        """Run the case, with its time limits multiplied by `most`."""
        self._jails.working("running the program")
        command = command_for(self._question, self._files, case)
        limits = replace(command.limits, cpu_s=command.limits.cpu_s * most, wall_s=command.limits.wall_s * most)
        ended = self._jail.run(replace(command, paced=paced, limits=limits))
        self._spent.used_s += ended.wall_s if ended.stop is Stop.WALL else ended.cpu_s
        return ended

    def _judged(self, case: ProgramCase, ended: Ended) -> OutputJudgement:
        judgement = self._judging.judge(case, SentBytes(ended.stdout))
        chosen = self._question.comparator
        of_files = chosen if isinstance(chosen, TextComparator) else SameLines()
        for path, expected in case.leaves.items():
            if not judgement.right:
                break
            written = ended.kept.get(path)
            if written is None:
                return OutputJudgement(False, f"Your program did not write the file {path}.")
            found = of_files.judge(expected, SentBytes(written))
            judgement = replace(found, message=found.message and f"In the file {path}: {found.message}")
        return judgement

    def _looked_into(self, case: ProgramCase, ended: Ended, failure: Failure, run: Run) -> tuple[str, Run]:
        """Examine a failed case with more runs: one to detect varying output and, if the case is visible, one to find
        the place of a crash and one to record a transcript. Returns the message and the run."""
        message = failure.message
        if failure.verdict in TIMEOUTS:
            self._patience.timeouts += 1
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


def grade_program(question: ProgramQuestion, uploaded: Mapping[str, bytes], jails: Jails) -> Generator[Event]:
    """Grade the files of an upload: yield the build, then the result of each case, in order. All runs of a question,
    including the work outside the jail, may take `Limits.grading_s` or half the sum of the cases' limits, whichever
    is more. Raises AuthorError and SandboxError."""
    most_s = max(jails.limits.grading_s, question.cpu_s * len(question.cases) / 2)
    spent = Spent(replace(jails.limits, grading_s=most_s))
    with spent.computing():
        merged = merge(question, uploaded)
    if merged.missing:
        yield ProgramBuilt(question.slug, Build(False, "", missing=merged.missing, replaced=merged.replaced))
        message = f"Your upload has no {', '.join(merged.missing)}, so nothing was run."
        yield from (result_of(question, case, Verdict.MISSING, message) for case in question.cases)
        return
    with jails.programs().open() as jail:
        with spent.computing():
            built = build(question, merged, jails, jail)
        yield ProgramBuilt(question.slug, built.build)
        if why := _why_not_run(question, built):
            yield from (result_of(question, case, *why) for case in question.cases)
            return
        with Judging(question, jails) as judging:
            examination = Examination(question, merged, built.files, jails, jail, spent, judging)
            yield from map(examination.result, question.cases)


@dataclass(frozen=True, slots=True)
class ProgramGraded:
    """The grading of a program: its build, and one result for each case, in order."""

    build: Build
    results: list[CaseResult]

    @classmethod
    def of(cls, events: Iterable[Event]) -> Self:
        """Collect the events of one program's grading."""
        found = [*events]
        return cls(
            build=next(each.build for each in found if isinstance(each, ProgramBuilt)),
            results=[each for each in found if isinstance(each, CaseResult)],
        )


def result_of(
    question: ProgramQuestion,
    case: ProgramCase,
    verdict: Verdict,
    message: str,
    cpu_s: float = 0.0,
    run: Run | None = None,
) -> CaseResult:
    """Create the result of a case. `message` is a sentence for the program's author, and is empty if the case
    passed."""
    return CaseResult(
        question=question.slug,
        title=case.title,
        call=run.command if run else typed(question, case),
        expected="",
        got="",
        verdict=verdict,
        message=message,
        cpu_ms=round(cpu_s * 1000, 3),
        hidden=case.hidden,
        run=run,
    )


def _why_not_run(question: ProgramQuestion, built: Built) -> tuple[Verdict, str] | None:
    """Return the verdict for every case and the reason, in a sentence, if the program cannot be run; None otherwise."""
    if not built.runs:
        message = "Your program could not be built, so nothing was run."
        if first := next((each for each in built.build.diagnostics if each.kind == "error"), None):
            message += f" The first error{f' at {first.file}:{first.line}' if first.line else ''}: {first.message}"
        return LANGUAGES[question.language].unbuilt, message
    if question.warnings is Warnings.FAIL and built.build.warnings:
        count = f"{built.build.warnings} warning{'s' if built.build.warnings > 1 else ''}"
        return Verdict.CE, f"The compiler gave {count}. This question allows no warnings, so the program was not run."
    return None


log = logging.getLogger(__name__)

WORD: Final = "works"


def troubles(programs: ProgramSandbox) -> Iterator[tuple[Language, str]]:
    """Yield each language, with the reason why its programs cannot be graded on this host ("" if they can). A small
    program is tried in each language."""
    for language in LANGUAGES.values():
        yield language, programs.missing(language.tool) or _self_test(language, programs)


def _self_test(language: Language, programs: ProgramSandbox) -> str:
    files = {path: text.encode() for path, text in language.self_test.items()}
    case = ProgramCase(slug="word", title="A word is printed", input=f"{WORD}\n", output=f"{WORD}\n")
    usual = {"slug": "self-test", "title": "Self-test", "cpu_s": 10.0, "warnings": "fail"}
    question = ProgramQuestion.model_validate({**usual, "language": language.slug, "cases": (case,)})
    try:
        graded = ProgramGraded.of(grade_program(question, files, Jails(programs=lambda: programs)))
    except SandboxError as error:
        return f"its self-test failed: {error}"
    (result,) = graded.results
    log = graded.build.log.strip()
    return "" if result.passed else f"its self-test gets {result.verdict.value}: {log or result.message}"


def needs_of(definition: Definition) -> str:
    """Return the languages of the definition's programs, sorted and separated by spaces: `c11 cpp17`; "" if it has no
    program questions."""
    return " ".join(sorted({each.language for each in definition.programs}))


def offered(programs: Callable[[], ProgramSandbox]) -> frozenset[str]:
    """Return the languages whose self-test passes on this host. If no program jail can be opened, the result is empty
    and a warning is logged."""
    try:
        box = programs()
    except SandboxUnavailable as error:
        log.warning("this worker grades no programs: %s", error)
        return frozenset()
    works = set()
    for language, trouble in troubles(box):
        if trouble:
            log.warning("this worker grades no programs in %s: %s", language.title, trouble)
        else:
            works.add(language.slug)
    return frozenset(works)


def titles(languages: Iterable[str]) -> str:
    """Join the names of languages as in a sentence: `C11 and C++17`; "" if there are no languages."""
    names = sorted(LANGUAGES[each].title if each in LANGUAGES else each for each in languages)
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
