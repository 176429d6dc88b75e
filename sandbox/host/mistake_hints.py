"""The commonest mistakes in words for a beginner, with what was probably meant: a function, a parameter or a module
that is not there, and something returned that is no data."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final

from sandbox.visible import name as name_of

_ALIKE: Final = 0.87
"""Above the likeness of any two functions of one game, so that none is taken for a misspelling of another."""

_MISSPELT: Final = 0.8
_USUAL: Final = (
    *("abc", "bisect", "collections", "copy", "dataclasses", "datetime", "enum", "functools", "heapq", "itertools"),
    *("json", "math", "operator", "os", "queue", "random", "re", "statistics", "string", "sys", "time", "typing"),
)
"""The modules that players of cards import, and misspell."""

_LISTED: Final = 8


def absent(name: str, defined: Sequence[str], inside: int | None) -> str:
    """The file defines other functions. `inside`: the line where it defines this one within something else."""
    problem = f"Your file does not define the function {name}"
    if inside:
        return (
            f"{problem} where it can be called: line {inside} is indented, so that the function belongs to the class, "
            "function or if above it. Let its def begin at the left margin."
        )
    if meant := _similar(name, defined, _ALIKE):
        return f"{problem}; is {name_of(meant)} meant to be it? The names must be the same to the letter."
    return f"{problem}. It defines {_listed(defined)}." if defined else f"{problem}."


def mismatch(name: str, signature: str, count: int, least: int, most: int | None) -> str:
    """The function will be called with `count` arguments; it takes from `least` to `most` of them, or without end."""
    problem = f"Your function {name}{_plain(signature)} will be called with {_arguments(count)}"
    if count < least:
        return f"{problem}, but needs {least}."
    if most is not None and count > most:
        return f"{problem}, but takes {f'only {most}' if most else 'none'}."
    return f"{problem}, which it does not accept."


def _plain(signature: str) -> str:
    """The signature if it is nothing but names; the report may be the player's own."""
    parts = signature.removeprefix("(").removesuffix(")").split(", ")
    names = [each.lstrip("*/").removesuffix("=...") for each in parts]
    return signature if signature == "()" or all(not each or name_of(each) == each for each in names) else ""


def module(package: str, where: str) -> str:
    """The file imports what is not there."""
    problem = f"Your program imports {name_of(package)}{where}, but only the standard library is available here"
    meant = _similar(package, _USUAL, _MISSPELT)
    return (
        f"{problem}; did you mean {meant}?" if meant else f"{problem}: all of your own code must be in this one file."
    )


def no_data(what: str) -> str:
    """`what` was returned, such as "a generator object; only numbers … can be returned"."""
    return what + next((hint for kind, hint in _NO_DATA.items() if what.startswith(kind)), "")


_CALL_IT: Final = ". To return what it gives, call it, with brackets behind its name"
_NO_DATA: Final = {
    "a generator object": ". There is a yield in it, or a comprehension in round brackets: return a list instead",
    "a coroutine object": ". It is an async def: write def",
    "a function object": _CALL_IT,
    "a method object": _CALL_IT,
}


def syntax(text: str, line: str) -> str:
    """What may help with this syntax error on this line, to be put behind it; "" if nothing is known."""
    if line.lstrip().startswith((">>>", "In [")):
        return ". This line is copied from a console: leave out the prompt, and what was printed below"
    return next((hint for sign, hint in _SYNTAX.items() if sign in text), "")


_QUOTE: Final = ". It is a quotation mark of a text document: type ' or \" instead"
_SYNTAX: Final = {
    **dict.fromkeys(("U+2018", "U+2019", "U+201C", "U+201D"), _QUOTE),
    "non-printable character U+00A0": ". It looks like a space and is none, as in text from a page: type it anew",
    "tabs and spaces": ". Let your editor replace every tab by spaces",
}


def indented(name: str, lines: Sequence[str]) -> int | None:
    """The number of the first line that defines that function, but not at the left margin."""
    begins = re.compile(rf"[ \t]+(async[ \t]+)?def[ \t]+{re.escape(name)}[ \t]*\(")
    return next((number for number, line in enumerate(lines, start=1) if begins.match(line)), None)


def _similar(name: str, known: Sequence[str], likeness: float) -> str:
    """The known name that this one is a slip of, as `Maths` is of `math`; "" if there is none."""
    by_letters = {each.casefold(): each for each in reversed(known)}
    found = get_close_matches(name.casefold(), by_letters, n=1, cutoff=likeness)
    return by_letters[found[0]] if found else ""


def _listed(names: Sequence[str]) -> str:
    names = [name_of(each) for each in names]
    if len(names) > _LISTED:
        return f"{', '.join(names[:_LISTED])} and others"
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _arguments(count: int) -> str:
    return "1 argument" if count == 1 else f"{count} arguments"
