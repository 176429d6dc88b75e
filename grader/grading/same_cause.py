"""Decides whether two calls of a player probably failed for the same reason, and says in one line what to do about a
failure. Kits contain this module, so it must run on Python 3.9 and imports only the standard library and modules in
kits."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final, NamedTuple

from grader.comparing.judging import PRINTED_INSTEAD
from grader.grading.python_words import code, explained, traced

AT_A_LINE: Final = ("RTE", "MLE", "BLOCKED")
TIMEOUTS: Final = ("TLE", "WTLE")
OF_THE_FILE: Final = ("SYNTAX", "MISSING")

_KINDS: Final = {
    "[": "a list",
    "(": "a tuple",
    "{": "a dictionary or set",
    "s": "a set",
    "'": "a string",
    '"': "a string",
    "T": "a boolean",
    "F": "a boolean",
    "N": "None",
}
"""The type of a value in words, by the first character of its literal."""


class FailedCall(NamedTuple):
    """A failed call of the question `slug`. `title` is the title of its verdict. `call` is empty if the call is not
    shown."""

    slug: str
    verdict: str
    title: str
    message: str
    expected: str
    got: str
    traceback: str
    line: int
    call: str


def cause_of(call: FailedCall) -> Hashable:
    """Return a key that is equal for two calls only if they probably failed for the same reason. It excludes the text
    of exceptions, which can contain a value of the call, and the line where a loop times out, which is arbitrary."""
    end = traced(call.traceback)
    if call.verdict in AT_A_LINE and call.line:
        return call.verdict, call.line, end.error.partition(":")[0]
    if call.verdict in TIMEOUTS:
        return call.verdict, end.function or call.slug
    if call.verdict in (*AT_A_LINE, *OF_THE_FILE, "EXIT"):
        return call.verdict, call.message
    return call.verdict, call.slug, advice_on(call)


def advice_on(call: FailedCall) -> str:
    """Say what to do about a failed call, without a full stop: `Syntax error, line 27: a colon is missing after …`."""
    end, verdict = traced(call.traceback), call.verdict
    if verdict in ("SYNTAX", "RTE") and call.line and explained(end, call.line):
        return explained(end, call.line)
    if verdict in (*TIMEOUTS, "MLE") and call.line:
        return f"{call.title} on line {call.line}" + (f": {code(end.source)}" if end.source else "")
    if verdict in ("SYNTAX", "RTE", "MISSING", "BLOCKED", "EXIT"):
        return call.message[:-1] if call.message.endswith(".") else call.message
    if verdict == "WA" and call.expected in ("True", "False"):
        return f"Returns {call.got} instead of {call.expected}"
    if verdict == "TYPE":
        return _of_type(call)
    return f"{call.title}: follow the call shown step by step" if verdict == "WA" and call.call else call.title


def _of_type(call: FailedCall) -> str:
    if call.message == PRINTED_INSTEAD:
        return "Prints the answer instead of returning it"
    if call.got == "None":
        return "Returns None: is a return statement missing?"
    expected, got = (_KINDS.get(value[:1], "a number") for value in (call.expected, call.got))
    if not call.got or expected == got:
        return "A value has the wrong type: compare what is expected with what you return"
    return f"Returns {got} instead of {expected}"
