"""`quadrille course init`, `check` and `add-problem`: a course folder, without an installation."""

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from time import monotonic
from types import MappingProxyType
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
from deploy.cli.errors import FAULTY, BadInput, Cannot
from grader.author_code.authored import AuthorError
from grader.authoring.check import Checked, make_outputs, programs_of
from grader.authoring.check import check as check_definition
from grader.authoring.course_folder.course import ASSIGNMENTS, assignments_of, read_course, scaffold
from grader.authoring.course_folder.files import read_files, write_files
from grader.authoring.course_folder.layout import NO_GAMES, PackagedGames
from grader.authoring.course_folder.problems import Problem
from grader.authoring.course_folder.programs import missing_outputs
from grader.authoring.papers import CaseSets
from grader.authoring.problem_packages.contents import PackageContents, read_contents
from grader.authoring.problem_packages.importing import (
    ImportedProblem,
    time_accepted,
    to_question,
    with_question,
)
from grader.authoring.problem_packages.package import PackageError, open_package
from grader.definition.model import Definition
from grader.definition.question import ProgramQuestion
from grader.languages import LANGUAGES
from grader.programs.jails import Jails, kept_objects
from sandbox import patterns
from sandbox.api import SandboxError
from sandbox.choose import open_sandbox
from sandbox.programs import ProgramSandbox
from tournament.play.games import GAMES
from tournament.store.validation import by_field
from web.site.text import count, duration


@click.command()
@folder_argument
@click.option("--title", default="", help="The course's title; the folder's name by default.")
@time_zone_option
@click.option(
    "--game", default="bo", type=click.Choice([*GAMES]), help="The game of the first assignment; bo by default."
)
@json_option
def init(folder: Path, title: str, time_zone: str, game: str, as_json: bool) -> None:
    """Create a course in FOLDER, with an assignment for a game and a small problem set, for you to change."""
    if folder.is_dir() and any(folder.iterdir()):
        raise BadInput(f"{folder} is not empty; name a new folder")
    slug = patterns.compile("[^a-z0-9]+").sub("-", folder.resolve().name.lower()).strip("-")
    if not slug:
        raise BadInput(f"{folder.name!r} cannot be part of an address; name the folder as in comp10001-2027")
    try:
        files = scaffold(slug, title or slug, time_zone, game)
    except ValidationError as error:
        raise BadInput("; ".join(f"{name}: {text}" for name, text in by_field(error).items())) from error
    write_into(folder, files)
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
    """Check the course in FOLDER: every file, the cases, the solutions, the starter and the players in `submissions`.

    The check needs no installation. Programs are compiled and run in the sandbox, even with --trusted; where the
    expected output of a case is missing, --write-outputs writes the output of the solution. Games in the folder `games`
    are checked as by `quadrille game check`: their rules run with your permissions, everything else in the sandbox. The
    exit code is 1 if there are errors; warnings are only shown.
    """
    with telling("Checking") as tell:
        games, flaws = use_own_games(folder, tell)
    with internal_errors(), for_programs() as programs, sandboxed(trusted, [str(folder)]) as sandbox:
        if write_outputs:
            flaws = [*flaws, *write_missing(folder, only, games, programs)]
        loaded = load_folder(folder, only, games)
        checked = check_all(loaded, Jails(lambda: sandbox, lambda: sandbox, programs, objects=kept_objects()))
    found = [problem for each in checked.values() for problem in each.problems]
    problems = [*flaws, *loaded.problems, *found]
    if as_json:
        say_json(as_data(problems, checked) | {"ok": not errors_in(problems, only)})
    else:
        tell_problems(problems)
        for slug, each in checked.items():
            if not each.problems:
                cases = count(sum(each.counts.values()), "hidden case")
                summary = f"{ASSIGNMENTS}/{slug}: {count(len(each.counts), 'question')}, {cases}, no errors."
                say("\n".join([summary, *each.notes]))
    if errors_in(problems, only):
        raise SystemExit(FAULTY)


@dataclass(slots=True)
class Pace:
    """The progress of a check in `parts`, and an estimate of the time left, which assumes that all parts take equally
    long."""

    parts: int
    began: float = field(default_factory=monotonic)
    met: set[str] = field(default_factory=set)

    def said(self, what: str) -> str:
        """Return the present step, such as `uno: q1, solution: compiling`, with the progress and the time left. The
        text before the second colon names the part."""
        self.met.add(":".join(what.split(":")[:2]))
        at = len(self.met)
        parts = max(self.parts, at)
        left_s = (monotonic() - self.began) / (at - 1) * (parts - at + 1) if at > 1 else 0
        left = f", about {duration(left_s)} left" if left_s else ""
        return f"{what} (part {at} of {parts}{left})"


def _parts_to_check(definition: Definition) -> int:
    """Return the number of parts that a check goes through: questions, submissions and, for questions that ask for a
    program, the solution, the starter and the author's other programs."""
    programs = [each for each in definition.questions if isinstance(each, ProgramQuestion) and each.solution]
    return (
        len(definition.functions)
        + len(definition.submissions)
        + sum(1 + bool(each.given) + len(programs_of(each)) for each in programs)
    )


def check_all(loaded: LoadedFolder, jails: Jails, known: CaseSets | None = None) -> dict[str, Checked]:
    """Check each assignment. Returns the results, with file paths as in the course folder. Case sets in `known` are not
    generated again."""
    by_slug, pace = {}, Pace(sum(map(_parts_to_check, loaded.assignments.values())))
    with telling("Checking") as tell:
        for slug, definition in loaded.assignments.items():

            def saying(what: str, slug: str = slug) -> None:
                tell(pace.said(f"{slug}: {what}"))

            checked = check_definition(definition, replace(jails, working=saying), known, saying)
            problems = [each.inside(f"{ASSIGNMENTS}/{slug}") for each in checked.problems]
            by_slug[slug] = replace(checked, problems=problems)
    return by_slug


def as_data(problems: Sequence[Problem], checked: Mapping[str, Checked]) -> dict[str, Any]:
    """Return the results of a check as plain data."""
    return {
        "problems": [asdict(problem) for problem in sorted(problems)],
        "assignments": {
            slug: {"hidden_cases": dict(each.counts), "notes": list(each.notes)} for slug, each in checked.items()
        },
    }


def write_missing(
    folder: Path, only: str, games: PackagedGames, programs: Callable[[], ProgramSandbox]
) -> Iterator[Problem]:
    """Write the missing outputs and print their paths; yield the problems that prevented other outputs. Raises
    CourseError, BadInput and SandboxError."""
    files = read_files(folder)
    missing = {
        slug: _cases_without_output(inside) for slug, inside in assignments_of(files).items() if only in ("", slug)
    }
    empty = {f"{ASSIGNMENTS}/{slug}/{path}": b"" for slug, paths in missing.items() for path in paths}
    course = read_course({**files, **empty}, folder.resolve().name, games)
    for slug, paths in missing.items():
        if paths and slug in course.assignments:  # the check reports the errors of this assignment
            made, problems = _make_outputs(course.assignments[slug], paths, programs)
            found = {f"{ASSIGNMENTS}/{slug}/{path}": text.encode() for path, text in made.items()}
            for path in write_into(folder, found):
                say(f"Written: {path}", err=True)
            yield from (problem.inside(f"{ASSIGNMENTS}/{slug}") for problem in problems)


def _cases_without_output(inside: Mapping[str, bytes]) -> list[str]:
    folders = {"/".join(path.split("/")[:2]) for path in inside if path.startswith("questions/")}
    return [path for folder in sorted(folders) for path in missing_outputs(inside, folder)]


def _make_outputs(
    definition: Definition, paths: list[str], programs: Callable[[], ProgramSandbox]
) -> tuple[dict[str, str], list[Problem]]:
    """Generate the outputs, by the paths of their files in the assignment's folder, and return them with the
    problems."""
    found: dict[str, str] = {}
    problems: list[Problem] = []
    with telling("Making outputs") as tell:
        for question in definition.questions:
            mine = {Path(path).stem: path for path in paths if path.startswith(f"questions/{question.slug}/")}
            if not mine or not isinstance(question, ProgramQuestion):
                continue
            outputs, wrong = make_outputs(question, mine, Jails(programs=programs), tell)
            found |= {mine[slug]: text for slug, text in outputs.items()}
            problems += wrong
    return found, problems


def write_into(
    folder: Path, files: Mapping[str, bytes], former: Mapping[str, bytes] = MappingProxyType({})
) -> list[str]:
    """Replace the `former` files with these, and return the paths of those that changed. Raises BadInput."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return write_files(folder, files, former)
    except OSError as error:
        raise BadInput(f"{folder}: {error.strerror}") from error


@click.command("add-problem")
@click.argument("package", type=click.Path(path_type=Path, exists=True))
@click.option(
    "--course",
    "folder",
    default=Path("."),
    type=click.Path(path_type=Path, file_okay=False),
    help="The course folder; this one by default.",
)
@click.option(
    "--assignment",
    default="",
    metavar="SLUG",
    help="The assignment, created if it does not exist. By default, a new assignment with only this problem.",
)
@click.option(
    "--language",
    default="",
    type=click.Choice(["", *LANGUAGES]),
    metavar=f"[{'|'.join(LANGUAGES)}]",
    help="The language of students' programs; by default the language of most accepted submissions.",
)
@json_option
def add_problem(package: Path, folder: Path, assignment: str, language: str, as_json: bool) -> None:
    """Create a question from PACKAGE, a problem package in the formats of Kattis and ICPC: a folder or a zip.

    Its files are written into the course folder. Interactive problems, and problems scored by their own grader, are
    refused. Parts of the package that a question cannot have are left out and listed.
    """
    imported = _read_problem(package, language)
    assignment = assignment or imported.question.slug
    loaded = load_folder(folder, "", NO_GAMES)
    _ = loaded.settings
    fresh = with_question(loaded.files, loaded.course, assignment, imported.question)
    write_into(folder, fresh, {path: content for path, content in loaded.files.items() if path in fresh})
    if as_json:
        taken = {"taken_over": imported.taken, "left_out": imported.left_out}
        say_json({"assignment": assignment, "question": imported.question.slug, "files": sorted(fresh), **taken})
        return
    question, files = imported.question, count(len(fresh), "file")
    say(f"Added “{question.title}” to {ASSIGNMENTS}/{assignment} as the question {question.slug}: {files}.")
    for heading, lines in {"Taken over": imported.taken, "Left out or changed": imported.left_out}.items():
        if lines:
            say("\n".join([f"{heading}:", *(f"  {line}" for line in lines)]))
    say("Read what is in text.md, then check the question:", err=True)
    say(f"  quadrille course check {shlex.quote(str(folder))} --only {assignment}", err=True)


def _read_problem(path: Path, language: str) -> ImportedProblem:
    """Read a problem package. Raises BadInput."""
    try:
        package = open_package(path)
        slug = patterns.compile("[^a-z0-9]+").sub("-", package.name.lower()).strip("-")[:40].rstrip("-")
        if not slug:
            raise PackageError(f"{package.name!r} cannot be part of an address; name the package as in two-sums.")
        contents = read_contents(package)
        imported = to_question(contents, slug, language)
        if contents.metadata.limits.time_limit is not None or not contents.accepted:
            return imported
        slowest_s, failed = _timed(contents)
        imported = to_question(contents, slug, language, slowest_s)
        return replace(imported, left_out=(*imported.left_out, *failed))
    except (PackageError, AuthorError) as error:
        raise BadInput(f"{path}: {error}") from error


def _timed(contents: PackageContents) -> tuple[float | None, tuple[str, ...]]:
    """Measure how long the accepted submissions take. Without a sandbox, print that and return no measurement."""
    try:
        with telling("Timing") as tell, for_programs() as programs:
            return time_accepted(contents, Jails(programs=programs, authors=open_sandbox, objects=kept_objects()), tell)
    except (Cannot, SandboxError) as error:
        say(f"The accepted submissions were not timed: {error}", err=True, colour="yellow")
        return None, ()
