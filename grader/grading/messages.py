"""Explains each verdict to beginners: what happened, and what to do. Also writes calls in the form in which students
can type them."""

from collections.abc import Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Final

from sandbox.api import SentBytes, Verdict


@dataclass(frozen=True, slots=True)
class Meaning:
    """The explanation of a verdict: a title of one to three words, a sentence about what happened, and a sentence about
    what to do."""

    title: str
    what: str
    advice: str

    @property
    def within(self) -> str:
        """The title in the form for use within a sentence: `wrong value`."""
        return self.title[0].lower() + self.title[1:]


MEANINGS: Final[dict[Verdict, Meaning]] = {
    Verdict.AC: Meaning("Passed", "Your function returned what was expected.", "There is nothing to do."),
    Verdict.WA: Meaning(
        "Wrong value",
        "Your function returned a value of the right type, but not the right value.",
        "Run the call shown on your own computer, and follow it step by step until it differs from what you expect.",
    ),
    Verdict.TYPE: Meaning(
        "Wrong type",
        "Your function returned a value of the wrong type, such as 'True' instead of True, 1 instead of True, a list "
        "instead of a tuple, or None.",
        "Check that every path through the function ends in a return, and that the value returned has the right type.",
    ),
    Verdict.ILLEGAL: Meaning(
        "Illegal play",
        "Your function returned a play that the rules do not allow here.",
        "Read the rule that it broke, and check the play against the arguments shown.",
    ),
    Verdict.MALFORMED: Meaning(
        "Not plain data",
        "Your function returned something that is not plain data, or far too much of it.",
        "Return only None, booleans, numbers and strings, and lists, tuples, dictionaries and sets of these.",
    ),
    Verdict.RTE: Meaning(
        "Exception",
        "Your code stopped with an exception.",
        "The last line of the traceback says what went wrong; the lines above it say where.",
    ),
    Verdict.TLE: Meaning(
        "Out of time",
        "Your code ran longer than the time limit.",
        "Look for a loop that never ends, or for work that grows much faster than the input.",
    ),
    Verdict.WTLE: Meaning(
        "Waited too long",
        "Your code spent its time waiting, not computing, and did not answer within the time limit.",
        "Remove everything that waits, such as calls to sleep().",
    ),
    Verdict.MLE: Meaning(
        "Out of memory",
        "Your code used more memory than the limit allows.",
        "Look for a list or string that keeps growing, or a recursion that never ends.",
    ),
    Verdict.OLE: Meaning(
        "Printed too much",
        "Your code printed more than the limit. No case fails because of that alone.",
        "Remove the print calls that you used for testing.",
    ),
    Verdict.EXIT: Meaning(
        "Process ended",
        "Your code ended the Python process, so no answer came back.",
        "Remove calls such as os._exit(), and anything that crashes Python itself.",
    ),
    Verdict.MISSING: Meaning(
        "No such function",
        "Your file has no function of this name that takes these arguments.",
        "Check its name and the number of its parameters against the question.",
    ),
    Verdict.SYNTAX: Meaning(
        "Not a Python program",
        "Python cannot read your file, so nothing in it was run.",
        "Look at the line named in the message and the line above it. Run the file on your own computer before you "
        "upload it.",
    ),
    Verdict.CE: Meaning(
        "Not compiled",
        "Your program does not compile, or it has warnings, which this question does not accept, so nothing was run.",
        "Start with the first error: it often causes the others. Compile your program on your own computer before you "
        "upload it.",
    ),
    Verdict.BLOCKED: Meaning(
        "Forbidden",
        "Your code was stopped because it tried something that players may not do, such as using the network or "
        "starting another process.",
        "Use only your function's arguments and ordinary Python.",
    ),
    Verdict.NOT_RUN: Meaning(
        "Not run",
        "This case was not run, so nobody knows whether it would have passed. It counts as not passed.",
        "Look at the cases that were run before this one. Once they finish in time, this case is run too.",
    ),
    Verdict.IE: Meaning(
        "Internal error",
        "The grader failed, not your code. This does not count against you.",
        "It was tried several times. Your instructor can see the error too and can start it again.",
    ),
}

OF_PROGRAMS: Final[dict[Verdict, Meaning]] = {
    Verdict.WA: Meaning(
        "Wrong output",
        "Your program ended as it should, but its output is not what was expected.",
        "Look at the first line that differs, and at what your program had read until then.",
    ),
    Verdict.RTE: Meaning(
        "Runtime error",
        "Your program crashed, or ended with an exit code that indicates a failure.",
        "Run it on your own computer with the same input, and look at the line mentioned.",
    ),
    Verdict.OLE: Meaning(
        "Printed too much",
        "Your program printed more than the limit and was stopped.",
        "Look for a loop that prints and never ends.",
    ),
    Verdict.MISSING: Meaning(
        "Files missing",
        "Your upload lacks files that the question asks for, so nothing was run.",
        "Upload all files that are listed, with exactly the same names and folders.",
    ),
    Verdict.BLOCKED: Meaning(
        "Forbidden",
        "Your program was stopped because it tried something that is not allowed here, such as using the network or "
        "starting another program.",
        "Only read standard input and print.",
    ),
}
"""The meanings of verdicts that differ in program questions."""


def meaning(verdict: Verdict, program: bool = False) -> Meaning:
    """Return the explanation of a verdict, for a call or for a program."""
    return OF_PROGRAMS.get(verdict, MEANINGS[verdict]) if program else MEANINGS[verdict]


def typed_call(call: str, typed: Mapping[str, str], source: SentBytes) -> str:
    """Convert a report's call, such as `kotc_turn(['6H'], '6C', [], [5])`, to the form that the author of the file can
    type: `kotc.turn(MyBot, ['6H'], '6C', [], [5])`. Calls of functions that are not in `typed` (see
    `tournament.games.api.Guest`) are unchanged."""
    name, _, rest = call.partition("(")
    if name not in typed:
        return call
    parts = Formatter().parse(typed[name])
    return "".join(text + (_class_of(base, source) if base else "") for text, base, _, _ in parts) + rest


def _class_of(base: str, source: bytes) -> str:
    """Return the last class in a file that extends `base`, or `base` itself if there is no such class."""
    for line in reversed(source.decode("utf-8", "replace").split("\n")):
        if not line.startswith(("class ", "class\t")):
            continue
        name, _, bases = line.removeprefix("class").partition("(")
        named = bases.partition(")")[0].replace(".", " ").replace(",", " ").replace("=", " ").split()
        if name.strip().isidentifier() and base in named:
            return name.strip()
    return base
