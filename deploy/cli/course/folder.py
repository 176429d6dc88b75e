"""`quadrille course init` and `check`: a course folder, without an installation."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import click
from pydantic import ValidationError

from deploy.cli.common import (
    for_programs,
    internal_errors,
    json_option,
    sandboxed,
    say,
    say_json,
    telling,
    trusted_option,
)
from deploy.cli.course.people import time_zone_option
from deploy.cli.course.reading import (
    LoadedFolder,
    errors_in,
    folder_argument,
    load_folder,
    only_option,
    tell_problems,
    use_own_games,
)
from deploy.cli.errors import FAULTY, BadInput
from grader.authoring.check import Checked
from grader.authoring.check import check as check_definition
from grader.authoring.course_folder.course import ASSIGNMENTS, assignments_of, read_course, scaffold
from grader.authoring.course_folder.files import read_files, write_files
from grader.authoring.course_folder.problems import CourseError, Problem
from grader.authoring.course_folder.programs import missing_outputs
from grader.authoring.course_folder.surroundings import PackagedGames
from grader.authoring.papers import CaseSets
from grader.authoring.program_check import make_outputs
from grader.definition.model import Definition
from grader.definition.question import ProgramQuestion
from grader.programs.jails import Jails, kept_objects
from sandbox import patterns
from sandbox.programs import ProgramSandbox
from tournament.play.games import GAMES
from tournament.store.validation import by_field
from web.site.text import count


@click.command()
@folder_argument
@click.option("--title", default="", help="The course's title; the folder's name by default.")
@time_zone_option
@click.option("--game", default="bo", type=click.Choice([*GAMES]), help="The first assignment's; bo by default.")
@json_option
def init(folder: Path, title: str, time_zone: str, game: str, as_json: bool) -> None:
    """Make a course in FOLDER, with an assignment for a game and a small problem set, to be changed."""
    if folder.is_dir() and any(folder.iterdir()):
        raise BadInput(f"{folder} is not empty; name a new folder")
    slug = patterns.compile("[^a-z0-9]+").sub("-", folder.resolve().name.lower()).strip("-")
    if not slug:
        raise BadInput(f"{folder.name!r} cannot be part of an address; name the folder as in comp10001-2027")
    try:
        files = scaffold(slug, title or slug, time_zone, game)
        write_files(folder, files, {})
    except ValidationError as error:
        raise BadInput("; ".join(f"{name}: {text}" for name, text in by_field(error).items())) from error
    except OSError as error:
        raise BadInput(f"{folder}: {error.strerror}") from error
    if as_json:
        say_json({"course": slug, "files": sorted(files)})
    say(f"Made {folder} with {count(len(files), 'file')}. What to do next:", err=True)
    say(f"  change the files, then: quadrille course check {folder}", err=True)
    say(f"  on the installation: quadrille course push {folder}", err=True)


@click.command()
@folder_argument
@only_option
@click.option("--write-outputs", is_flag=True, help="First write the expected outputs that are missing.")
@json_option
@trusted_option
def check(folder: Path, only: str, write_outputs: bool, as_json: bool, trusted: bool) -> None:
    """Check the course in FOLDER: every file, the cases, the solutions, the starter and what is in submissions.

    It needs no installation. Programs are compiled and run in the sandbox, even with --trusted; where the expected
    output of a case is missing, --write-outputs writes what the solution prints. Games in the folder `games` are
    checked as by `quadrille game check`: their rules run with your permissions, all else in the sandbox. The exit code
    is 1 if there are errors; warnings are only shown.
    """
    with telling("Checking") as tell:
        games, flaws = use_own_games(folder, tell)
    with internal_errors(), for_programs() as programs, sandboxed(trusted, [str(folder)]) as sandbox:
        if write_outputs:
            flaws = [*flaws, *write_missing(folder, only, games, programs)]
        loaded = load_folder(folder, only, games)
        checked = check_all(loaded, Jails(lambda: sandbox, lambda: sandbox, programs, objects=kept_objects()))
    found = [problem for each in checked.values() for problem in (*each.problems, *each.warnings)]
    problems = [*flaws, *loaded.problems, *found]
    if as_json:
        say_json(as_data(problems, checked) | {"ok": not errors_in(problems, only)})
    else:
        tell_problems(problems)
        for slug, each in checked.items():
            if not each.problems:
                say("\n".join([f"{ASSIGNMENTS}/{slug}: {_summary(each.counts)}", *each.notes]))
    if errors_in(problems, only):
        raise SystemExit(FAULTY)


def check_all(loaded: LoadedFolder, jails: Jails, known: CaseSets | None = None) -> dict[str, Checked]:
    """What the check of each assignment found, with the paths of files in the course folder. `known` case sets are not
    made again."""
    found = {}
    with telling("Checking") as tell:
        for slug, definition in loaded.assignments.items():
            saying = partial(_tell, tell, slug)
            checked = check_definition(definition, replace(jails, working=saying), known, saying)
            inside = (
                [problem.inside(f"{ASSIGNMENTS}/{slug}") for problem in each]
                for each in (checked.problems, checked.warnings)
            )
            found[slug] = replace(checked, problems=next(inside), warnings=next(inside))
    return found


def _tell(tell: Callable[[str], None], slug: str, what: str) -> None:
    tell(f"{slug}: {what}")


def as_data(problems: Sequence[Problem], checked: Mapping[str, Checked]) -> dict[str, Any]:
    """What a check found, as plain data."""
    return {
        "problems": [asdict(problem) for problem in sorted(problems)],
        "assignments": {
            slug: {"hidden_cases": dict(each.counts), "notes": list(each.notes)} for slug, each in checked.items()
        },
    }


def _summary(counts: Mapping[str, int]) -> str:
    cases = count(sum(counts.values()), "hidden case")
    return f"{count(len(counts), 'question')}, {cases}, no errors."


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
            made = make_outputs(question, mine, Jails(programs=programs), tell)
            found |= {mine[slug]: text for slug, text in made.outputs.items()}
            problems += made.problems
    return found, problems


def _written(folder: Path, files: Mapping[str, bytes]) -> list[str]:
    try:
        return write_files(folder, files, {})
    except OSError as error:
        raise BadInput(f"{folder}: {error.strerror}") from error
