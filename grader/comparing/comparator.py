"""Compares what a player returned with what was expected: a verdict, and for a beginner, where they differ.

The comparison is exact and type-strict unless the question chooses another: True is not 1, 1 is not 1.0, a tuple is not
a list, at every level, also inside sets and the keys of dictionaries. `judging.py` has the choice.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sandbox.api import Verdict
from tournament.games.api import Judge
from tournament.games.judges import OneOf, Sequences, Unordered, as_lists
from tournament.games.judges import key as typed
from tournament.games.text import show

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


@dataclass(frozen=True, slots=True)
class Judgement:
    """AC without a message, or WA or TYPE with a sentence."""

    verdict: Verdict
    message: str = ""


ACCEPTED = Judgement(Verdict.AC)


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Where a float is expected, at any level, a number may differ from it by `absolute` or, if that is more, by
    `relative` times the larger of the two; and it may be an integer. Everything else is exact, as are the keys of
    dictionaries. Sets of numbers are compared in ascending order. NaN equals NaN, an infinite number only itself."""

    relative: float = 1e-9
    absolute: float = 0.0

    def close(self, expected: float, got: float) -> bool:
        """Whether one number is close enough to the other."""
        try:
            near = math.isclose(expected, got, rel_tol=self.relative, abs_tol=self.absolute)
            return near or (math.isnan(expected) and math.isnan(got))
        except OverflowError:  # an integer that no float is near
            return False

    @property
    def tolerance(self) -> str:
        """What is allowed, in words."""
        allowed = [f"{self.absolute:g}"] if self.absolute else []
        allowed += [f"{self.relative:g} of the value"] if self.relative else []
        return " or ".join(allowed) or "0"


def compare(expected: Any, got: Any, judge: Judge | Tolerance | None = None) -> Judgement:
    """Compare by `judge`, or exactly without one. Whatever `got` is, the answer is a Judgement."""
    try:
        if judge is None or isinstance(judge, Tolerance):
            return _difference(expected, got, (), judge) or ACCEPTED
        return ACCEPTED if judge(expected, got) else _refused(judge, expected, got)
    except RecursionError:
        return Judgement(Verdict.WA, "The value returned is nested so deeply that it cannot be compared.")


def _refused(judge: Judge, expected: Any, got: Any) -> Judgement:
    found = None
    if isinstance(judge, Sequences):
        found = _difference(as_lists(expected), as_lists(got), ())
    elif isinstance(judge, OneOf | Unordered):
        found = Judgement(Verdict.WA, judge.explain(expected, got))
    elif type(expected) is not type(got):
        found = Judgement(Verdict.TYPE, _types(expected, got, ()))
    return found or Judgement(Verdict.WA, f"Returned {show(got)}. One right answer is {show(expected)}.")


def _difference(expected: Any, got: Any, path: tuple[Any, ...], floats: Tolerance | None = None) -> Judgement | None:
    """The first difference. Goes no deeper than `expected` does."""
    if floats and type(expected) is float and type(got) in (float, int):
        return None if floats.close(expected, got) else _too_far(expected, got, path, floats)
    if type(expected) is not type(got):
        return Judgement(Verdict.TYPE, _types(expected, got, path))
    if isinstance(expected, list | tuple):
        return _sequence_difference(expected, got, path, floats)
    if isinstance(expected, dict):
        return _dict_difference(expected, got, path, floats)
    if floats and isinstance(expected, set) and _near(expected, got, floats):
        return None
    if expected != got:
        return Judgement(Verdict.WA, _values(expected, got, path))
    if isinstance(expected, set | frozenset) and typed(expected) != typed(got):
        return Judgement(Verdict.TYPE, f"{_values(expected, got, path)} One item has the wrong type.")
    return None


def _too_far(expected: float, got: float, path: tuple[Any, ...], floats: Tolerance) -> Judgement:
    allowed = f" A difference of up to {floats.tolerance} is accepted."
    return Judgement(Verdict.WA, f"{_values(expected, got, path)}{allowed}")


def _near(expected: set[Any], got: set[Any], floats: Tolerance) -> bool:
    """Whether two sets of numbers are close."""
    if len(expected) != len(got) or not all(type(each) in (int, float) for each in (*expected, *got)):
        return False
    pairs = zip(sorted(expected), sorted(got), strict=True)
    return all(_difference(ours, theirs, (), floats) is None for ours, theirs in pairs)


def _sequence_difference(
    expected: Sequence[Any], got: Sequence[Any], path: tuple[Any, ...], floats: Tolerance | None
) -> Judgement | None:
    kind = "list" if isinstance(expected, list) else "tuple"
    if len(expected) != len(got):
        where = _place(path) or "The value returned"
        message = f"{where} is a {kind} with {_items(len(got))}, expected {_items(len(expected))}."
        return Judgement(Verdict.WA, message)
    for index, (theirs, ours) in enumerate(zip(got, expected, strict=True)):
        found = _difference(ours, theirs, (*path, (kind, index)), floats)
        if found:
            return found
    return None


def _dict_difference(
    expected: dict[Any, Any], got: dict[Any, Any], path: tuple[Any, ...], floats: Tolerance | None
) -> Judgement | None:
    where = _place(path) or "The dictionary returned"
    for key in expected:
        if key not in got:
            return Judgement(Verdict.WA, f"{where} does not have the key {show(key)}.")
    for key in got:
        if key not in expected:
            return Judgement(Verdict.WA, f"{where} has the key {show(key)}, which is not expected.")
    if set(map(typed, expected)) != set(map(typed, got)):
        return Judgement(Verdict.TYPE, f"{where} has a key of the wrong type.")
    for key, ours in expected.items():
        found = _difference(ours, got[key], (*path, ("dictionary", key)), floats)
        if found:
            return found
    return None


def _types(expected: Any, got: Any, path: tuple[Any, ...]) -> str:
    place = _place(path)
    if place:
        return f"{place} is {named(got)}, expected {named(expected)}."
    if got is None:
        return f"Returned None, expected {named(expected)}: is a return statement missing?"
    return f"Returned {named(got)}, expected {named(expected)}."


def _values(expected: Any, got: Any, path: tuple[Any, ...]) -> str:
    hint = ""
    if isinstance(got, str) and got.strip() == expected.strip():
        hint = " The only difference is in spaces or line breaks."
    elif isinstance(got, str) and got.casefold() == expected.casefold():
        hint = " The only difference is in capital and small letters."
    place = _place(path)
    says = f"{place} is" if place else "Returned"
    return f"{says} {show(got)}, expected {show(expected)}.{hint}"


def named(value: Any) -> str:
    """A value with its type in words: the string 'True'."""
    return "None" if value is None else f"{NAMES.get(type(value), 'the value')} {show(value)}"


def _place(path: tuple[Any, ...]) -> str:
    """The place in the returned value, counted from 1 and with the Python index beside it; "" for the whole."""
    if not path:
        return ""
    *outer, (kind, index) = path
    at = "".join(f"[{show(index)}]" for _, index in outer)
    around = f"the {kind} at {at}" if outer else f"the {kind}"
    if kind == "dictionary":
        return f"The value of the key {show(index)} in {around}"
    return f"Item {index + 1} of {around} (index {index})"


def _items(count: int) -> str:
    return "1 item" if count == 1 else f"{count} items"
