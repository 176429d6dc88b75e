"""What each verdict means to a beginner: what happened, and what to do about it."""

from dataclasses import dataclass
from typing import Final

from sandbox.api import Verdict


@dataclass(frozen=True, slots=True)
class Meaning:
    """`title` in a word or three, `what` happened in one sentence, `advice` what to do in another."""

    title: str
    what: str
    advice: str


MEANINGS: Final[dict[Verdict, Meaning]] = {
    Verdict.AC: Meaning("Passed", "Your function returned what was expected.", "There is nothing to do."),
    Verdict.WA: Meaning(
        "Wrong value",
        "Your function returned a value of the right type, but not the right value.",
        "Make the call shown on your own machine and follow it step by step with the expected value in mind.",
    ),
    Verdict.TYPE: Meaning(
        "Wrong type",
        "Your function returned a value of another type than expected, such as 'True' for True, 1 for True, "
        "a list for a tuple, or None.",
        "Check that every way through the function ends in a return, and that what it returns has the type asked for.",
    ),
    Verdict.ILLEGAL: Meaning(
        "Illegal play",
        "Your function returned a play that the rules do not allow here.",
        "Read the rule named beside it, and check the play against the arguments shown.",
    ),
    Verdict.MALFORMED: Meaning(
        "Not plain data",
        "Your function returned something that is not plain data, or far too much of it.",
        "Return only None, booleans, numbers, strings, and lists, tuples, dictionaries and sets of them.",
    ),
    Verdict.RTE: Meaning(
        "Exception",
        "Your code stopped with an exception.",
        "The traceback's last line says what went wrong, and the line above it where.",
    ),
    Verdict.TLE: Meaning(
        "Out of time",
        "Your code computed for longer than it is allowed to.",
        "Look for a loop that never ends, or for work that grows much faster than its input.",
    ),
    Verdict.WTLE: Meaning(
        "Waited too long",
        "Your code did not answer in time, although it hardly computed anything.",
        "Take out whatever waits, such as sleep().",
    ),
    Verdict.MLE: Meaning(
        "Out of memory",
        "Your code needed more memory than it may have.",
        "Look for a list or string that keeps growing, or for a recursion that does not end.",
    ),
    Verdict.OLE: Meaning(
        "Printed too much",
        "Your code printed more than is kept; this alone fails nothing.",
        "Take out the print calls that you used for testing.",
    ),
    Verdict.EXIT: Meaning(
        "Process ended",
        "Your code ended its own process, so there was nobody left to answer.",
        "Take out calls such as os._exit(), and anything that crashes Python itself.",
    ),
    Verdict.MISSING: Meaning(
        "No such function",
        "Your file has no function of this name that takes these arguments.",
        "Check the spelling of its name and the number of its parameters against the question.",
    ),
    Verdict.SYNTAX: Meaning(
        "Not a Python program",
        "Python cannot read your file, so none of it was run.",
        "Look at the line named and the one above it, and run the file on your own machine first.",
    ),
    Verdict.BLOCKED: Meaning(
        "Forbidden",
        "Your code asked the system for something that players may not do, such as using the network or other "
        "processes, and was stopped.",
        "Use nothing but your function's arguments and ordinary Python.",
    ),
    Verdict.NOT_RUN: Meaning(
        "Not run",
        "This case was left out, so nobody knows whether it would have passed. It counts as not passed.",
        "Look at the cases that ran first: once they answer in time, this one is run too.",
    ),
    Verdict.IE: Meaning(
        "Our fault",
        "Something of ours failed, and not your code: it costs you nothing.",
        "It has been tried several times; your instructor sees it too and can start it again.",
    ),
}

PRINTED_INSTEAD = "Returned None, but printed something: print only shows a value, return hands it back."


def meaning(verdict: Verdict) -> Meaning:
    """The explanation of a verdict."""
    return MEANINGS[verdict]
