"""What a player did wrong, in words for a beginner.

The raw reports come out of the box and are checked here like everything else from there.
"""

import signal
import sys
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final

from sandbox import hints
from sandbox.api import Fault, Limits, Verdict
from sandbox.codec import MAX_QUESTIONS, Malformed, decode
from sandbox.wire import EXIT_BROKEN

_LINE: Final = 200


class SourceFile:
    """What is needed of a player's file to describe its faults."""

    def __init__(self, source: bytes, filename: str) -> None:
        self.filename = filename
        self._source = source

    @cached_property
    def lines(self) -> list[str]:
        """The text, line by line."""
        return self._source.decode("utf-8", "replace").splitlines()

    def line(self, number: int | None) -> str:
        """The text of a line, "" where there is none."""
        return self.lines[number - 1][:_LINE] if number and 0 < number <= len(self.lines) else ""


def from_report(body: bytes, program: SourceFile, limits: Limits) -> Fault:
    """The fault that the guest reports about the player. Raises Malformed."""
    report = _Report(decode(body))
    describe = _KINDS.get(report.text("kind"))
    if describe is None:
        raise Malformed("bytes that are not in the sandbox's format")
    return describe(report, program, limits)


class _Report:
    """A report whose every field is checked when it is read."""

    def __init__(self, data: Any) -> None:
        if not isinstance(data, dict):
            raise Malformed("bytes that are not in the sandbox's format")
        self._data = data

    def text(self, key: str) -> str:
        value = self._data.get(key)
        if not isinstance(value, str) or len(value) > 1000:
            raise Malformed("bytes that are not in the sandbox's format")
        return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in value)

    def word(self, key: str, length: int = 100) -> str:
        """A name or a few words: one line, not too long."""
        return self.text(key).replace("\n", "\N{REPLACEMENT CHARACTER}")[:length]

    def words(self, key: str) -> list[str]:
        """A few names."""
        value = self._data.get(key)
        if not isinstance(value, list) or len(value) > 20 or not all(isinstance(each, str) for each in value):
            raise Malformed("bytes that are not in the sandbox's format")
        return ["".join(c for c in each if c.isprintable())[:100] for each in value]

    def number(self, key: str) -> int | None:
        value = self._data.get(key)
        return value if isinstance(value, int) and -1 < value < 1 << 31 else None

    def frames(self) -> list[tuple[int, str, int]]:
        value = self._data.get("frames")
        if not isinstance(value, list) or len(value) > 20:
            raise Malformed("bytes that are not in the sandbox's format")
        return [_frame(item) for item in value]


def _frame(item: Any) -> tuple[int, str, int]:
    match item:
        case [int(line), str(name), int(times)] if 0 <= line < 1 << 31 and len(name) <= 100:
            return line, "".join(c for c in name if c.isprintable()), times
    raise Malformed("bytes that are not in the sandbox's format")


def _exception(report: _Report, program: SourceFile, limits: Limits) -> Fault:
    name, text, frames = report.word("type"), report.text("text"), report.frames()
    line = frames[-1][0] if frames else None
    return Fault(
        Verdict.RTE, _explain(name, text, report.word("module"), line), _traceback(frames, name, text, program), line
    )


def _explain(name: str, text: str, module: str, line: int | None) -> str:
    where = f" on line {line}" if line else ""
    package = module.partition(".")[0]
    if package and package not in sys.stdlib_module_names:
        return hints.module(package, where)
    if name in _EXPLAINED:
        return f"Your program {_EXPLAINED[name]}{where}."
    if name == "PermissionError" or (name, text) == ("RuntimeError", "can't start new thread"):
        return (
            f"Your program tried something that a player may not do{where} ({name}): it can write no files, read none "
            "but Python's own, and start no programs, processes or threads."
        )
    first = text.partition("\n")[0]
    return f"Your program raised {name}{where}" + (f": {_cut(first)}" if first else ".")


_EXPLAINED: Final = {
    "SystemExit": "ended itself (SystemExit, as exit() does)",
    "KeyboardInterrupt": "raised KeyboardInterrupt",
    "RecursionError": "called itself too many times without returning (RecursionError)",
    "EOFError": "asked for input, but there is nobody to type it (EOFError)",
}


def _traceback(frames: Sequence[tuple[int, str, int]], name: str, text: str, program: SourceFile) -> str:
    lines = ["Traceback (most recent call last):"] if frames else []
    for line, function, times in frames:
        lines.append(f'  File "{program.filename}", line {line}, in {function}')
        if source := program.line(line).strip():
            lines.append(f"    {source}")
        if times > 1:
            lines.append(f"  [the same call {times - 1} more times]")
    return "\n".join([*lines, f"{name}: {text}" if text else name])


def _memory(report: _Report, program: SourceFile, limits: Limits) -> Fault:
    frames = report.frames()
    line = frames[-1][0] if frames else None
    return out_of_memory(limits, _traceback(frames, "MemoryError", "", program), line)


def out_of_memory(limits: Limits, traceback: str = "", line: int | None = None) -> Fault:
    """The player wanted more memory than it may have."""
    where = f" on line {line}" if line else ""
    message = f"Your program used more than the {limits.memory >> 20} MiB of memory it may have{where}."
    return Fault(Verdict.MLE, message, traceback, line)


def _syntax(report: _Report, program: SourceFile, limits: Limits) -> Fault:
    name, text, line, column = (
        report.word("type"),
        report.word("text", _LINE),
        report.number("line"),
        report.number("column"),
    )
    if name not in _SYNTAX_ERRORS:
        reason = "it is nested too deeply for Python to read" if name in _TOO_DEEP else _cut(text)
        return Fault(Verdict.SYNTAX, f"Your file is not a Python program: {reason}.")
    where = f"line {line}: " if line else ""
    return Fault(
        Verdict.SYNTAX,
        f"Your file is not a Python program: {where}{_cut(text)}{hints.syntax(text, program.line(line))}.",
        _caret(program, line, column) + f"{name}: {_cut(text)}",
        line,
    )


_SYNTAX_ERRORS: Final = ("SyntaxError", "IndentationError", "TabError")
_TOO_DEEP: Final = ("RecursionError", "MemoryError")


def _caret(program: SourceFile, line: int | None, column: int | None) -> str:
    if not line or not program.line(line):
        return ""
    text = program.line(line)
    stripped = text.lstrip()
    caret = max(0, (column or 1) - 1 - (len(text) - len(stripped)))
    pointer = f"    {' ' * caret}^\n" if column and caret <= len(stripped) else ""
    return f'  File "{program.filename}", line {line}\n    {stripped}\n{pointer}'


def unreadable() -> Fault:
    """Python's compiler itself died of the file."""
    return Fault(Verdict.SYNTAX, "Your file is not a Python program: Python crashed while reading it.")


def too_long(limits: Limits) -> Fault:
    """The file is larger than the limit."""
    return Fault(Verdict.SYNTAX, f"Your file is larger than the {limits.source >> 10} KiB that are allowed.")


def _missing(report: _Report, program: SourceFile, limits: Limits) -> Fault:
    name, why = report.word("name"), report.text("why")
    if why == "told":
        message = report.word("text", 2 * _LINE)
    elif why == "arguments":
        count, least = report.number("count") or 0, report.number("least") or 0
        message = hints.mismatch(name, report.word("signature"), count, least, report.number("most"))
    elif why == "not callable":
        message = f"The name {name} in your file is not a function: it is of type {report.word('type')}."
    else:
        message = hints.absent(name, report.words("defined"), hints.indented(name, program.lines))
    return Fault(Verdict.MISSING, message)


def _unsendable(report: _Report, program: SourceFile, limits: Limits) -> Fault:
    return malformed(report.word("text", 200))


NOT_ASKED_FOR: Final = "something that was not asked for, beside its reply"


def too_much_at_once(limit: int) -> str:
    """What is malformed about a message that is too long."""
    return f"more than {limit:,} bytes at once"


def too_many_questions(phase: str) -> Fault:
    """The player asks without end."""
    return Fault(Verdict.MALFORMED, f"{phase} asked more than {MAX_QUESTIONS:,} questions in one call.")


def malformed(what: str) -> Fault:
    """The reply is no data."""
    return Fault(Verdict.MALFORMED, f"Your function returned {hints.no_data(what)}.")


def _blocked(report: _Report, program: SourceFile, limits: Limits) -> Fault:
    what, frames = _FORBIDDEN.get(report.word("call")), report.frames()
    if what is None:
        raise Malformed("bytes that are not in the sandbox's format")
    line = frames[-1][0] if frames else None
    where = f" on line {line}" if line else ""
    message = f"Your program tried to {what}{where} ({report.word('call')}), which is forbidden here."
    return Fault(Verdict.BLOCKED, message, _traceback(frames, "Forbidden", what, program), line)


_FORBIDDEN: Final = {
    "socket.socket": "use the network",
    "socket.getaddrinfo": "look up a name in the network",
    "socket.gethostbyname": "look up a name in the network",
    "os.exec": "start another program in its place",
}
"""The call as a student knows it, and what it is good for."""

_KINDS: Final = {
    "blocked": _blocked,
    "exception": _exception,
    "memory": _memory,
    "syntax": _syntax,
    "missing": _missing,
    "unsendable": _unsendable,
}


WHOLE_GAME: Final = "Your player, in all its calls of this game together,"


def out_of_time(phase: str, limit_s: float, cpu_s: float) -> Fault:
    """The player computed for too long."""
    return Fault(Verdict.TLE, f"{phase} took more than the {limit_s:g} s of computing time allowed.", cpu_s=cpu_s)


def out_of_patience(phase: str, limit_s: float, cpu_s: float) -> Fault:
    """The player let time pass without computing."""
    late = "was waited for longer than" if phase is WHOLE_GAME else "gave no answer within"
    message = f"{phase} {late} {limit_s:g} s although it was hardly computing: does it sleep or wait?"
    return Fault(Verdict.WTLE, message, cpu_s=cpu_s)


def died(status: int, phase: str) -> Fault:
    """The process ended in a way that the wait status tells."""
    if status == EXIT_BROKEN:
        return Fault(
            Verdict.EXIT, f"{phase} broke Python itself: it closed a connection or changed built-in functions."
        )
    if status >= 0:
        return Fault(Verdict.EXIT, f"{phase} ended the whole program (exit status {status}) instead of returning.")
    number = -status
    if number == signal.SIGSYS:
        return Fault(Verdict.BLOCKED, f"{phase} tried something that is forbidden here, such as using the network, "
                     "starting a program or looking into another one.")  # fmt: skip
    return Fault(Verdict.EXIT, f"{phase} crashed Python itself ({_SIGNALS.get(number, f'signal {number}')}).")


_SIGNALS: Final[dict[int, str]] = {
    signal.SIGSEGV: "SIGSEGV: it touched memory that is not its own",
    signal.SIGABRT: "SIGABRT: it aborted",
    signal.SIGBUS: "SIGBUS: it touched memory that does not exist",
    signal.SIGFPE: "SIGFPE: a faulty calculation in the processor",
    signal.SIGILL: "SIGILL: a faulty instruction",
}


def _cut(text: str) -> str:
    return text if len(text) <= _LINE else text[:_LINE] + "…"
