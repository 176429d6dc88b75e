"""Writes the expected outputs of programs' cases that a course folder lacks, as the solutions print them."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from deploy.cli.common import say
from deploy.cli.errors import BadInput
from deploy.cli.progress import telling
from grader.authoring.course_folder.course import ASSIGNMENTS, assignments_of, read_course
from grader.authoring.course_folder.files import read_files, write_files
from grader.authoring.course_folder.games import PackagedGames
from grader.authoring.course_folder.problems import CourseError, Problem
from grader.authoring.course_folder.program_cases import missing_outputs
from grader.authoring.outputs import make_outputs
from grader.definition.model import Definition
from grader.definition.programs import ProgramQuestion
from grader.programs.jails import ProgramJails
from sandbox.api import Sandbox, SandboxError
from sandbox.programs import ProgramSandbox


def write_missing(
    folder: Path, only: str, games: PackagedGames, programs: Callable[[], ProgramSandbox]
) -> Iterator[Problem]:
    """Write them, and say which; yields why others could not be made. Raises BadInput and SandboxError."""
    try:
        files = read_files(folder)
    except CourseError as error:
        raise BadInput(str(error)) from error
    missing = {slug: _missing(inside) for slug, inside in assignments_of(files).items() if only in ("", slug)}
    empty = {f"{ASSIGNMENTS}/{slug}/{path}": b"" for slug, paths in missing.items() for path in paths}
    course = read_course({**files, **empty}, folder.resolve().name, games)
    for slug, paths in missing.items():
        if paths and slug in course.assignments:  # the check reports an assignment with errors
            made, problems = _made(course.assignments[slug], paths, programs)
            found = {f"{ASSIGNMENTS}/{slug}/{path}": text.encode() for path, text in made.items()}
            for path in _written(folder, found):
                say(f"Written: {path}", err=True)
            yield from (problem.inside(f"{ASSIGNMENTS}/{slug}") for problem in problems)


def _missing(inside: Mapping[str, bytes]) -> list[str]:
    folders = {"/".join(path.split("/")[:2]) for path in inside if path.startswith("questions/")}
    return [path for folder in sorted(folders) for path in missing_outputs(inside, folder)]


def _made(
    definition: Definition, paths: list[str], programs: Callable[[], ProgramSandbox]
) -> tuple[dict[str, str], list[Problem]]:
    """The outputs by the paths of their files in the assignment's folder."""
    found: dict[str, str] = {}
    problems: list[Problem] = []
    with telling("Making outputs") as tell:
        for question in definition.questions:
            mine = {Path(path).stem: path for path in paths if path.startswith(f"questions/{question.slug}/")}
            if not mine or not isinstance(question, ProgramQuestion):
                continue
            made = make_outputs(question, mine, ProgramJails(programs(), _no_authors), tell)
            found |= {mine[slug]: text for slug, text in made.outputs.items()}
            problems += made.problems
    return found, problems


def _no_authors() -> Sandbox:
    raise SandboxError("no checker is asked while outputs are made")


def _written(folder: Path, files: Mapping[str, bytes]) -> list[str]:
    try:
        return write_files(folder, files, {})
    except OSError as error:
        raise BadInput(f"{folder}: {error.strerror}") from error
