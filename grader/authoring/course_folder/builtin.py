"""The assignments that come with the built-in games: course folders like any other."""

from collections.abc import Iterator
from functools import cache
from importlib.resources.abc import Traversable
from zoneinfo import ZoneInfo

from grader.authoring.course_folder.reading import read_assignment
from grader.definition.model import Definition
from tournament.play.games import find_game

UTC = ZoneInfo("UTC")


@cache
def builtin(slug: str) -> Definition:
    """The definition of a built-in game's assignment. Raises UnknownGame."""
    return read_assignment(builtin_files(slug), UTC)


def builtin_files(slug: str) -> dict[str, bytes]:
    """The folder of a built-in game's assignment: its files by path. The starter is the game's. Raises UnknownGame."""
    folder = find_game(slug).folder
    return files_in(folder / "assignment") | {"starter.py": (folder / "starter.py").read_bytes()}


def files_in(folder: Traversable) -> dict[str, bytes]:
    """The files of a course folder that comes with this software, by path."""
    return dict(sorted(_files(folder, "")))


def _files(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for each in folder.iterdir():
        if each.is_dir():
            yield from _files(each, f"{path}{each.name}/")
        elif each.name.endswith((".toml", ".md", ".txt", ".py")):
            yield f"{path}{each.name}", each.read_bytes()
