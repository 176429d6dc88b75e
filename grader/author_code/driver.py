"""Runs inside the jail with an author's file: gives the file access to the game's modules, and runs it to generate
cases.

The source of this module becomes a module of each author's program (see `authored.py`), with a call of `provide` at its
end. It uses only the standard library. Once the author's code runs, nothing in the jail can be trusted, so the host
checks all output.
"""

from __future__ import annotations

import collections.abc  # the jail's template process loads these once for the game's modules
import contextlib
import dataclasses
import enum
import importlib.resources
import reprlib
import sys
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random
from types import CodeType, ModuleType
from typing import Any, Final

LOADED_FOR_GAMES: Final = (collections.abc, dataclasses, enum, importlib.resources, reprlib, typing)
GAMES: Final = "tournament.games"
CASES: Final = "cases.py"
CHUNK: Final = 32 << 10  # the maximum number of characters of cases in one reply
TITLE: Final = 500  # characters
MAX_DEPTH: Final = 30  # a little less than the sandbox allows, since cases are sent inside lists
MAX_INT_BITS: Final = 13_280  # the same as in the sandbox


class Importer:
    """An `__import__` that finds the modules in `texts` by full name. The game's modules are `game` and its submodules;
    they can also be imported under the full name of a built-in game. Packages are empty modules."""

    def __init__(self, texts: Mapping[str, str], slug: str, builtins: dict[str, Any]) -> None:
        self._texts = texts
        self._game = f"{GAMES}.{slug}"
        self._builtins = builtins
        self._others: Callable[..., ModuleType] = builtins["__import__"]
        self._packages = {"game"} if slug else set()
        for name in texts:
            while name := name.rpartition(".")[0]:
                self._packages.add(name)
        # Compiled once, by the jail's template process. The solution is not compiled there: it is the author's code.
        self._codes = {name: _code_of(name, text) for name, text in texts.items() if name != "solution"}
        self._tops = {"game", *(name.partition(".")[0] for name in texts)}
        self._loaded: dict[str, ModuleType] = {}

    def __call__(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,
        locals: Mapping[str, Any] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        full = _absolute(name, globals or {}, level)
        top, _, _ = full.partition(".")
        if top not in self._tops:
            return self._others(name, globals, locals, fromlist, level)
        module = self._load(full)
        if not fromlist:
            return self._load(top)
        for each in fromlist:
            if self._exists(self._own(f"{full}.{each}")):
                self._load(f"{full}.{each}")
        return module

    def _own(self, name: str) -> str:
        rest = name.removeprefix(self._game)
        return f"game{rest}" if rest != name and rest[:1] in ("", ".") else name

    def _exists(self, name: str) -> bool:
        return name in self._texts or name in self._packages

    def _load(self, full: str) -> ModuleType:
        name = self._own(full)
        if name != full:
            setattr(self._load(GAMES), self._game.rpartition(".")[2], self._load("game"))
        if name not in self._loaded:
            if not self._exists(name):
                raise ImportError(self._unknown(full, name))
            parent, _, last = name.rpartition(".")
            above = self._load(parent) if parent else None
            module = self._run(name, parent)
            if above:
                setattr(above, last, module)
        return self._loaded[name]

    def _run(self, name: str, parent: str) -> ModuleType:
        module = self._loaded[name] = ModuleType(name)
        package = name if name in self._packages else parent
        vars(module).update(__builtins__=self._builtins, __package__=package)
        if name not in sys.modules or name.startswith(("game", "solution")):
            sys.modules[name] = module  # dataclasses look up the module of their class here
        try:
            exec(self._codes.get(name) or _compile(name, self._texts.get(name, "")), vars(module))  # noqa: S102
        except BaseException:
            del self._loaded[name]
            raise
        return module

    def _unknown(self, full: str, name: str) -> str:
        if not name.startswith("game"):
            return f"{full} cannot be imported here"
        if "game" not in self._packages:
            return "this assignment has no game whose modules could be imported"
        there = sorted(each.removeprefix("game.") for each in self._texts if each.startswith("game."))
        return f"the game has no module {name.removeprefix('game.')}; it has {', '.join(there)}"


def _compile(name: str, text: str) -> CodeType:
    return compile(text, "solution.py" if name == "solution" else f"<{name}>", "exec", dont_inherit=True)


def _code_of(name: str, text: str) -> CodeType | None:
    """Return the code of a module; None if it cannot be compiled. Importing the module then raises the error."""
    try:
        return _compile(name, text)
    except (SyntaxError, ValueError):
        return None


def _absolute(name: str, space: Mapping[str, Any], level: int) -> str:
    """Return the full name that an import statement refers to; "" for a relative name outside the provided modules."""
    package = space.get("__package__") or ""
    if not level:
        return name
    base = ".".join(package.split(".")[: package.count(".") + 2 - level])
    return f"{base}.{name}" if base and name else base


def provide(texts: Mapping[str, str], slug: str) -> None:
    """Make these modules importable by their full names. `slug` is the game's slug; "" without a game. The jail's
    template process loads the modules immediately, which makes each of its children start ten times as fast."""
    space: dict[str, Any] = globals()["__builtins__"]
    space["__import__"] = importer = Importer(texts, slug, space)
    for name in texts:
        if name != "solution":  # the solution is the author's code
            with contextlib.suppress(Exception):  # the module that imports this module gets the error
                importer(name)


class NotACase(Exception):
    """`cases` yielded something that is not a case; the message completes the sentence "Case 3 …."."""


class CaseMaker:
    """Runs an author's `cases(rng)` step by step, and keeps the cases that it yields."""

    def __init__(self, space: Mapping[str, Any]) -> None:
        self._space = space
        self._cases: list[tuple[tuple[Any, ...], str]] = []
        self._sizes: list[int] = []
        self._rest: Iterator[Any] | None = None
        self._source: Any = None

    def make(self, seed: str, count: int, arities: Sequence[int]) -> tuple[list[int], int, bool, str, int]:
        """Generate up to `count` more cases. `arities` lists the allowed numbers of arguments. Returns the hash of each
        new case, the number of characters of all cases so far, whether there are no more cases, a description of any
        mistake (or ""), and its line (or 0)."""
        hashes: list[int] = []
        try:
            if self._rest is None:
                self._rest = self._begin(seed)
            for _ in range(count):
                yielded = next(self._rest, self)
                if yielded is self:
                    return hashes, sum(self._sizes), True, "", 0
                case = _checked_case(yielded, arities)
                text = ascii(case)
                self._cases.append(case)
                self._sizes.append(len(text))
                hashes.append(hash(text))
        except NotACase as wrong:
            return hashes, 0, True, f"Case {len(self._cases) + 1} {wrong}.", self._line()
        except _Unusable as wrong:
            return hashes, 0, True, str(wrong), self._line()
        return hashes, sum(self._sizes), False, "", 0

    def take(self, start: int) -> list[tuple[tuple[Any, ...], str]]:
        """Return the cases from number `start` on: as many as fit into one reply, and at least one."""
        end, size = start, 0
        while end < len(self._cases) and (end == start or size + self._sizes[end] <= CHUNK):
            size += self._sizes[end]
            end += 1
        return self._cases[start:end]

    def _begin(self, seed: str) -> Iterator[Any]:
        self._source = self._space["cases"](Random(seed))
        if not isinstance(self._source, Iterable):
            what = "None" if self._source is None else _type_named(self._source)
            raise _Unusable(f"cases(rng) must yield cases, but it returns {what}: is a yield statement missing?")
        return iter(self._source)

    def _line(self) -> int:
        """Return the line of the author's file that the generator has reached, or else the line where the generator is
        defined; 0 if neither line is in that file."""
        frame = getattr(self._source, "gi_frame", None)
        if frame and frame.f_code.co_filename == CASES:
            return int(frame.f_lineno)
        code = getattr(self._space.get("cases"), "__code__", None)
        return int(code.co_firstlineno) if code and code.co_filename == CASES else 0


class _Unusable(Exception):
    """`cases` did not return an iterable."""


def _checked_case(yielded: Any, arities: Sequence[int]) -> tuple[tuple[Any, ...], str]:
    """Return the arguments and the title of a yielded case. They are copied as plain data, so the author's code cannot
    change them later."""
    if isinstance(yielded, dict):
        if "args" not in yielded:
            raise NotACase('is a dictionary without the key "args"')
        args, title = yielded["args"], yielded.get("title", "")
    elif hasattr(yielded, "args") and hasattr(yielded, "title") and not isinstance(yielded, str):
        args, title = yielded.args, yielded.title
    else:
        args, title = yielded, ""
    if not isinstance(args, tuple):
        example = "; for one argument write a comma after it: (cards,)" if isinstance(args, list | str | int) else ""
        raise NotACase(f"is {_type_named(args)}, and must be a tuple of arguments{example}")
    if not isinstance(title, str):
        raise NotACase(f"has {_type_named(title)} as its title, which must be a string")
    if arities and len(args) not in arities:
        given = f"{len(args)} argument{'' if len(args) == 1 else 's'}"
        takes = " or ".join(map(str, arities))
        raise NotACase(f"has {given}, but the function takes {takes}")
    return _plain_copy(tuple(args), 0), str(title)[:TITLE]


def _plain_copy(value: Any, depth: int) -> Any:
    """Copy a value. Raises NotACase if it is not plain data."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int):
        if value.bit_length() > MAX_INT_BITS:
            raise NotACase("contains an integer of thousands of digits, which cannot be sent")
        return value
    if isinstance(value, float):
        if value - value != 0:
            raise NotACase(f"contains the number {value}, which is not an ordinary number")
        return value
    if depth >= MAX_DEPTH:
        raise NotACase("contains a value that contains itself or is nested too deeply")
    depth += 1
    if isinstance(value, list):
        return [_plain_copy(each, depth) for each in value]
    if isinstance(value, tuple):
        return tuple([_plain_copy(each, depth) for each in value])
    if isinstance(value, dict):
        return {_plain_copy(key, depth): _plain_copy(each, depth) for key, each in value.items()}
    if isinstance(value, set):
        return {_plain_copy(each, depth) for each in value}
    plain = "numbers, strings, True, False, None, lists, tuples, sets and dictionaries"
    raise NotACase(f"contains {_type_named(value)}; only {plain} can be used")


def _type_named(value: Any) -> str:
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
