"""Makes programs for the sandbox of what an author wrote, with the modules that it may import.

An author's file may import the modules of the assignment's game, as `game.plays`, and some of ours. It gets their
texts: no file is read in the jail, and packages are empty there, since a game's own `__init__` reads files.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final

from sandbox import patterns
from sandbox.api import Program, SentText
from tournament.games.api import Game

_SHARED: Final = {
    "sandbox": ("api", "visible"),
    "tournament.games": ("api", "cards", "judges", "quotas", "text"),
}
_NOT_FOR_AUTHORS: Final = ("__init__", "starter", "questions")
_SOLUTION: Final = patterns.compile(r"(?m)^\s*(?:import|from)\s+solution\b")

CASES: Final = "cases.py"
SOLUTION: Final = "solution.py"
CHECKER: Final = "checker.py"


@dataclass(frozen=True)
class GameModules:
    """The texts of a game's modules, by name within its package (`plays`, `bots.builder`), and its slug, under which
    built-in games import their own modules. Without a game both are empty."""

    slug: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)


NO_GAME: Final = GameModules()


def game_modules(game: Game[Any]) -> GameModules:
    """What an author's file may import of a game; its folder is read."""
    return GameModules(game.slug, dict(sorted(_texts(game.folder, ""))))


def _texts(folder: Traversable, package: str) -> Iterator[tuple[str, str]]:
    for each in folder.iterdir():
        name, _, kind = each.name.rpartition(".")
        if kind == "py" and name not in _NOT_FOR_AUTHORS:
            yield f"{package}{name}", each.read_text(encoding="utf-8")
        elif not name and each.is_dir() and (each / "__init__.py").is_file():
            yield from _texts(each, f"{package}{kind}.")


def cases_program(cases: SentText, solution: str, modules: GameModules) -> Program:
    """The program of `cases.py`, which may import `solution`. Its functions are `quadrille_make` and `quadrille_take`
    (see `driver.CaseMaker`)."""
    imported = solution if _SOLUTION.search(cases) else None
    adapter = "_maker = __import__('_authoring').CaseMaker(globals())\n"
    adapter += "quadrille_make, quadrille_take = _maker.make, _maker.take\n"
    return Program(_source(cases), {"cases": (1,)}, _provided(modules, imported), CASES, adapter)


def solution_program(text: str, functions: Mapping[str, tuple[int, ...]], modules: GameModules) -> Program:
    """The program of `solution.py`, with the functions that it must have."""
    return Program(_source(text), functions, _provided(modules, None), SOLUTION)


def checker_program(text: str, modules: GameModules, takes: int = 2) -> Program:
    """The program of `checker.py`, whose `accepts` takes so many arguments. Besides that it has
    `quadrille_accepts_all`, for a list of arguments of it."""
    adapter = "def quadrille_accepts_all(pairs):\n    return [accepts(*pair) for pair in pairs]\n"
    return Program(_source(text), {"accepts": (takes,)}, _provided(modules, None), CHECKER, adapter)


def _source(text: str) -> bytes:
    """The text as bytes; one that is no text at all is refused by Python, with a sentence."""
    return text.encode("utf-8", "surrogatepass")


def provided_texts(modules: GameModules) -> dict[str, str]:
    """All modules that can be imported, by full name."""
    return {f"game.{name}": text for name, text in modules.texts.items()} | _shared()


def _provided(modules: GameModules, solution: str | None) -> dict[str, str]:
    texts = provided_texts(modules) | ({} if solution is None else {"solution": solution})
    return {"_authoring": _driver(tuple(texts.items()), modules.slug)}


@lru_cache(maxsize=16)
def _driver(texts: tuple[tuple[str, str], ...], slug: str) -> str:
    text = files("grader.author_code").joinpath("driver.py").read_text(encoding="utf-8")
    return f"{text}\n\nprovide({dict(texts)!r}, {slug!r})\n"


@lru_cache(maxsize=1)
def _shared() -> dict[str, str]:
    return {
        f"{package}.{name}": files(package).joinpath(f"{name}.py").read_text(encoding="utf-8")
        for package, names in _SHARED.items()
        for name in names
    }
