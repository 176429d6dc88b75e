"""The assignments that come with the built-in games, as course folders."""

from functools import cache

from grader.course_folder.files import files_of
from grader.course_folder.reading import read_assignment
from grader.dates import UTC_ZONE
from grader.definition.model import Definition
from tournament.games import GAMES


@cache
def builtin(slug: str) -> Definition:
    """The assignment that comes with a built-in game."""
    return read_assignment(files_of(GAMES[slug].folder / "assignment"), UTC_ZONE)
