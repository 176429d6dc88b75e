"""What the commands on a course folder share: reading it, and telling what is wrong with it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from deploy.cli.common import say, unknown
from deploy.cli.errors import BadInput
from grader.authoring.course_folder.course import (
    ASSIGNMENTS,
    COURSE,
    CourseFolder,
    CourseSettings,
    assignments_of,
    read_course,
)
from grader.authoring.course_folder.files import read_files
from grader.authoring.course_folder.games import PackagedGames
from grader.authoring.course_folder.problems import CourseError, Problem
from grader.authoring.course_folder.warnings import warnings
from grader.definition.model import Definition
from tournament.store.database import now

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])

folder_argument = click.argument("folder", type=click.Path(path_type=Path, file_okay=False))


def only_option(function: AnyFunction) -> AnyFunction:
    """`--only`."""
    return click.option("--only", default="", metavar="SLUG", help="This assignment alone, such as bo.")(function)


@dataclass(frozen=True, slots=True)
class LoadedFolder:
    """A course folder that was read: its files by path, the assignments without errors that were asked for, and what is
    wrong with any of it."""

    files: Mapping[str, bytes]
    course: CourseFolder
    assignments: Mapping[str, Definition]
    problems: Sequence[Problem]

    @property
    def settings(self) -> CourseSettings:
        """What course.toml says. Raises CourseError if it is wrong."""
        if self.course.settings is None:
            raise CourseError(problem for problem in self.problems if problem.file == COURSE)
        return self.course.settings


def load_folder(folder: Path, only: str, games: PackagedGames) -> LoadedFolder:
    """Read a course folder; `games` are those that are not built in. Raises BadInput if it cannot be read at all, or
    has no assignment called `only`."""
    try:
        files = read_files(folder)
    except CourseError as error:
        raise BadInput(str(error)) from error
    course = read_course(files, folder.resolve().name, games)
    inside = assignments_of(files)
    if only and only not in inside:
        raise BadInput(unknown(f"there is no assignment {only!r} in {folder}", only, inside))
    problems = list(course.problems)
    for slug, definition in course.assignments.items():
        found = warnings(inside[slug], definition, course.zone, now())
        problems += [problem.inside(f"{ASSIGNMENTS}/{slug}") for problem in found if only in ("", slug)]
    if not inside:
        problems.append(Problem(ASSIGNMENTS, 0, "There is no assignment: each has a folder here with assignment.toml."))
    chosen = {slug: each for slug, each in course.assignments.items() if only in ("", slug)}
    return LoadedFolder(files, course, chosen, sorted(problems))


def errors_in(problems: Sequence[Problem], only: str) -> list[Problem]:
    """The errors, without warnings and, if `only` one assignment was asked for, without those of the others."""
    own = f"{ASSIGNMENTS}/{only}/"
    errors = [problem for problem in problems if not problem.warning]
    return [each for each in errors if not only or each.file == COURSE or each.file.startswith(own)]


def tell_problems(problems: Sequence[Problem]) -> None:
    """Print problems, one in a line, in the form that editors understand."""
    for problem in sorted(problems):
        say(str(problem), err=True, colour="yellow" if problem.warning else "red")
