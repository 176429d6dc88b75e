r"""Macros that a statement in LaTeX defines for itself, by \newcommand or \def: the parser does not know them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from grader.problem_packages.errors import PackageError
from sandbox import patterns

_DEFINED: Final = patterns.compile(
    r"\\(?:newcommand|renewcommand|providecommand)\*?\s*(?:\{\s*\\([A-Za-z]+)\s*\}|\\([A-Za-z]+))\s*"
    r"(?:\[([0-9])\])?\s*(?:\[([^\]]*)\])?\s*|\\def\s*\\([A-Za-z]+)((?:#[0-9])*)\s*"
)
_USED: Final = patterns.compile(r"\\([A-Za-z]+|[^A-Za-z])\s?")
_PLACE: Final = patterns.compile(r"#([1-9])")
_BRACE: Final = patterns.compile(r"(?s)\\.|[{}]")
_DEEPEST: Final = 10
"""How often what macros stand for is searched for further ones."""

_LARGEST: Final = 1 << 20
"""Characters of a statement whose macros are written out."""

_LONGEST_OPTION: Final = 1000


@dataclass(frozen=True, slots=True)
class _Macro:
    """`usual`: the value of its first argument where that is left out, or None if it cannot be left out."""

    count: int
    usual: str | None
    body: str

    def with_arguments(self, latex: str, at: int, closings: Mapping[int, int]) -> tuple[str, int]:
        """What the macro stands for where its name ends `at`, and where its arguments end."""
        arguments: list[str] = []
        if self.usual is not None:
            end = latex.find("]", at, at + _LONGEST_OPTION) if latex.startswith("[", at) else -1
            arguments, at = ([self.usual], at) if end < 0 else ([latex[at + 1 : end]], end + 1)
        while len(arguments) < self.count:
            at += latex.startswith((" ", "\n"), at)
            end = closings.get(at, at)
            arguments.append(latex[at + 1 : end] if end > at else latex[at : at + 1])
            at = end + 1
        return _PLACE.sub(
            lambda place: arguments[int(place[1]) - 1] if int(place[1]) <= self.count else "", self.body
        ), at


def written_out(latex: str) -> str:
    """The statement without the definitions of its macros, and with what they stand for. Raises PackageError if that is
    too long."""
    macros, latex = _definitions(latex)
    for _ in range(_DEEPEST if macros else 0):
        former, latex = latex, _once(latex, macros)
        if latex == former:
            break
    return latex


def _definitions(latex: str) -> tuple[dict[str, _Macro], str]:
    """The macros by name, and the text without their definitions."""
    closings, macros, parts, at = _closings(latex), dict[str, _Macro](), [], 0
    for found in _DEFINED.finditer(latex):
        end = closings.get(found.end())
        if end is not None and found.start() >= at:
            count = int(found[3] or 0) or len(found[6] or "") // 2
            macros[found[1] or found[2] or found[5]] = _Macro(count, found[4], latex[found.end() + 1 : end])
            parts.append(latex[at : found.start()])
            at = end + 1
    return macros, "".join([*parts, latex[at:]])


def _once(latex: str, macros: Mapping[str, _Macro]) -> str:
    closings, parts, at, size = _closings(latex), list[str](), 0, len(latex)
    for found in _USED.finditer(latex):
        macro = macros.get(found[1])
        if macro and found.start() >= at:
            text, end = macro.with_arguments(latex, found.end(), closings)
            parts += latex[at : found.start()], text
            at, size = end, size + len(text)
            if size > _LARGEST:
                raise PackageError("The macros that the statement defines make it too long.")
    return "".join([*parts, latex[at:]])


def _closings(latex: str) -> dict[int, int]:
    """Where the group ends that begins with a brace there."""
    found, open_ = {}, []
    for brace in _BRACE.finditer(latex):
        if brace[0] == "{":
            open_.append(brace.start())
        elif brace[0] == "}" and open_:
            found[open_.pop()] = brace.start()
    return found
