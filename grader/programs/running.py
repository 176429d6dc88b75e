"""Runs a program on a case, says how the run ended, and judges its output with any comparator.

An author's checker runs in the jail of authors, and a validator in a program jail of its own: neither shares a jail
with a student's program. Validators are called as problem packages specify: `validator INPUT ANSWER FEEDBACK_FOLDER
FLAGS… < printed`. Their exit code says whether the output is right. Their messages for teams are shown to students.
Their messages for judges are shown only for cases that students can see anyway.
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from shlex import quote
from signal import Signals
from typing import Final

from grader.author_code.authored import AuthorError, CheckerProcess
from grader.comparing.outputs import RIGHT, OutputJudgement, TextComparator, readable
from grader.definition.question import OutputChecker, ProgramCase, ProgramQuestion, Validator
from grader.languages import LANGUAGES
from grader.languages.language import BINARY
from grader.programs.building import compiled
from grader.programs.compiling import Compiler
from grader.programs.jails import Jails
from grader.programs.shown import TEXT, Run
from grader.programs.upload import Merged
from sandbox import patterns
from sandbox.api import Limits, SentBytes, Verdict
from sandbox.programs import Command, Ended, ProgramJail, ProgramLimits, Stop
from sandbox.visible import visible_line

_MEANINGS: Final[Mapping[int, tuple[str, str]]] = {
    Signals.SIGSEGV: (
        "a segmentation fault",
        "It used memory that is not its own. Look for a null pointer, an index outside an array, an object that was "
        "deleted, or a function that calls itself without end.",
    ),
    Signals.SIGABRT: (
        "an abort",
        "Look for an exception that nothing catches, an assertion that fails, or memory that is freed twice or written "
        "past its end.",
    ),
    Signals.SIGFPE: ("an arithmetic error", "It divided an integer by zero."),
    Signals.SIGBUS: ("a bus error", "It used memory that does not exist."),
    Signals.SIGILL: (
        "an illegal instruction",
        "Look for a function that should return a value but can end without a return.",
    ),
}


def crash_message(number: int, where: str = "", what: str = "") -> str:
    """Say what happened to a program that was ended by this signal, at the line `where` and for the reason `what`, if
    these are known."""
    name = Signals(number).name if number in {*Signals} else str(number)
    kind, advice = _MEANINGS.get(number, ("", ""))
    crash = f"{kind} ({name})" if kind else f"the signal {name}"
    place = f" at {where}" if where else ""
    reason = f"{what[0].upper()}{what[1:]}." if what else advice
    return f"Your program crashed with {crash}{place}. {reason}".rstrip()


WALL_FACTOR: Final = Limits().wall_factor  # the wall-clock limit of a run, as a multiple of its CPU limit
LINE: Final = 300  # characters of a line of standard error in a message
_THROWN: Final = patterns.compile(r"terminate called after throwing an instance of '([^'\n]+)'(?:\n +what\(\): +(.*))?")
_ASSERTED: Final = patterns.compile(r"Assertion [`'](.+)' failed")

_LOADED: Final = 1  # ELF: the type of segments that are loaded when a program starts
LINES_BEFORE: Final = 12  # lines of a transcript shown before the line that differs


@dataclass(frozen=True, slots=True)
class Failure:
    """The failure of a run, found before its output was judged or in its output."""

    verdict: Verdict
    message: str


def command_for(question: ProgramQuestion, files: Mapping[str, bytes], case: ProgramCase) -> Command:
    """Return the command that runs a program with these files on a case. The command reveals nothing about the expected
    output."""
    language = LANGUAGES[question.language]
    return Command(
        argv=(*language.run(question.main), *case.arguments),
        files={**{path: text.encode() for path, text in case.files.items()}, **files},
        executable=frozenset({BINARY} if language.compiled else ()),
        stdin=case.input.encode(),
        kept=tuple(case.leaves),
        tools=() if language.compiled else (language.tool,),
        limits=ProgramLimits(
            cpu_s=question.cpu_s,
            wall_s=question.cpu_s * WALL_FACTOR,
            memory=question.memory_mib << 20,
            output=question.output_kib << 10,
        ),
    )


def typed(question: ProgramQuestion, case: ProgramCase) -> str:
    """Return the command that a student types to run the case."""
    language = LANGUAGES[question.language]
    command = " ".join(map(quote, (*language.run(question.main), *case.arguments)))
    return f"{command} < {case.slug}.in" if case.input else command


def failure_of(question: ProgramQuestion, case: ProgramCase, ended: Ended) -> Failure | None:
    """Return the failure of the run, regardless of its output; None if the output must be judged."""
    limit = f"{question.cpu_s:g} s"
    match ended.stop:
        case Stop.CPU:
            more = " It had read all of its input and tried to read more." if ended.starved else ""
            return Failure(Verdict.TLE, f"Your program computed for more than {limit}.{more}")
        case Stop.WALL if ended.waited:
            return Failure(Verdict.WTLE, "Your program waited for input that never came.")
        case Stop.WALL:
            return Failure(
                Verdict.WTLE, "Your program did not end in time, although it used hardly any computing time."
            )
        case Stop.MEMORY:
            return Failure(Verdict.MLE, f"Your program used more than {question.memory_mib} MiB of memory.")
        case Stop.OUTPUT:
            return Failure(Verdict.OLE, f"Your program printed more than {question.output_kib} KiB and was stopped.")
        case Stop.BLOCKED:
            return Failure(
                Verdict.BLOCKED, "Your program was stopped because it tried something that is forbidden here."
            )
        case Stop.PROCESSES:
            return Failure(Verdict.BLOCKED, "Your program was stopped because it started other processes or threads.")
        case Stop.SIGNALLED:
            return Failure(Verdict.RTE, crash_message(ended.code, "", last_words(SentBytes(ended.stderr))))
    if case.exit_code is None or ended.code == case.exit_code:
        return None
    if ended.code == 0:
        return Failure(Verdict.WA, f"Your program ended with exit code 0; {case.exit_code} was expected.")
    return Failure(Verdict.RTE, _of_exit(case.exit_code, ended))


def static_memory(program: bytes) -> int:
    """Return the number of bytes for the code and global variables of a program for 64-bit Linux; 0 for any other
    file."""
    if program[:6] != b"\x7fELF\x02\x01":
        return 0
    start, size, count = (*struct.unpack_from("<Q", program, 32), *struct.unpack_from("<HH", program, 54))
    parts = (struct.unpack_from("<IIQQQQQ", program, start + number * size) for number in range(count))
    return sum(part[6] for part in parts if part[0] == _LOADED)


def last_words(stderr: SentBytes) -> str:
    """Return the reason why a program ended itself, as a clause taken from its own message; "" if the message gives
    none."""
    errors = stderr.decode("utf-8", "replace")
    if thrown := _THROWN.search(errors):
        what = f": {visible_line(thrown[2][:LINE])}" if thrown[2] else ""
        return f"nothing caught the exception {visible_line(thrown[1][:LINE])}{what}"
    asserted = _ASSERTED.search(errors)
    return f"the assertion {visible_line(asserted[1][:LINE])} failed" if asserted else ""


def _of_exit(expected: int, ended: Ended) -> str:
    lines = [line for line in ended.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    if lines and any(line.startswith("Traceback (most recent call last)") for line in lines):
        return f"Your program stopped with an exception: {visible_line(lines[-1][:LINE])}"
    wrote = f" It wrote: {visible_line(lines[0][:LINE])}" if lines else ""
    return f"Your program ended with the exit code {ended.code}; {expected} was expected.{wrote}"


def run_of(question: ProgramQuestion, case: ProgramCase, ended: Ended) -> Run:
    """Return the data about a run that a report stores."""
    printed, errors = _shown_beginning(ended.stdout), _shown_beginning(ended.stderr)
    given = {path: _shown_beginning(text.encode()) for path, text in {"": case.input, **case.files}.items()}
    return Run(
        command=typed(question, case),
        input=given.pop("")[:TEXT],
        arguments=list(case.arguments),
        files={path: text[:TEXT] for path, text in given.items()},
        exit_code=ended.code if ended.stop is Stop.EXITED else None,
        transcript=[("out", printed[:TEXT])] if printed else [],
        errors=errors[:TEXT],
        starved=ended.starved,
        memory_mib=round(ended.memory / (1 << 20), 1),
        cut=any(len(text) > TEXT for text in (case.input, printed, errors, *case.files.values())),
    )


def _shown_beginning(text: bytes) -> str:
    """Return the beginning of a text in readable form, cut off only after more than `TEXT` characters."""
    return readable(SentBytes(text[: 4 * TEXT + 4]))


def transcript_of(ended: Ended, line: int = 0) -> list[tuple[str, str]]:
    """Return the transcript of a paced run, up to `TEXT` characters: from a few lines before `line` or, without a line,
    the end of the transcript."""
    parts = [(kind, readable(SentBytes(text))) for kind, text in ended.transcript]
    kept, left = [], TEXT
    for kind, text in _from_line(parts, line) if line else reversed(parts):
        shown = text[:left] if line else text[max(0, len(text) - left) :]
        left -= len(shown)
        if shown:
            kept.append((kind, shown))
    return kept if line else kept[::-1]


def _from_line(parts: Sequence[tuple[str, str]], line: int) -> Iterator[tuple[str, str]]:
    skipped = max(0, line - 1 - LINES_BEFORE)
    for kind, text in parts:
        if skipped and kind == "out":
            *above, rest = text.split("\n", skipped)
            skipped -= len(above)
            yield kind, "" if skipped else rest
        elif not skipped:
            yield kind, text


_VALIDATOR: Final = "validator"
_ACCEPTS, _REFUSES = 42, 43
VALIDATOR_LIMITS: Final = ProgramLimits(cpu_s=20.0, wall_s=40.0, memory=1 << 30)

_INPUT, _ANSWER = "quadrille.in", "quadrille.ans"
_FEEDBACK: Final = "feedback"
_FOR_TEAMS, _FOR_JUDGES = f"{_FEEDBACK}/teammessage.txt", f"{_FEEDBACK}/judgemessage.txt"
_LONGEST_REASON: Final = 300


class OutputValidator(ExitStack):
    """A validator in a jail of its own, compiled on first use. Close it after a grading."""

    def __init__(self, validator: Validator, jails: Jails) -> None:
        super().__init__()
        self._validator = validator
        self._language = LANGUAGES[validator.language]
        self._jails = replace(jails, owner="")
        self._jail: ProgramJail | None = None
        self._files: Mapping[str, bytes] = {}

    def says(self, case: ProgramCase, printed: bytes) -> bool | str:
        """Return True if the output is right; otherwise the validator's reason, or False if it gives none. Raises
        AuthorError and SandboxError."""
        jail = self._jail or self._open()
        self._jails.working("judging the output")
        ended = jail.run(self._command(case, printed))
        if ended.stop is not Stop.EXITED or ended.code not in (_ACCEPTS, _REFUSES):
            exited = ended.stop is Stop.EXITED
            ends = f"ended with the exit code {ended.code}" if exited else f"was stopped ({ended.stop.value})"
            errors = visible_line(readable(SentBytes(ended.stderr)).strip())[:_LONGEST_REASON]
            problem = f"On the case {case.slug} it {ends}; it must exit with {_ACCEPTS} (right) or {_REFUSES} (wrong)."
            raise AuthorError(_VALIDATOR, None, f"{problem} It printed: {errors}" if errors else problem)
        if ended.code == _ACCEPTS:
            return True
        kinds = (_FOR_TEAMS,) if case.hidden else (_FOR_TEAMS, _FOR_JUDGES)
        reasons = (visible_line(readable(SentBytes(ended.kept.get(kind, b""))).strip()) for kind in kinds)
        return next((each[:_LONGEST_REASON] for each in reasons if each), False)

    def _command(self, case: ProgramCase, printed: bytes) -> Command:
        files = {**self._files, _INPUT: case.input.encode(), _ANSWER: case.output.encode(), _FOR_JUDGES: b""}
        sources = list(filter(self._language.is_source, self._validator.files))
        program = self._language.run(sources[0] if len(sources) == 1 else "")
        return Command(
            argv=(*program, _INPUT, _ANSWER, f"{_FEEDBACK}/", *self._validator.flags),
            files=files,
            executable=frozenset({BINARY} if self._language.compiled else ()),
            stdin=printed,
            kept=(_FOR_TEAMS, _FOR_JUDGES),
            tools=() if self._language.compiled else (self._language.tool,),
            limits=VALIDATOR_LIMITS,
        )

    def _open(self) -> ProgramJail:
        jail = self.enter_context(self._jails.programs().open())
        files = {path: text.encode() for path, text in self._validator.files.items()}
        if self._language.compiled:
            handed_out = Merged(files, frozenset(files), [], [])
            compiler = Compiler(self._language, (), handed_out, self._jails, jail)
            made = compiled(compiler, compiler.sources)
            if not made.files:
                raise AuthorError(_VALIDATOR, None, "It does not compile.", made.log)
            files = dict(made.files)
        self._jail, self._files = jail, files
        return jail


REFUSED = "Your program's output is not right."


class Judging(ExitStack):
    """Judges the output of one question's cases. Close it after a grading."""

    def __init__(self, question: ProgramQuestion, jails: Jails) -> None:
        super().__init__()
        self._comparator = question.comparator
        self._asked: CheckerProcess | OutputValidator | None = None
        if isinstance(self._comparator, OutputChecker):
            self._asked = self.enter_context(CheckerProcess(jails.authors, self._comparator.source, takes=3))
        elif isinstance(self._comparator, Validator):
            self._asked = self.enter_context(OutputValidator(self._comparator, jails))

    def judge(self, case: ProgramCase, printed: SentBytes) -> OutputJudgement:
        """Judge the output of one run. Raises AuthorError and SandboxError, which are never the student's mistake."""
        if isinstance(self._asked, CheckerProcess):
            said = self._asked.says(case.input, case.output, printed.decode("utf-8", "replace"))
        elif self._asked:
            said = self._asked.says(case, printed)
        else:
            assert isinstance(self._comparator, TextComparator)  # noqa: S101 - there are no other kinds
            return self._comparator.judge(case.output, printed)
        return RIGHT if said is True else OutputJudgement(False, said or REFUSED)
