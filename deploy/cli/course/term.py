"""`quadrille course copy`: a course for a new term."""

from collections.abc import Mapping
from pathlib import Path

import click
import tomlkit
from tomlkit.exceptions import TOMLKitError

from deploy import courses
from deploy.cli.common import data_option, json_option, say, say_json
from deploy.cli.errors import BadInput
from deploy.cli.installation.database import storing
from deploy.settings import Settings, load
from grader.authoring.course_folder.course import ASSIGNMENTS, COURSE, assignments_of
from grader.authoring.course_folder.files import gathered, is_hidden, walk, write_files
from grader.authoring.course_folder.layout import DATES, SETTINGS
from grader.authoring.course_folder.problems import CourseError, Problem
from grader.authoring.versions import live, publish
from grader.store.models import Assignment
from web.assignment.pushing import published


@click.command()
@click.argument("source")
@click.argument("target")
@click.option("--title", default="", help="The new course's title; the same by default.")
@click.option("--term", default="", help="The new course's term, such as “Semester 1, 2027”.")
@json_option
@data_option
def copy(source: str, target: str, title: str, term: str, as_json: bool, data: Path | None) -> None:
    """Make a course for a new term: everything of SOURCE, without people, submissions and dates.

    Both are folders, or both are slugs of courses on the installation.
    """
    is_folder = (Path(source) / COURSE).is_file()
    if is_folder:
        slugs = _copy_folder(Path(source), Path(target), title, term)
    else:
        slugs = _copy_course(load(data), source, target, title, term)
    if as_json:
        say_json({"course": target, "assignments": slugs})
        return
    say(f"Copied {', '.join(slugs) or 'a course without assignments'}.")
    say("No assignment has dates yet: each can be seen as soon as the course has students.", err=True)


def _copy_folder(source: Path, target: Path, title: str, term: str) -> list[str]:
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise BadInput(f"{target} exists already; name a new folder")
    try:
        files = all_files(source)
        found = for_a_new_term(files, target.resolve().name, title, term)
        write_files(target, found, {})
    except CourseError as error:
        raise BadInput(str(error)) from error
    except OSError as error:
        raise BadInput(f"{target}: {error.strerror}") from error
    return [*assignments_of(found)]


def _copy_course(settings: Settings, source: str, target: str, title: str, term: str) -> list[str]:
    with storing(settings) as session:
        old = courses.find_course(session, source)
        new = courses.new_course(session, target, title or old.title, [])
        new.time_zone, new.term = old.time_zone, term
        found = published(session, old)
        for slug, assignment in found.items():
            fresh = Assignment(course_id=new.id, slug=slug, title=assignment.title, game="")
            session.add(fresh)
            session.flush()
            undated = {"visible_from": None, "due_at": None, "section_dates": None}
            publish(session, fresh, live(session, assignment).model_copy(update=undated), by=None, base=0)
        return [*found]


def all_files(folder: Path) -> dict[str, bytes]:
    """Every file in a course folder by path, also those that belong to no assignment; hidden ones, such as git's, are
    left out. Raises CourseError and OSError."""
    ours = ((path, file) for path, file in walk(folder) if not is_hidden(path))
    return gathered((path, file.read_bytes()) for path, file in ours if file.is_file() and not file.is_symlink())


def for_a_new_term(files: Mapping[str, bytes], slug: str, title: str, term: str) -> dict[str, bytes]:
    """The files of a course, as those of another: without dates, and with that slug, term and title (the same if it is
    empty). Comments stay. Raises CourseError for a file that is not TOML."""
    found = dict(files)
    for path in files:
        parts = path.split("/")
        if parts[0] == ASSIGNMENTS and parts[2:] == [SETTINGS]:
            found[path] = _changed(path, files[path], dict.fromkeys(DATES))
    found[COURSE] = _changed(COURSE, files[COURSE], {"slug": slug, "term": term} | ({"title": title} if title else {}))
    return found


def _changed(path: str, content: bytes, values: Mapping[str, str | None]) -> bytes:
    """A TOML file with these values at its top; None removes one."""
    try:
        document = tomlkit.parse(content.decode("utf-8-sig"))
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise CourseError([Problem(path, 0, f"This is not TOML: {error}")]) from None
    for name, value in values.items():
        if value is not None:
            document[name] = value
        elif name in document:
            document.remove(name)
    return tomlkit.dumps(document).encode()
