"""`quadrille course add-problem`: a problem package as a question of a course folder."""

import shlex
from dataclasses import replace
from pathlib import Path

import click

from deploy.cli.common import for_programs, json_option, say, say_json, telling
from deploy.cli.course.reading import load_folder
from deploy.cli.errors import BadInput, Cannot
from grader.author_code.authored import AuthorError
from grader.authoring.course_folder.course import ASSIGNMENTS
from grader.authoring.course_folder.files import write_files
from grader.authoring.course_folder.problems import CourseError
from grader.authoring.course_folder.surroundings import NO_GAMES
from grader.authoring.problem_packages.contents import PackageContents, read_contents
from grader.authoring.problem_packages.importing import (
    ImportedProblem,
    Timing,
    time_accepted,
    to_question,
    with_question,
)
from grader.authoring.problem_packages.package import PackageError, open_package
from grader.languages import LANGUAGES
from grader.programs.jails import Jails, kept_objects
from sandbox import patterns
from sandbox.api import SandboxError
from sandbox.choose import open_sandbox
from web.site.text import count


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
    help="The assignment, made if it is new; one for this problem alone by default.",
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
    """Make a question of PACKAGE, a problem package in the formats of Kattis and ICPC: a folder or a zip.

    Its files are written into the course folder. Interactive problems and scores of an own grader are refused. What the
    question cannot have is left out and named.
    """
    imported = _imported(package, language)
    assignment = assignment or imported.question.slug
    try:
        loaded = load_folder(folder, "", NO_GAMES)
        _ = loaded.settings
        fresh = with_question(loaded.files, loaded.course, assignment, imported.question)
        write_files(folder, fresh, {path: content for path, content in loaded.files.items() if path in fresh})
    except CourseError as error:
        raise BadInput(str(error)) from error
    except OSError as error:
        raise BadInput(f"{folder}: {error.strerror}") from error
    if as_json:
        taken = {"taken_over": imported.taken, "left_out": imported.left_out}
        say_json({"assignment": assignment, "question": imported.question.slug, "files": sorted(fresh), **taken})
        return
    _tell(imported, f"{ASSIGNMENTS}/{assignment}", len(fresh))
    say(f"  quadrille course check {shlex.quote(str(folder))} --only {assignment}", err=True)


def _imported(path: Path, language: str) -> ImportedProblem:
    """Raises BadInput."""
    try:
        package = open_package(path)
        slug = patterns.compile("[^a-z0-9]+").sub("-", package.name.lower()).strip("-")[:40].rstrip("-")
        if not slug:
            raise PackageError(f"{package.name!r} cannot be part of an address; name the package as in two-sums.")
        contents = read_contents(package)
        imported = to_question(contents, slug, language)
        if contents.metadata.limits.time_limit is not None or not contents.accepted:
            return imported
        timing = _timed(contents)
        imported = to_question(contents, slug, language, timing.slowest_s)
        return replace(imported, left_out=(*imported.left_out, *timing.failed))
    except (PackageError, AuthorError) as error:
        raise BadInput(f"{path}: {error}") from error


def _timed(contents: PackageContents) -> Timing:
    """How long the accepted submissions take; nothing where there is no sandbox, with a word about it."""
    try:
        with telling("Timing") as tell, for_programs() as programs:
            return time_accepted(contents, Jails(programs=programs, authors=open_sandbox, objects=kept_objects()), tell)
    except (Cannot, SandboxError) as error:
        say(f"The accepted submissions were not timed: {error}", err=True, colour="yellow")
        return Timing(None, ())


def _tell(imported: ImportedProblem, place: str, files: int) -> None:
    question = imported.question
    say(f"Added “{question.title}” to {place} as the question {question.slug}: {count(files, 'file')}.")
    for heading, lines in {"Taken over": imported.taken, "Left out or changed": imported.left_out}.items():
        if lines:
            say("\n".join([f"{heading}:", *(f"  {line}" for line in lines)]))
    say("Read what is in text.md, then check the question:", err=True)
