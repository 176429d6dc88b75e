"""What a player returned against what was expected: a verdict, and where they differ in words for a beginner.

Exact and type-strict, unless the question brings a judge of its own: True is not 1, 1 is not 1.0, a tuple is not a
list, at every level, also inside sets and the keys of dictionaries.
"""

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
class Comparison:
    """AC without a message, or WA or TYPE with a sentence."""

    verdict: Verdict
    message: str = ""


ACCEPTED = Comparison(Verdict.AC)


def compare(expected: Any, got: Any, judge: Judge | None = None) -> Comparison:
    """Compare by `judge`, or else exactly. Whatever `got` is, the answer is a Comparison."""
    try:
        if judge is None:
            return _difference(expected, got, ()) or ACCEPTED
        return ACCEPTED if judge(expected, got) else _refused(judge, expected, got)
    except RecursionError:
        return Comparison(Verdict.WA, "The value returned is nested so deeply that it cannot be compared.")


def _refused(judge: Judge, expected: Any, got: Any) -> Comparison:
    found = None
    if isinstance(judge, Sequences):
        found = _difference(as_lists(expected), as_lists(got), ())
    elif isinstance(judge, OneOf | Unordered):
        found = Comparison(Verdict.WA, judge.explain(expected, got))
    elif type(expected) is not type(got):
        found = Comparison(Verdict.TYPE, _types(expected, got, ()))
    return found or Comparison(Verdict.WA, f"Returned {show(got)}; {show(expected)} would be right, for one.")


def _difference(expected: Any, got: Any, path: tuple[Any, ...]) -> Comparison | None:
    """The first difference. Goes no deeper than `expected` does."""
    if type(expected) is not type(got):
        return Comparison(Verdict.TYPE, _types(expected, got, path))
    if isinstance(expected, list | tuple):
        return _sequence_difference(expected, got, path)
    if isinstance(expected, dict):
        return _dict_difference(expected, got, path)
    if expected != got:
        return Comparison(Verdict.WA, _values(expected, got, path))
    if isinstance(expected, set | frozenset) and typed(expected) != typed(got):
        return Comparison(Verdict.TYPE, f"{_values(expected, got, path)} An item is of another type.")
    return None


def _sequence_difference(expected: Sequence[Any], got: Sequence[Any], path: tuple[Any, ...]) -> Comparison | None:
    if len(expected) != len(got):
        where = _place(path) or "The value returned"
        kind = type(got).__name__
        message = f"{where} is a {kind} with {_items(len(got))}, expected {_items(len(expected))}."
        return Comparison(Verdict.WA, message)
    for index, (theirs, ours) in enumerate(zip(got, expected, strict=True)):
        found = _difference(ours, theirs, (*path, (kind_of(expected), index)))
        if found:
            return found
    return None


def _dict_difference(expected: dict[Any, Any], got: dict[Any, Any], path: tuple[Any, ...]) -> Comparison | None:
    where = _place(path) or "The dictionary returned"
    for key in expected:
        if key not in got:
            return Comparison(Verdict.WA, f"{where} lacks the key {show(key)}.")
    for key in got:
        if key not in expected:
            return Comparison(Verdict.WA, f"{where} has the key {show(key)}, which is not expected.")
    if set(map(typed, expected)) != set(map(typed, got)):
        return Comparison(Verdict.TYPE, f"{where} has a key of another type than expected.")
    for key, ours in expected.items():
        found = _difference(ours, got[key], (*path, ("dictionary", key)))
        if found:
            return found
    return None


def kind_of(value: Any) -> str:
    """`list` or `tuple`."""
    return "list" if isinstance(value, list) else "tuple"


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
        hint = " They differ only in spaces or line ends."
    elif isinstance(got, str) and got.casefold() == expected.casefold():
        hint = " They differ only in capital and small letters."
    place = _place(path)
    says = f"{place} is" if place else "Returned"
    return f"{says} {show(got)}, expected {show(expected)}.{hint}"


def named(value: Any) -> str:
    """A value with its type in words: the string 'True'."""
    return "None" if value is None else f"{NAMES.get(type(value), 'the value')} {show(value)}"


def _place(path: tuple[Any, ...]) -> str:
    """Where in the returned value, counted as people do and with the Python index beside it; "" for the whole."""
    if not path:
        return ""
    *outer, (kind, index) = path
    around = f"the {kind}" + (f" at {_indexes(outer)}" if outer else "")
    if kind == "dictionary":
        return f"The value of the key {show(index)} in {around}"
    return f"Item {index + 1} of {around} (index {index})"


def _indexes(path: Sequence[Any]) -> str:
    return "".join(f"[{show(index)}]" for _, index in path)


def _items(count: int) -> str:
    return "1 item" if count == 1 else f"{count} items"
