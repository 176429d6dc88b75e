"""Compares a player's answer with the expected value. Returns a verdict and explains to beginners where the values
differ.

By default the comparison is exact and type-strict at every level, including inside sets and the keys of dictionaries:
True is not 1, 1 is not 1.0, and a tuple is not a list. A question's comparator defines which answers are right: exactly
the value (`exact`), the value with lists and tuples treated as equal (`sequences`), nearly the value (`floats`), the
value in any order (`unordered`), one of several values (`any`), any value if the printed output is right (`printed`),
or any value that the author's own function accepts (`checker`).

Kits contain this module, so it must also run on students' machines, with Python 3.9.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sandbox.verdicts import Verdict
from sandbox.visible import count, show
from tournament.games.judges import OneOf, Sequences, Unordered, as_lists
from tournament.games.judges import key as typed

if TYPE_CHECKING:
    from typing import TypeAlias

    from tournament.games.api import Case, Judge

PRINTED_INSTEAD: Final = (
    "Returned None, but printed something. print only shows a value; return gives it back to the caller."
)

NAMES = {
    bool: "the boolean",
    int: "the integer",
    float: "the float",
    str: "the string",
    list: "the list",
    tuple: "the tuple",
    dict: "the dictionary",
    set: "the set",
}


@dataclass(frozen=True)
class Judgement:
    """The verdict AC without a message, or WA or TYPE with a sentence."""

    verdict: Verdict
    message: str = ""


ACCEPTED = Judgement(Verdict.AC)


@dataclass(frozen=True)
class Tolerance:
    """Accepts a float or an integer in place of an expected float, at any level, if their difference is at most
    `absolute` or `relative` times the larger number, whichever is more. Everything else is exact, including the keys
    of dictionaries. Sets of numbers are compared in ascending order. NaN equals NaN; an infinite number equals only
    itself."""

    relative: float = 1e-9
    absolute: float = 0.0

    def close(self, expected: float, got: float) -> bool:
        """Whether a number is close enough to the expected number."""
        try:
            near = math.isclose(expected, got, rel_tol=self.relative, abs_tol=self.absolute)
            return near or (math.isnan(expected) and math.isnan(got))
        except OverflowError:  # an integer is too large for a float
            return False

    @property
    def tolerance(self) -> str:
        """The accepted difference, in words."""
        allowed = [f"{self.absolute:g}"] if self.absolute else []
        allowed += [f"{self.relative:g} of the value"] if self.relative else []
        return " or ".join(allowed) or "0"


def compare(expected: Any, got: Any, judge: Judge | Tolerance | None = None) -> Judgement:
    """Compare with `judge`, or exactly if `judge` is None. Returns a Judgement for any `got`."""
    try:
        if judge is None or isinstance(judge, Tolerance):
            return _mismatch(expected, got, (), judge) or ACCEPTED
        return ACCEPTED if judge(expected, got) else _why_refused(judge, expected, got)
    except RecursionError:
        return Judgement(Verdict.WA, "The value returned is nested so deeply that it cannot be compared.")


def _why_refused(judge: Judge, expected: Any, got: Any) -> Judgement:
    found = None
    if isinstance(judge, Sequences):
        found = _mismatch(as_lists(expected), as_lists(got), ())
    elif isinstance(judge, (OneOf, Unordered)):
        found = Judgement(Verdict.WA, judge.explain(expected, got))
    elif type(expected) is not type(got):
        found = Judgement(Verdict.TYPE, _types(expected, got, ()))
    return found or Judgement(Verdict.WA, f"Returned {show(got)}. One right answer is {show(expected)}.")


def _mismatch(expected: Any, got: Any, path: tuple[Any, ...], floats: Tolerance | None = None) -> Judgement | None:
    """Return the first difference. The comparison goes no deeper than `expected` is nested."""
    if floats and type(expected) is float and type(got) in (float, int):
        if floats.close(expected, got):
            return None
        allowed = f" A difference of up to {floats.tolerance} is accepted."
        return Judgement(Verdict.WA, f"{_values(expected, got, path)}{allowed}")
    if type(expected) is not type(got):
        return Judgement(Verdict.TYPE, _types(expected, got, path))
    if isinstance(expected, (list, tuple)):
        return _sequence_difference(expected, got, path, floats)
    if isinstance(expected, dict):
        return _dict_difference(expected, got, path, floats)
    if floats and isinstance(expected, set) and _near(expected, got, floats):
        return None
    if expected != got:
        return Judgement(Verdict.WA, _values(expected, got, path))
    if isinstance(expected, (set, frozenset)) and typed(expected) != typed(got):
        return Judgement(Verdict.TYPE, f"{_values(expected, got, path)} One item has the wrong type.")
    return None


def _near(expected: set[Any], got: set[Any], floats: Tolerance) -> bool:
    if len(expected) != len(got) or not all(type(each) in (int, float) for each in (*expected, *got)):
        return False
    pairs = zip(sorted(expected), sorted(got))
    return all(_mismatch(ours, theirs, (), floats) is None for ours, theirs in pairs)


def _sequence_difference(
    expected: Sequence[Any], got: Sequence[Any], path: tuple[Any, ...], floats: Tolerance | None
) -> Judgement | None:
    kind = "list" if isinstance(expected, list) else "tuple"
    if len(expected) != len(got):
        where = _place_in_words(path) or "The value returned"
        message = f"{where} is a {kind} with {count(len(got), 'item')}, expected {count(len(expected), 'item')}."
        return Judgement(Verdict.WA, message)
    for index, (theirs, ours) in enumerate(zip(got, expected)):
        if found := _mismatch(ours, theirs, (*path, (kind, index)), floats):
            return found
    return None


def _dict_difference(
    expected: dict[Any, Any], got: dict[Any, Any], path: tuple[Any, ...], floats: Tolerance | None
) -> Judgement | None:
    where = _place_in_words(path) or "The dictionary returned"
    for key in expected:
        if key not in got:
            return Judgement(Verdict.WA, f"{where} does not have the key {show(key)}.")
    for key in got:
        if key not in expected:
            return Judgement(Verdict.WA, f"{where} has the key {show(key)}, which is not expected.")
    if set(map(typed, expected)) != set(map(typed, got)):
        return Judgement(Verdict.TYPE, f"{where} has a key of the wrong type.")
    for key, ours in expected.items():
        if found := _mismatch(ours, got[key], (*path, ("dictionary", key)), floats):
            return found
    return None


def _types(expected: Any, got: Any, path: tuple[Any, ...]) -> str:
    if place := _place_in_words(path):
        return f"{place} is {named(got)}, expected {named(expected)}."
    if got is None:
        return f"Returned None, expected {named(expected)}: is a return statement missing?"
    return f"Returned {named(got)}, expected {named(expected)}."


def _values(expected: Any, got: Any, path: tuple[Any, ...]) -> str:
    hint = ""
    if isinstance(got, str) and got.strip() == expected.strip():
        hint = " The only difference is in spaces or line breaks."
    elif isinstance(got, str) and got.casefold() == expected.casefold():
        hint = " The only difference is upper or lower case."
    place = _place_in_words(path)
    says = f"{place} is" if place else "Returned"
    return f"{says} {show(got)}, expected {show(expected)}.{hint}"


def named(value: Any) -> str:
    """Return a value with its type in words, such as: the string 'True'."""
    return "None" if value is None else f"{NAMES.get(type(value), 'the value')} {show(value)}"


def _place_in_words(path: tuple[Any, ...]) -> str:
    """Return the place of an item in the returned value, in words: counted from 1, with the Python index added; "" for
    the whole value."""
    if not path:
        return ""
    *outer, (kind, index) = path
    at = "".join(f"[{show(index)}]" for _, index in outer)
    around = f"the {kind} at {at}" if outer else f"the {kind}"
    if kind == "dictionary":
        return f"The value of the key {show(index)} in {around}"
    return f"Item {index + 1} of {around} (index {index})"


Judging: TypeAlias = Callable[["Case", Any, str], Judgement]
"""`judging(case, got, printed)` judges the value that the player returned, or the output that it printed during the
call."""

Checks: TypeAlias = Callable[[Sequence[Any], Any], Judgement]
"""`checks(args, got)` asks an author's checker, such as `grader.author_code.authored.CheckerProcess`."""


def judge_of(kind: str, parameters: Mapping[str, Any], checker: Checks | None = None) -> Judging:
    """Return the judging function for a comparator of this kind. The kind `checker` requires a `checker`, whose errors
    are passed on. Raises ValueError for an unknown kind or unknown parameters."""
    if kind == "printed":
        return lambda case, got, printed: compare_printed(case.expected, printed, got)
    if kind == "checker":
        if checker is None:
            raise ValueError("a comparator of the kind checker needs a checker")
        return lambda case, got, printed: checker(case.args, got)
    try:
        judge = _KINDS[kind](**parameters)
    except KeyError:
        raise ValueError(f"there is no comparator {kind!r}") from None
    except TypeError as error:
        raise ValueError(f"the comparator {kind!r} lacks a parameter or does not have one: {error}") from None
    return lambda case, got, printed: compare(case.expected, got, judge)


_KINDS: Final[Mapping[str, Callable[..., Any]]] = {
    "exact": lambda: None,
    "sequences": Sequences,
    "floats": Tolerance,
    "unordered": Unordered,
    "any": OneOf,
}


def compare_printed(expected: str, printed: str, got: Any = None) -> Judgement:
    """Compare the printed output with the expected lines. Spaces at the ends of lines and empty lines at the end are
    ignored. `got` is the value that the call returned; it is only used in the message."""
    wanted, found = _plain_lines(expected), _plain_lines(printed)
    if wanted == found:
        return Judgement(Verdict.AC)
    if not found:
        missing = "Is a call to print missing?"
        instead = missing if got is None else f"It returned {show(got)} instead of printing it."
        return Judgement(Verdict.WA, f"Nothing was printed, expected {count(len(wanted), 'line')}. {instead}")
    for number, (theirs, ours) in enumerate(zip(found, wanted), start=1):
        if theirs != ours:
            differ = f"Line {number} printed is {show(theirs)}, expected {show(ours)}."
            return Judgement(Verdict.WA, f"{differ}{_hint(theirs, ours)}")
    short = len(found) < len(wanted)
    rest = f"line {len(found) + 1}, {show(wanted[len(found)])}, is missing" if short else "the rest should not be there"
    return Judgement(Verdict.WA, f"Printed {count(len(found), 'line')}, expected {len(wanted)}: {rest}.")


def _plain_lines(text: str) -> list[str]:
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _hint(theirs: str, ours: str) -> str:
    if theirs.split() == ours.split() or theirs.replace(" ", "") == ours.replace(" ", ""):
        return " The only difference is in spaces."
    if theirs.casefold() == ours.casefold():
        return " The only difference is upper or lower case."
    return ""
