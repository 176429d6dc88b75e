"""What the full kit has besides the thin one: the very modules with which the server plays the assignment's game.

They give away what the questions about the rules ask for, since a referee knows the rules. Cases, their generators,
solutions and checkers are not among them.
"""

import ast
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files as resources
from pathlib import PurePosixPath
from typing import Any, Final

from tournament.games import find_game
from tournament.games.api import Game
from web.kit.offline import ADDED, module_of

FOLDER: Final = "quadrille"
"""The folder beside the kit's program in which they lie."""

PROGRAM: Final = "web.kit.offline"
"""What the kit's program loads. It lies in that folder itself."""

MODULES: Final = (
    "sandbox.api",
    "sandbox.backends.trusted",
    "sandbox.host.call_timer",
    "sandbox.host.codec",
    "sandbox.host.fault_messages",
    "sandbox.host.mistake_hints",
    "sandbox.inside.clock",
    "sandbox.inside.randomness",
    "sandbox.inside.refused_modules",
    "sandbox.inside.reports",
    "sandbox.inside.wire",
    "sandbox.visible",
    "tournament.games.api",
    "tournament.games.cards",
    "tournament.games.judges",
    "tournament.games.names",
    "tournament.games.options",
    "tournament.games.quotas",
    "tournament.games.text",
    "tournament.play.local",
    "tournament.play.record",
    "tournament.play.referee",
    "tournament.play.replay",
    "tournament.play.seatings",
    "tournament.play.seeds",
    "tournament.play.table",
)
"""The server's modules, which import nothing but each other and the standard library: a contract in `pyproject.toml`
names the same ones. The modules of packages are empty in the kit."""

NEVER: Final = ("assignment", "golden")
"""Folders of a game of which nothing leaves the server."""


@lru_cache(maxsize=8)
def full_files(package: str) -> dict[str, bytes]:
    """The files for the game of that name (without options), by their path in the kit."""
    found = {f"{module.replace('.', '/')}.py": _source(module) for module in MODULES}
    found["offline.py"] = _source(PROGRAM)
    home = module_of(package).replace(".", "/")
    found |= {f"{home}/{path}": content for path, content in game_files(find_game(package)).items()}
    for folder in {str(each) for path in found for each in PurePosixPath(path).parents} - {"."}:
        found.setdefault(f"{folder}/__init__.py", b"")
    return {f"{FOLDER}/{path}": found[path] for path in sorted(found)}


def _source(module: str) -> bytes:
    package, _, name = module.rpartition(".")
    return resources(package).joinpath(f"{name}.py").read_bytes()


def game_files(game: Game[Any]) -> dict[str, bytes]:
    """The files of a game's folder with which it is played, by path: the modules that it imports, the files that these
    name, such as a module for its players, and the house bots."""
    modules: dict[str, bytes] = {}
    named: dict[str, bytes] = {}
    wanted, package = ["__init__.py"], str(getattr(game, "__name__", ADDED))
    while wanted:
        path = wanted.pop()
        if path not in modules and (content := _read(game, path)) is not None:
            modules[path], tree = content, ast.parse(content)
            wanted += _imported(tree, path, package)
            named |= {each: found for each in _named(tree) if (found := _read(game, each)) is not None}
    return named | modules | {f"bots/{bot.name}.py": bot.source for bot in game.bots}


def _read(game: Game[Any], path: str) -> bytes | None:
    parts = path.split("/")
    file = game.folder.joinpath(*parts)
    return file.read_bytes() if parts[0] not in NEVER and file.is_file() else None


def _imported(tree: ast.Module, path: str, package: str) -> Iterator[str]:
    """The files of the modules of that package which a file of it may import."""
    here = path.split("/")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = here[: len(here) - node.level + 1] + (node.module or "").split(".")
            yield from _files_of(base, [each.name for each in node.names])
        elif isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(f"{package}."):
            yield from _files_of(str(node.module)[len(package) :].split("."), [each.name for each in node.names])
        elif isinstance(node, ast.Import):
            for each in node.names:
                if each.name.startswith(f"{package}."):
                    yield from _files_of(each.name[len(package) :].split("."), [])


def _files_of(base: list[str], names: list[str]) -> Iterator[str]:
    base = [part for part in base if part]
    for parts in (base, *([*base, name] for name in names)):
        if parts:
            yield f"{'/'.join(parts)}.py"
            yield f"{'/'.join(parts)}/__init__.py"


def _named(tree: ast.Module) -> Iterator[str]:
    """The texts in it that may be the path of a file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) <= 100:
            parts = node.value.split("/")
            if "." in parts[-1] and not any(part in ("", ".", "..") for part in parts):
                yield node.value
