"""Runs a program on a case, and says what became of the run before its output is judged."""

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from signal import Signals
from typing import Final

from grader.comparing.outputs import readable
from grader.definition.question import ProgramCase, ProgramQuestion
from grader.languages import LANGUAGES
from grader.languages.language import BINARY
from grader.programs.shown import TEXT, Run
from sandbox import patterns
from sandbox.api import SentBytes, Verdict
from sandbox.programs import Command, Ended, ProgramLimits, Stop
from sandbox.visible import visible_line

_MEANINGS: Final[Mapping[Signals, tuple[str, str]]] = {
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
    Signals.SIGILL: ("an illegal instruction", "Look for a function that ends without the return that it promises."),
}


def crash_message(number: int, where: str = "", what: str = "") -> str:
    """What happened to a program that this signal ended, in a sentence or two: at this line, and for the reason `what`,
    where they are known."""
    try:
        name = Signals(number).name
    except ValueError:
        name = str(number)
    kind, advice = _MEANINGS.get(Signals(number), ("", "")) if not name.isdigit() else ("", "")
    crash = f"{kind} ({name})" if kind else f"the signal {name}"
    place = f" at {where}" if where else ""
    reason = f"{what[0].upper()}{what[1:]}." if what else advice
    return f"Your program crashed with {crash}{place}. {reason}".rstrip()


WALL_FACTOR: Final = 3.0
"""The limit of a run on the wall clock, in its limits of CPU time."""

LINE: Final = 300
"""Characters of a line of standard error that a message repeats."""

_THROWN: Final = patterns.compile(r"terminate called after throwing an instance of '([^'\n]+)'(?:\n +what\(\): +(.*))?")
_ASSERTED: Final = patterns.compile(r"Assertion [`'](.+)' failed")

_LOADED: Final = 1
"""The kind of a program's parts that are in memory when it begins, in the ELF format."""

LINES_BEFORE: Final = 12
"""Lines of a transcript before the one that differs."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a run failed that did not come to an orderly end."""

    verdict: Verdict
    message: str


def command_for(question: ProgramQuestion, files: Mapping[str, bytes], case: ProgramCase) -> Command:
    """The command that runs a program, of these files, on a case. What is expected of it is not in there."""
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
    """What a student types to run the case."""
    language = LANGUAGES[question.language]
    command = " ".join(map(quote, (*language.run(question.main), *case.arguments)))
    return f"{command} < {case.slug}.in" if case.input else command


def failure_of(question: ProgramQuestion, case: ProgramCase, ended: Ended) -> Failure | None:
    """Why the run failed whatever it printed; None if its output must be judged."""
    limit = f"{question.cpu_s:g} s"
    match ended.stop:
        case Stop.CPU:
            more = " It had read all of its input and went on to read." if ended.starved else ""
            return Failure(Verdict.TLE, f"Your program computed for more than {limit}.{more}")
        case Stop.WALL if ended.waited:
            return Failure(Verdict.WTLE, "Your program waited for input that does not come.")
        case Stop.WALL:
            return Failure(Verdict.WTLE, "Your program did not end in time, though it hardly computed.")
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
        return Failure(Verdict.WA, f"Your program ended with the exit code 0; {case.exit_code} was expected.")
    return Failure(Verdict.RTE, _of_exit(case.exit_code, ended))


def static_memory(program: bytes) -> int:
    """The bytes that a program for 64-bit Linux takes before it begins: its code and its global variables; 0 for
    anything else."""
    if program[:6] != b"\x7fELF\x02\x01":
        return 0
    start, size, count = (*struct.unpack_from("<Q", program, 32), *struct.unpack_from("<HH", program, 54))
    parts = (struct.unpack_from("<IIQQQQQ", program, start + number * size) for number in range(count))
    return sum(part[6] for part in parts if part[0] == _LOADED)


def last_words(stderr: SentBytes) -> str:
    """Why a program says that it ended itself, as a clause; "" if it says nothing."""
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
    """What a report keeps of a run."""
    printed, errors = _beginning(ended.stdout), _beginning(ended.stderr)
    given = {path: _beginning(text.encode()) for path, text in {"": case.input, **case.files}.items()}
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


def _beginning(text: bytes) -> str:
    """More than `TEXT` characters of a text, if there are so many, as it is shown."""
    return readable(SentBytes(text[: 4 * TEXT + 4]))


def transcript_of(ended: Ended, line: int = 0) -> list[tuple[str, str]]:
    """What a paced run printed and read, as on a terminal, up to `TEXT` characters: from a few lines before this line
    of the output on; without one, the end."""
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
