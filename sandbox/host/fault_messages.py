"""Describes what a player did wrong, in words for a beginner.

The raw reports come from inside a jail, so `PlayerReport` checks every field.
"""

import signal
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

from sandbox.api import Fault, Limits, SentBytes, Verdict
from sandbox.host import mistake_hints
from sandbox.host.codec import MAX_QUESTIONS, WRONG_FORMAT, Malformed, PlayerReport
from sandbox.inside.wire import EXIT_BROKEN, PLAIN_ONLY
from sandbox.visible import name as name_of
from sandbox.visible import quoted

_LINE: Final = 200


class SourceFile:
    """A player's file, whose lines the messages quote."""

    def __init__(self, source: SentBytes, filename: str) -> None:
        self.filename = filename
        self._source = source

    @cached_property
    def lines(self) -> list[str]:
        return self._source.decode("utf-8", "replace").splitlines()

    def line(self, number: int | None) -> str:
        """Return the text of a line, cut to a readable length, or "" if there is no such line."""
        return self.lines[number - 1][:_LINE] if number and 0 < number <= len(self.lines) else ""


def from_report(data: Any, program: SourceFile, limits: Limits) -> Fault:
    """Turn the guest's decoded report about the player into a fault. Raises Malformed."""
    report = PlayerReport(data)
    kind = report.text("kind")
    if kind not in _KINDS:
        raise Malformed(WRONG_FORMAT)
    return _KINDS[kind](report, program, limits)


def _exception(report: PlayerReport, program: SourceFile, limits: Limits) -> Fault:
    name, text, frames = report.word("type"), report.text("text"), report.frames()
    line = frames[-1][0] if frames else None
    return Fault(
        Verdict.RTE,
        mistake_hints.raised(name, text, report.word("module"), line),
        _traceback(frames, name, text, program),
        line,
    )


def _traceback(frames: Sequence[tuple[int, str, int]], name: str, text: str, program: SourceFile) -> str:
    lines = ["Traceback (most recent call last):"] if frames else []
    for line, function, times in frames:
        lines.append(f'  File "{program.filename}", line {line}, in {function}')
        if source := program.line(line).strip():
            lines.append(f"    {source}")
        if times > 1:
            lines.append(f"  [the same call {times - 1} more times]")
    return "\n".join([*lines, f"{name}: {text}" if text else name])


def _memory(report: PlayerReport, program: SourceFile, limits: Limits) -> Fault:
    frames = report.frames()
    line = frames[-1][0] if frames else None
    return out_of_memory(limits, _traceback(frames, "MemoryError", "", program), line)


def out_of_memory(limits: Limits, traceback: str = "", line: int | None = None) -> Fault:
    """Report that the player needed more memory than it is allowed."""
    where = f" on line {line}" if line else ""
    message = f"Your program exceeded its memory limit of {limits.memory >> 20} MiB{where}."
    return Fault(Verdict.MLE, message, traceback, line)


def _syntax(report: PlayerReport, program: SourceFile, limits: Limits) -> Fault:
    name, text = report.word("type"), report.word("text", _LINE)
    line, column = report.number("line"), report.number("column")
    if name not in _SYNTAX_ERRORS:
        reason = "it is nested too deeply for Python to read" if name in _TOO_DEEP else quoted(text)
        return Fault(Verdict.SYNTAX, f"Your file is not a Python program: {reason}.")
    where = f"line {line}: " if line else ""
    return Fault(
        Verdict.SYNTAX,
        f"Your file is not a Python program: {where}{quoted(text)}{mistake_hints.syntax(text, program.line(line))}.",
        f"{_caret(program, line, column)}{name}: {text}",
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
    """Report that the file crashed Python's compiler."""
    return Fault(Verdict.SYNTAX, "Your file is not a Python program: Python crashed while reading it.")


def too_long(limits: Limits) -> Fault:
    """Report that the file is larger than the limit."""
    return Fault(Verdict.SYNTAX, f"Your file is larger than the limit of {limits.source >> 10} KiB.")


def _missing_function(report: PlayerReport, program: SourceFile, limits: Limits) -> Fault:
    name, why, meant = report.word("name"), report.text("why"), ""
    if why == "told":
        message = f"Your file lacks what this game needs: {quoted(report.word('text', 2 * _LINE), 2 * _LINE)}"
    elif why == "arguments":
        count, least = report.number("count") or 0, report.number("least") or 0
        message = mistake_hints.mismatch(name, report.word("signature"), count, least, report.number("most"))
    elif why == "not callable":
        message = f"The name {name} in your file is not a function: it is of type {name_of(report.word('type'))}."
    else:
        defined, inside = report.words("defined"), mistake_hints.indented(name, program.lines)
        message = mistake_hints.absent(name, defined, inside)
        similar = "" if inside else mistake_hints.meant(name, defined)
        meant = name_of(similar) if similar else ""
    return Fault(Verdict.MISSING, message, meant=meant)


def _not_data(what: str) -> str:
    """Describe in our own words what was returned, since the player may have forged the report."""
    if what in _UNSENDABLE:
        return what
    kind, found, rest = what.partition(" object; ")
    article, _, name = kind.partition(" ")
    if found and article in ("a", "an") and rest == PLAIN_ONLY:
        return f"{article} {name_of(name)} object; {rest}"
    size, found, most = what.partition(" bytes of data; the limit is ")
    if found and (size + most).replace(",", "").isdecimal():
        return what
    return f"something that is not data: {quoted(what)}"


_UNSENDABLE: Final = (
    *("a value that contains itself or is nested too deeply", "an integer of thousands of digits"),
    *(f"the number {each}, which is not an ordinary number" for each in ("nan", "inf", "-inf")),
)


NOT_ASKED_FOR: Final = "something that was not asked for, in addition to its reply"


def too_much_at_once(limit: int) -> str:
    """Describe a message that is too long."""
    return f"more than {limit:,} bytes at once"


def too_many_questions(phase: str) -> Fault:
    """Report that the player asked too many questions in one call."""
    return Fault(Verdict.MALFORMED, f"{phase} asked more than {MAX_QUESTIONS:,} questions in one call.")


def malformed(what: str) -> Fault:
    """Report that the reply is not plain data."""
    return Fault(Verdict.MALFORMED, f"Your function returned {mistake_hints.not_data(what)}.")


def _blocked(report: PlayerReport, program: SourceFile, limits: Limits) -> Fault:
    what, frames = _FORBIDDEN.get(report.word("call")), report.frames()
    if what is None:
        raise Malformed(WRONG_FORMAT)
    line = frames[-1][0] if frames else None
    where = f" on line {line}" if line else ""
    message = f"Your program tried to {what}{where} ({report.word('call')}), which is forbidden here."
    return Fault(Verdict.BLOCKED, message, _traceback(frames, "Forbidden", what, program), line)


_FORBIDDEN: Final = {
    "socket.socket": "use the network",
    "socket.getaddrinfo": "look up a name on the network",
    "socket.gethostbyname": "look up a name on the network",
    "os.exec": "start another program in its place",
}
"""What each call does, by the name under which students know the call."""

_KINDS: Final[dict[str, Callable[[PlayerReport, SourceFile, Limits], Fault]]] = {
    "blocked": _blocked,
    "exception": _exception,
    "memory": _memory,
    "syntax": _syntax,
    "missing": _missing_function,
    "unsendable": lambda report, *_: malformed(_not_data(report.word("text", 2 * _LINE))),
}


WHOLE_GAME: Final = "Your player, in all its calls in this game together,"


def out_of_time(phase: str, limit_s: float, cpu_s: float) -> Fault:
    """Report that the player computed for too long."""
    return Fault(Verdict.TLE, f"{phase} took more than the {limit_s:g} s of computing time allowed.", cpu_s=cpu_s)


def out_of_patience(phase: str, limit_s: float, cpu_s: float) -> Fault:
    """Report that the player spent too long without computing."""
    late = "kept the game waiting for more than" if phase is WHOLE_GAME else "gave no answer within"
    message = f"{phase} {late} {limit_s:g} s although it used hardly any computing time: does it sleep or wait?"
    return Fault(Verdict.WTLE, message, cpu_s=cpu_s)


def located(fault: Fault, frames: Sequence[tuple[int, str, int]], program: SourceFile) -> Fault:
    """Add to the message of a time-out the line that the player was executing."""
    if not frames or not program.line(frames[-1][0]):
        return fault
    line = frames[-1][0]
    message = f"{fault.message} It was on line {line} at that moment."
    return replace(fault, message=message, traceback=_traceback(frames, "Out of time", "", program), line=line)


def died(status: int, phase: str) -> Fault:
    """Report how the process ended. `status`: its exit status, or the negated number of the signal that ended it."""
    if status == EXIT_BROKEN:
        return Fault(
            Verdict.EXIT, f"{phase} broke Python itself: it closed a connection or changed built-in functions."
        )
    if status >= 0:
        return Fault(Verdict.EXIT, f"{phase} ended the whole program (exit status {status}) instead of returning.")
    if status == -signal.SIGSYS:
        return Fault(Verdict.BLOCKED, f"{phase} tried something that is forbidden here, such as using the network, "
                     "starting a program or inspecting another process.")  # fmt: skip
    return Fault(Verdict.EXIT, f"{phase} crashed Python itself ({_SIGNALS.get(-status, f'signal {-status}')}).")


_CRASHES: Final = {
    "SIGSEGV": "it touched memory that is not its own",
    "SIGABRT": "it was aborted",
    "SIGBUS": "it touched memory that does not exist",
    "SIGFPE": "a faulty calculation in the processor",
    "SIGILL": "a faulty instruction",
}
_SIGNALS: Final[dict[int, str]] = {
    getattr(signal, name): f"{name}: {why}"
    for name, why in _CRASHES.items()
    if hasattr(signal, name)  # Windows lacks some signals
}
