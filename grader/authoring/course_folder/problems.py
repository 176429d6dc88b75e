"""What is wrong with a course folder, each with its file and line."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from tournament.store.validation import Refusal


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """A sentence about a file. `line` is counted from 1; 0 is the whole file. A `warning` stops nobody."""

    file: str
    line: int
    text: str
    warning: bool = False

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {'warning: ' if self.warning else ''}{self.text}"

    def inside(self, folder: str) -> "Problem":
        """The same, with its file named from further outside."""
        return Problem(f"{folder}/{self.file}", self.line, self.text, self.warning)


class CourseError(Refusal, ValueError):
    """A course folder, or a part of it, cannot be used. `found`: all its problems, in the order of the files."""

    status = 422

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.found = sorted(problems)
        super().__init__("\n".join(map(str, self.found)))


def near(given: str, known: Iterable[str]) -> str:
    """What to say about a name that is not one of `known`: the nearest, or all of them."""
    known = list(known)
    close = get_close_matches(given, known, n=1, cutoff=0.6)
    if close:
        return f"Did you mean {close[0]}?"
    return f"There are: {', '.join(known)}." if known else "There are none."
