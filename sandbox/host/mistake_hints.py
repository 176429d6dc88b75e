"""Explains the most common mistakes to a beginner, and suggests what was probably meant. The mistakes are a missing
function, parameter or module, an exception, and a returned value that is not data.

Kits contain this module, so it must run on students' own computers with Python 3.9.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final

from sandbox.inside.refused_modules import REFUSED
from sandbox.visible import name as name_of
from sandbox.visible import quoted

_ALIKE: Final = 0.87
"""Higher than the similarity of the names of any two functions of one game, so that none of them counts as a
misspelling of another.
"""

_MISSPELT: Final = 0.8
_USUAL: Final = (
    *("abc", "bisect", "collections", "copy", "dataclasses", "datetime", "enum", "functools", "heapq", "itertools"),
    *("json", "math", "operator", "os", "queue", "random", "re", "statistics", "string", "sys", "time", "typing"),
)
"""The modules that players of card games import and misspell."""

_LISTED: Final = 8

_STANDARD: Final[frozenset[str]] = getattr(sys, "stdlib_module_names", frozenset())  # Python 3.9 does not list them


def absent(name: str, defined: Sequence[str], inside: int | None) -> str:
    """Say that the file does not define the function, and what it defines. `inside`: the line number of an indented
    definition of the function, if any."""
    problem = f"Your file does not define the function {name}"
    if inside:
        return (
            f"{problem} where it can be called: line {inside} is indented, so that the function belongs to the class, "
            "function or if above it. Start its def at the left margin."
        )
    if similar := meant(name, defined):
        return f"{problem}; is {name_of(similar)} meant to be this function? The names must match exactly."
    return f"{problem}. It defines {_some_names(defined)}." if defined else f"{problem}."


def meant(name: str, defined: Sequence[str]) -> str:
    """Return the function that is probably meant to be `name`, or "". Its spelling is close to `name`, or to `name`
    without its first word, such as `match_build` for `comp10001bo_match_build`."""
    rest = name.partition("_")[2]
    return _similar(name, defined, _ALIKE) or (_similar(rest, defined, _ALIKE) if rest else "")


def mismatch(name: str, signature: str, count: int, least: int, most: int | None) -> str:
    """Say that the function will be called with `count` arguments but does not accept that many. `most`: None if
    unlimited."""
    arguments = "1 argument" if count == 1 else f"{count} arguments"
    problem = f"Your function {name}{_plain_signature(signature)} will be called with {arguments}"
    if count < least:
        return f"{problem}, but needs {least}."
    if most is not None and count > most:
        return f"{problem}, but takes {f'only {most}' if most else 'none'}."
    return f"{problem}, which it does not accept."


def _plain_signature(signature: str) -> str:
    """Return the signature if it consists of names only, else "": the player may have forged the report."""
    parts = signature.removeprefix("(").removesuffix(")").split(", ")
    names = [each.lstrip("*/").removesuffix("=...") for each in parts]
    return signature if signature == "()" or all(not each or name_of(each) == each for each in names) else ""


def raised(name: str, text: str, module: str, line: int | None) -> str:
    """Say that the program raised the exception `name` with this text. `module`: the one that could not be imported."""
    where = f" on line {line}" if line else ""
    if module in REFUSED:
        return f"Your program imports {module}{where}, which cannot be used here: {REFUSED[module]}."
    if name == "ModuleNotFoundError" and (package := module.partition(".")[0]) not in _STANDARD:
        return unknown_module(package, where)
    if name == "ModuleNotFoundError" and module == package:
        return f"Your program imports {module}{where}, a part of the standard library that is not installed here."
    if name in _EXPLAINED:
        return f"Your program {_EXPLAINED[name]}{where}."
    if name == "PermissionError" or (name, text) == ("RuntimeError", "can't start new thread"):
        return (
            f"Your program tried something that a player may not do{where} ({name_of(name)}): it cannot write "
            "files, read files other than Python's own, or start programs, processes or threads."
        )
    first = text.partition("\n")[0]
    return f"Your program raised {name_of(name)}{where}" + (f": {quoted(first)}" if first else ".")


_EXPLAINED: Final = {
    "SystemExit": "ended itself (SystemExit, as exit() does)",
    "KeyboardInterrupt": "raised KeyboardInterrupt",
    "RecursionError": "called itself too many times without returning (RecursionError)",
    "EOFError": "asked for input, but there is nobody to type it (EOFError)",
    "MemoryError": "ran out of memory (MemoryError)",
}


def unknown_module(package: str, where: str) -> str:
    """Say that the file imports a module that is not available."""
    problem = f"Your program imports {name_of(package)}{where}, but only the standard library is available here"
    meant = _similar(package, _USUAL, _MISSPELT)
    return (
        f"{problem}; did you mean {meant}?" if meant else f"{problem}: all of your own code must be in this one file."
    )


def not_data(what: str) -> str:
    """Add a hint to the description of what was returned, such as "a generator object; only numbers … can be
    returned"."""
    return what + next((hint for kind, hint in _NOT_DATA.items() if what.startswith(kind)), "")


_CALL_IT: Final = ". To return its result, call it: put brackets after its name"
_NOT_DATA: Final = {
    "a generator object": ". It has a yield in it, or is a comprehension in round brackets: return a list instead",
    "a coroutine object": ". It is an async def: write def instead",
    "a function object": _CALL_IT,
    "a method object": _CALL_IT,
}


def syntax(text: str, line: str) -> str:
    """Return a hint for the message of this syntax error on this line, or "" if there is none."""
    if line.lstrip().startswith((">>>", "In [")):
        return ". This line is copied from a console: leave out the prompt and the output below it"
    return next((hint for sign, hint in _SYNTAX.items() if sign in text), "")


_QUOTE: Final = ". It is a quotation mark from a text document: type ' or \" instead"
_SYNTAX: Final = {
    **dict.fromkeys(("U+2018", "U+2019", "U+201C", "U+201D"), _QUOTE),
    "non-printable character U+00A0": (
        ". It looks like a space but is not one, as in text copied from a web page: type it again"
    ),
    "tabs and spaces": ". Have your editor replace every tab with spaces",
}


def indented(name: str, lines: Sequence[str]) -> int | None:
    """Return the line number of the first indented definition of the function."""
    return next(
        (number for number, line in enumerate(lines, 1) if name in line and _indented_function(line) == name), None
    )


def _indented_function(line: str) -> str:
    """Return the name of the function that the line defines, if the line is an indented definition, else ""."""
    words = line.replace("\t", " ").partition("(")[0].split() if line[:1] in " \t" and "(" in line else []
    return words[-1] if words[:-1] in (["def"], ["async", "def"]) else ""


def _similar(name: str, known: Sequence[str], likeness: float) -> str:
    """Return the known name that this name probably misspells (`math` for `Maths`), or "" if there is none."""
    by_letters = {each.casefold(): each for each in reversed(known)}
    found = get_close_matches(name.casefold(), by_letters, n=1, cutoff=likeness)
    return by_letters[found[0]] if found else ""


def _some_names(names: Sequence[str]) -> str:
    names = [name_of(each) for each in names]
    if len(names) > _LISTED:
        return f"{', '.join(names[:_LISTED])} and others"
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
