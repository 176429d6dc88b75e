"""What a signal that ended a program means, for a beginner."""

from collections.abc import Mapping
from signal import Signals
from typing import Final

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
