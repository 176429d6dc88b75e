"""The verdicts. Kits contain this module, so it must run on students' own computers with Python 3.9, which has no
`StrEnum`."""

from enum import Enum


class Verdict(str, Enum):
    """The verdicts of questions and games."""

    def __str__(self) -> str:
        return str(self.value)

    def __format__(self, form: str) -> str:
        return format(str(self.value), form)

    AC = "AC"  # accepted
    WA = "WA"  # wrong value
    TYPE = "TYPE"  # wrong type
    ILLEGAL = "ILLEGAL"  # a play that the rules refuse
    MALFORMED = "MALFORMED"  # a reply that is not data
    RTE = "RTE"  # exception
    TLE = "TLE"  # out of CPU time
    WTLE = "WTLE"  # out of wall-clock time while hardly using the CPU
    MLE = "MLE"  # out of memory
    OLE = "OLE"  # printed more than is kept; a flag: the game continues
    EXIT = "EXIT"  # the process died
    MISSING = "MISSING"  # a function is missing or takes other arguments; or an upload lacks a file
    SYNTAX = "SYNTAX"  # not a Python program
    CE = "CE"  # a program does not compile, or has warnings where warnings count as failure
    BLOCKED = "BLOCKED"  # killed at a forbidden system call
    NOT_RUN = "NOT_RUN"  # a case that was left out
    IE = "IE"  # internal error: retried, and never charged to a student
