"""Collect the additional contents of the full kit, compared with the thin kit: the modules with which the server plays
the assignment's game and draws its replays, and the libraries that the drawing needs.

These modules reveal the answers to questions about the rules, since a referee applies the rules. Cases, their
generators, solutions and checkers are left out.
"""

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.metadata import distribution
from importlib.resources import files as resources
from pathlib import PurePosixPath
from typing import Any, Final

from tournament.games.api import Game
from tournament.play.games import find_game
from web.kit.contents import source_of
from web.kit.offline import ADDED, module_of

FOLDER: Final = "quadrille"
"""The folder for these files, beside the kit's program."""

PROGRAM: Final = "web.kit.offline"
"""The module that the kit's program loads. Its file is directly in FOLDER."""

OURS: Final = ("grader", "sandbox", "tournament", "web")

PAGE: Final = (
    "replay/_as_test.html",
    "replay/_fault.html",
    "replay/_frame.html",
    "replay/_replay.html",
    "replay/game-table.css",
    "replay/replay-motion.js",
    "replay/replay-timeline.js",
    "replay/replay.js",
    "replay/replay_file.html",
    "site/copy.js",
    "site/site.css",
    "site/words.js",
)
"""The files of `web` from which a replay is built."""

DRAWN_BY: Final = ("replay.css", "replay.html")
"""The files in a game's folder from which a replay is built."""

LIBRARIES: Final = ("jinja2", "markupsafe")
"""Third-party packages, copied with their licences as they are installed here. Parts for only one kind of machine are
left out; the packages work without these parts."""

VENDOR: Final = "vendor"
"""The folder within FOLDER for these packages."""

NEVER: Final = ("assignment", "golden")
"""Folders in a game's folder that never leave the server."""


@lru_cache(maxsize=8)
def full_files(package: str) -> dict[str, bytes]:
    """The files for the game of that name (without options), by their path in the kit."""
    home, game = module_of(package).replace(".", "/"), find_game(package)
    own = game_files(game)
    found = {f"{module.replace('.', '/')}.py": content for module, content in modules(own).items()}
    found["offline.py"] = found.pop(f"{PROGRAM.replace('.', '/')}.py")
    found |= {f"{home}/{path}": content for path, content in own.items()}
    for folder in {str(each) for path in found for each in PurePosixPath(path).parents} - {"."}:
        found.setdefault(f"{folder}/__init__.py", b"")
    found |= {f"{home}/{path}": content for path in DRAWN_BY if (content := _source_of(game, path)) is not None}
    found |= {f"web/{path}": resources("web").joinpath(*path.split("/")).read_bytes() for path in PAGE}
    found |= {f"{VENDOR}/{path}": content for library in LIBRARIES for path, content in library_files(library).items()}
    return {f"{FOLDER}/{path}": found[path] for path in sorted(found)}


def modules(game: Mapping[str, bytes]) -> dict[str, bytes]:
    """The server's modules that the program and a game's files import, directly or indirectly, by name. Apart from
    these modules, they import only the standard library and `LIBRARIES`; a contract in `pyproject.toml` enforces this.
    The `__init__` modules of packages are empty in the kit. Of a game's imports, only modules that every game may use
    are included, since a module of another game may be a solution."""
    helpers = {f"tournament.games.{each.name.removesuffix('.py')}" for each in resources("tournament.games").iterdir()}
    imported = {name for path, content in game.items() if path.endswith(".py") for name in _imported_modules(content)}
    found: dict[str, bytes] = {}
    wanted = [PROGRAM, *(name for name in imported & helpers if _is_module(name))]
    while wanted:
        name = wanted.pop()
        if name not in found:
            found[name] = source_of(name)
            wanted += _imported_modules(found[name])
    return found


def _imported_modules(source: bytes) -> Iterator[str]:
    """The names of Quadrille's modules that a file imports when it runs."""
    tree = ast.parse(source)
    blocks = [each for each in ast.walk(tree) if isinstance(each, ast.If) and ast.unparse(each.test) == "TYPE_CHECKING"]
    never = {id(node) for block in blocks for node in ast.walk(block)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and id(node) not in never:
            module = node.module or ""
            if not node.level and module.partition(".")[0] in OURS:
                yield from {name if _is_module(name := f"{module}.{each.name}") else module for each in node.names}


def _is_module(name: str) -> bool:
    first, *rest = name.split(".")
    return resources(first).joinpath(*rest[:-1], f"{rest[-1]}.py").is_file()


def library_files(library: str) -> dict[str, bytes]:
    """The Python files and the licence of an installed package, by path."""
    found: dict[str, bytes] = {}
    for each in distribution(library).files or ():
        if each.parts[0] == library and each.suffix == ".py":
            found[each.as_posix()] = each.read_binary()
        elif each.name.startswith("LICENSE"):
            found[f"{library}/{each.name}"] = each.read_binary()
    return found


def game_files(game: Game[Any]) -> dict[str, bytes]:
    """The files in a game's folder that are needed to play it, by path: the modules that it imports, the files that
    these modules name (such as a module for its players), and the house bots."""
    modules: dict[str, bytes] = {}
    named: dict[str, bytes] = {}
    wanted, package = ["__init__.py"], str(getattr(game, "__name__", ADDED))
    while wanted:
        path = wanted.pop()
        if path not in modules and (content := _source_of(game, path)) is not None:
            modules[path], tree = content, ast.parse(content)
            wanted += _imported(tree, path, package)
            named |= {each: found for each in _paths_named(tree) if (found := _source_of(game, each)) is not None}
    return named | modules | {f"bots/{bot.name}.py": bot.source for bot in game.bots}


def _source_of(game: Game[Any], path: str) -> bytes | None:
    parts = path.split("/")
    file = game.folder.joinpath(*parts)
    return file.read_bytes() if parts[0] not in NEVER and file.is_file() else None


def _imported(tree: ast.Module, path: str, package: str) -> Iterator[str]:
    """The files in `package` that one of its files may import."""
    here = path.split("/")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = here[: len(here) - node.level + 1] + (node.module or "").split(".")
            yield from _named_files(base, [each.name for each in node.names])
        elif isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(f"{package}."):
            yield from _named_files(str(node.module)[len(package) :].split("."), [each.name for each in node.names])
        elif isinstance(node, ast.Import):
            for each in node.names:
                if each.name.startswith(f"{package}."):
                    yield from _named_files(each.name[len(package) :].split("."), [])


def _named_files(base: list[str], names: list[str]) -> Iterator[str]:
    base = [part for part in base if part]
    for parts in (base, *([*base, name] for name in names)):
        if parts:
            yield f"{'/'.join(parts)}.py"
            yield f"{'/'.join(parts)}/__init__.py"


def _paths_named(tree: ast.Module) -> Iterator[str]:
    """The strings in a module that could be file paths."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) <= 100:
            parts = node.value.split("/")
            if "." in parts[-1] and not any(part in ("", ".", "..") for part in parts):
                yield node.value
