r"""Macros that a statement in LaTeX defines for itself, by \newcommand or \def: the parser does not know them."""

from collections.abc import Callable
from typing import Final

from grader.problem_packages.files import PackageError
from sandbox import patterns

_GROUP: Final = r"\s*\{((?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*)\}"
"""A group in braces, with groups inside; none in real statements is deeper."""

_DEFINED: Final = patterns.compile(
    r"\\(?:newcommand|renewcommand|providecommand)\*?\s*\{?\s*\\([A-Za-z]+)\s*\}?\s*(?:\[([0-9])\])?\s*(?:\[([^\]]*)\])?"
    rf"{_GROUP}|\\def\s*\\([A-Za-z]+)((?:#[0-9])*){_GROUP}"
)
_PLACE: Final = patterns.compile(r"#([1-9])")
_DEEPEST: Final = 10
"""How often what macros stand for is searched for further ones."""

_MOST, _LONGEST, _LARGEST = 100, 1000, 1 << 19
"""How many macros there may be, and the characters of one and of the statement with what they stand for."""


def written_out(latex: str) -> str:
    """The statement without the definitions of its macros, and with what they stand for. Raises PackageError."""
    found = list(_DEFINED.finditer(latex))
    if len(found) > _MOST or any(len(each[0]) > _LONGEST for each in found):
        raise PackageError("The statement defines too many macros, or too long ones.")
    macros, latex = [_macro(each) for each in found], _DEFINED.sub("", latex)
    for _ in range(_DEEPEST):
        former = latex
        for used, text in macros:
            latex = used.sub(text, latex)
            if len(latex) > _LARGEST:
                raise PackageError("The macros that the statement defines make it too long.")
        if latex == former:
            break
    return latex


def _macro(found: patterns.Match[str]) -> tuple[patterns.Pattern[str], Callable[[patterns.Match[str]], str]]:
    """Where a macro is used, and what it stands for there."""
    name, usual, body = found[1] or found[5], found[3], found[4] or found[7] or ""
    count = int(found[2] or len(found[6] or "") // 2)
    arguments = r"(?:\[([^\]]*)\])?" + _GROUP * (count - 1) if usual is not None else _GROUP * count

    def text(use: patterns.Match[str]) -> str:
        given = [usual if each is None else each for each in use.groups()] if count else []
        filled: str = _PLACE.sub(lambda place: given[int(place[1]) - 1] if int(place[1]) <= count else "", body)
        return filled if count else filled + use[1].removeprefix(" ")

    return patterns.compile(rf"\\{name}" + (arguments if count else r"( ?[^A-Za-z ]| |\z)")), text
