"""What the full kit has besides the thin one: the very modules with which the server plays the assignment's game and
draws its replays, and the library that these draw with.

They give away what the questions about the rules ask for, since a referee knows the rules. Cases, their generators,
solutions and checkers are not among them.
"""

import ast
from collections.abc import Iterator
from functools import lru_cache
from importlib.metadata import distribution
from importlib.resources import files as resources
from pathlib import PurePosixPath
from typing import Any, Final

from tournament.games.api import Game
from tournament.play.games import find_game
from web.kit.offline import ADDED, module_of

FOLDER: Final = "quadrille"
"""The folder beside the kit's program in which they lie."""

PROGRAM: Final = "web.kit.offline"
"""What the kit's program loads. It lies in that folder itself."""

MODULES: Final = (
    "grader.grading.messages",
    "grader.grading.typed_calls",
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
    "tournament.games.faces",
    "tournament.games.judges",
    "tournament.games.names",
    "tournament.games.options",
    "tournament.games.quotas",
    "tournament.games.text",
    "tournament.play.asked",
    "tournament.play.home_file",
    "tournament.play.home_tests",
    "tournament.play.local",
    "tournament.play.memory",
    "tournament.play.record",
    "tournament.play.referee",
    "tournament.play.replay",
    "tournament.play.seatings",
    "tournament.play.seeds",
    "tournament.play.table",
    "web.kit.replays",
    "web.replay.film",
    "web.replay.offline",
    "web.site.escaping",
)
"""The server's modules, which import nothing but each other, the standard library and `LIBRARIES`: a contract in
`pyproject.toml` names the same ones. The modules of packages are empty in the kit."""

PAGE: Final = (
    "static/copy.js",
    "static/game-table.css",
    "static/replay-motion.js",
    "static/replay-timeline.js",
    "static/replay.js",
    "static/site.css",
    "templates/_parts/replay/as_test.html",
    "templates/_parts/replay/fault.html",
    "templates/_parts/replay/frame.html",
    "templates/_parts/replay/replay.html",
    "templates/replay_file.html",
)
"""The files of `web` that a replay is made of."""

DRAWN_BY: Final = ("replay.css", "replay.html")
"""Those of a game."""

LIBRARIES: Final = ("jinja2", "markupsafe")
"""Packages of others, as they are installed here. They are taken along with their licences and without what only one
kind of machine can run; they do without that."""

VENDOR: Final = "vendor"
"""Where these lie in the folder."""

NEVER: Final = ("assignment", "golden")
"""Folders of a game of which nothing leaves the server."""


@lru_cache(maxsize=8)
def full_files(package: str) -> dict[str, bytes]:
    """The files for the game of that name (without options), by their path in the kit."""
    found = {f"{module.replace('.', '/')}.py": _source(module) for module in MODULES}
    found["offline.py"] = _source(PROGRAM)
    home, game = module_of(package).replace(".", "/"), find_game(package)
    found |= {f"{home}/{path}": content for path, content in game_files(game).items()}
    for folder in {str(each) for path in found for each in PurePosixPath(path).parents} - {"."}:
        found.setdefault(f"{folder}/__init__.py", b"")
    found |= {f"{home}/{path}": content for path in DRAWN_BY if (content := _read(game, path)) is not None}
    found |= {f"web/{path}": resources("web").joinpath(*path.split("/")).read_bytes() for path in PAGE}
    found |= {f"{VENDOR}/{path}": content for library in LIBRARIES for path, content in library_files(library).items()}
    return {f"{FOLDER}/{path}": found[path] for path in sorted(found)}


def _source(module: str) -> bytes:
    package, _, name = module.rpartition(".")
    return resources(package).joinpath(f"{name}.py").read_bytes()


def library_files(library: str) -> dict[str, bytes]:
    """The Python files of an installed package, and its licence."""
    found: dict[str, bytes] = {}
    for each in distribution(library).files or ():
        if each.parts[0] == library and each.suffix == ".py":
            found[each.as_posix()] = each.read_binary()
        elif each.name.startswith("LICENSE"):
            found[f"{library}/{each.name}"] = each.read_binary()
    return found


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
