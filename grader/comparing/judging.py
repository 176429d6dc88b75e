"""The comparators that a question can choose, by name and as plain data.

| kind | parameters | what is right |
|---|---|---|
| `exact` | | the expected value, types included |
| `sequences` | | the same, but lists and tuples count as the same |
| `floats` | `relative`, `absolute` | the same, but floats may differ that much (see `comparator.Tolerance`) |
| `unordered` | `levels` | the same, but in any order at these levels (see `tournament.games.judges.Unordered`) |
| `any` | | one of the values in the expected list or tuple |
| `printed` | | what the player printed is the expected text, instead of what it returned |
| `checker` | | whatever the author's `accepts(args, got)` accepts |
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from grader.comparing.comparator import Judgement, Tolerance, compare
from sandbox.api import Verdict
from tournament.games.api import Case
from tournament.games.judges import OneOf, Sequences, Unordered
from tournament.games.text import count, show

Judging: TypeAlias = Callable[[Case, Any, str], Judgement]
"""`judging(case, got, printed)`: is what the player returned right, or what it printed meanwhile?"""

Checks: TypeAlias = Callable[[Sequence[Any], Any], Judgement]
"""`checks(args, got)`: an author's checker, such as `grader.author_code.checker.CheckerProcess`."""


def judge_of(kind: str, parameters: Mapping[str, Any], checker: Checks | None = None) -> Judging:
    """The comparator of that kind. `checker` is needed for one of the kind `checker`, and may then raise what a checker
    raises. Raises ValueError for a kind or parameters that do not exist."""
    if kind == "printed":
        return lambda case, got, printed: compare_printed(case.expected, printed, got)
    if kind == "checker":
        if checker is None:
            raise ValueError("a comparator of the kind checker needs a checker")
        return lambda case, got, printed: checker(case.args, got)
    judge = _judge(kind, parameters)
    return lambda case, got, printed: compare(case.expected, got, judge)


def solution_judge_of(kind: str, parameters: Mapping[str, Any], checker: Checks | None = None) -> Judging:
    """The same for what a solution answers to an example. A solution of the kind `any` answers with all right values,
    and so may one with a checker, if that is what the example expects."""
    if kind == "any":
        return lambda case, got, printed: compare(case.expected, got, Unordered(levels=1))
    judging = judge_of(kind, parameters, checker)
    if kind != "checker":
        return judging

    def judged(case: Case, got: Any, printed: str) -> Judgement:
        same = compare(case.expected, got)
        return same if same.verdict is Verdict.AC else judging(case, got, printed)

    return judged


def _judge(kind: str, parameters: Mapping[str, Any]) -> Any:
    try:
        return _KINDS[kind](**parameters)
    except KeyError:
        raise ValueError(f"there is no comparator {kind!r}") from None
    except TypeError as error:
        raise ValueError(f"the comparator {kind!r} lacks a parameter or does not have one: {error}") from None


def _unordered(levels: int | Sequence[int]) -> Unordered:
    return Unordered(levels if isinstance(levels, int) else tuple(levels))


_KINDS: Final[Mapping[str, Callable[..., Any]]] = {
    "exact": lambda: None,
    "sequences": Sequences,
    "floats": Tolerance,
    "unordered": _unordered,
    "any": OneOf,
}
KINDS: Final = (*_KINDS, "printed", "checker")


def compare_printed(expected: str, printed: str, got: Any = None) -> Judgement:
    """Compare what was printed, line by line; spaces at the end of a line and empty lines at the end do not count.
    `got` is what was returned meanwhile: only for the message."""
    wanted, found = _lines(expected), _lines(printed)
    if wanted == found:
        return Judgement(Verdict.AC)
    if not found:
        instead = f"It returned {show(got)} instead of printing it." if got is not None else "Is a print missing?"
        return Judgement(Verdict.WA, f"Nothing was printed, expected {count(len(wanted), 'line')}. {instead}")
    for number, (theirs, ours) in enumerate(zip(found, wanted, strict=False), start=1):
        if theirs != ours:
            differ = f"Line {number} printed is {show(theirs)}, expected {show(ours)}."
            return Judgement(Verdict.WA, f"{differ}{_hint(theirs, ours)}")
    short = len(found) < len(wanted)
    rest = f"line {len(found) + 1}, {show(wanted[len(found)])}, is missing" if short else "the rest is too much"
    return Judgement(Verdict.WA, f"Printed {count(len(found), 'line')}, expected {len(wanted)}: {rest}.")


def _lines(text: str) -> list[str]:
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _hint(theirs: str, ours: str) -> str:
    if theirs.split() == ours.split() or theirs.replace(" ", "") == ours.replace(" ", ""):
        return " The only difference is in spaces."
    if theirs.casefold() == ours.casefold():
        return " The only difference is in capital and small letters."
    return ""
