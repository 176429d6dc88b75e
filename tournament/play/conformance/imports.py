"""The check of what a game of a department's own imports: it must work under any module name, on every host."""

import ast
import sys
from collections.abc import Iterator
from pathlib import PurePosixPath

from tournament.games.loading import Files
from tournament.play.conformance.flaws import Flaw

ALLOWED = {
    *(f"tournament.games.{name}" for name in ("api", "cards", "judges", "quotas", "text")),
    "sandbox.api",
}
PLAYERS = ("reference.py", "starter.py", "bots/", "golden/")
"""Files that are not part of the rules."""

RELATIVE = "Import the game's own modules relatively, as in `from .rules import apply`: every version has another name."


def imports(files: Files, name: str) -> Iterator[Flaw]:
    """The rules import themselves relatively, and otherwise only what every host has.

    `name` is that of the folder."""
    own = {name, *(path.partition("/")[0].removesuffix(".py") for path in files if path.endswith(".py"))}
    for path in sorted(files):
        if path.endswith(".py") and not path.startswith(PLAYERS):
            yield from _of(path, files[path], own - {"__init__"})


def _of(path: str, source: bytes, own: set[str]) -> Iterator[Flaw]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", 0) or 0
        yield Flaw(f"Python cannot read this file: {getattr(error, 'msg', error)}.", "", path, line)
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                yield from _judged(each.name, own, path, node.lineno)
        elif isinstance(node, ast.ImportFrom) and node.level:
            if node.level > len(PurePosixPath(path).parts):
                yield Flaw("This import leaves the game's folder.", RELATIVE, path, node.lineno)
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module in ("tournament.games", "sandbox"):
                for each in node.names:
                    yield from _judged(f"{node.module}.{each.name}", own, path, node.lineno)
            else:
                yield from _judged(node.module, own, path, node.lineno)


def _judged(module: str, own: set[str], path: str, line: int) -> Iterator[Flaw]:
    first = module.partition(".")[0]
    itself = first in own or module.removeprefix("tournament.games.").partition(".")[0] in own
    if module in ALLOWED or (first in sys.stdlib_module_names and first not in own):
        return
    if itself:
        yield Flaw(f"The game imports itself as `{module}`.", RELATIVE, path, line)
    else:
        known = ", ".join(sorted(ALLOWED))
        fix = f"A game may import its own modules, Python's standard library, and {known}."
        yield Flaw(f"`{module}` may not be imported.", fix, path, line)
