"""What is wrong with an author's file, in a sentence for the author."""

from typing import Final

from sandbox.api import Fault, Limits, Verdict

WHERE_IT_RUNS: Final = (
    "An author's file runs in a jail, without network, other files and other programs: write what it needs into it."
)

_OF_FILES: Final = ("FileNotFoundError", "PermissionError", "NotADirectoryError", "IsADirectoryError", "OSError")
_PLAYERS: Final = {
    "Your program ": "it ",
    "Your file ": "the file ",
    "Your function ": "the function ",
    "that a player may not do": "that it may not do",
    "Loading your file": "loading it",
    "quadrille_make": "cases(rng)",
    "only the standard library is": "only the standard library and the assignment's game (as game) are",
    "the game waiting": "us waiting",
}
"""How the sandbox speaks to the author of a player, and what that is here."""


class AuthorError(Exception):
    """A mistake in what an author of questions wrote: never ours, never a student's.

    `file` is its name in the question's folder, `line` is counted from 1 if it is known, `problem` says in one or more
    sentences what happened and what to do, and `traceback` shows only lines of that file; it may be empty."""

    def __init__(self, file: str, line: int | None, problem: str, traceback: str = "") -> None:
        super().__init__(f"{file}, line {line}: {problem}" if line else f"{file}: {problem}")
        self.file = file
        self.line = line
        self.problem = problem
        self.traceback = traceback


def blame(fault: Fault, file: str, limits: Limits, doing: str = "") -> AuthorError:
    """The error of an author whose file ended with this fault. `doing`: what it was doing, to begin a sentence with."""
    problem = _problem(fault, limits)
    if doing:
        problem = f"{doing}: {problem}"
    elif problem.startswith(("it ", "the ")):
        problem = problem[:1].upper() + problem[1:]
    return AuthorError(file, fault.line, problem, fault.traceback)


def _problem(fault: Fault, limits: Limits) -> str:
    if fault.verdict is Verdict.MLE:
        return f"it needs more than the {limits.memory >> 20} MiB of memory that it may have. Make it keep less."
    text = fault.message
    for theirs, ours in _PLAYERS.items():
        text = text.replace(theirs, ours)
    text += "" if text[-1:] in ".?!" else "."
    if fault.verdict is Verdict.TLE:
        return f"{text} Does it end? Otherwise make it do less work."
    name = fault.traceback.rpartition("\n")[2].partition(":")[0]  # of the exception, if it was one
    if fault.verdict is Verdict.BLOCKED or name in _OF_FILES:
        return f"{text} {WHERE_IT_RUNS}"
    return text
