"""Commands for courses and people: new, add, password, disconnect, remove-factor and copy."""

import csv
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import tomlkit
from tomlkit.exceptions import TOMLKitError

from deploy import courses, machine
from deploy.cli.common import data_option, game_named, json_option, read_file, say, say_json
from deploy.cli.errors import BadInput
from deploy.cli.installation.database import storing
from deploy.settings import Settings, load
from grader.authoring.course_folder.course import ASSIGNMENTS, COURSE, assignments_of
from grader.authoring.course_folder.files import gathered, is_hidden, walk, write_files
from grader.authoring.course_folder.layout import DATES, SETTINGS
from grader.authoring.course_folder.problems import CourseError, Problem
from grader.authoring.versions import live, publish
from grader.definition.local_times import find_zone
from grader.store.models import Assignment
from sandbox.api import SentBytes
from tournament.games.api import Game
from tournament.play.games import GAMES
from web.assignment.pushing import published_assignments
from web.people.enrolment import enrol, plan_for, refuse_wrong
from web.site.people_file import decode, read_people


def known_zone(_context: click.Context, _option: click.Parameter, name: str | None) -> str:
    """Return the official spelling of the time zone's name, or this machine's time zone if no name is given. Raises
    UnknownZone."""
    return find_zone(machine.time_zone() if name is None else name).key


time_zone_option = click.option(
    "--time-zone",
    callback=known_zone,
    metavar="ZONE",
    help="Time zone of the course's dates, e.g. Australia/Melbourne. By default this machine's.",
)


def find_games(_ctx: click.Context, _param: click.Parameter, names: tuple[str, ...]) -> Sequence[Game[Any]]:
    """Return the games with these names, without duplicates. Raises BadInput, also if no game is named."""
    if not names:
        raise BadInput(f"name at least one game, e.g. --game {next(iter(GAMES))}")
    games = {name: game_named(name) for name in names}
    twice = [slug for slug, count in Counter(game.slug for game in games.values()).items() if count > 1]
    if twice:
        raise BadInput(f"a course has one assignment for {twice[0]} when it is created: name that game once")
    return [*games.values()]


@click.command()
@click.argument("slug")
@click.argument("title")
@click.option(
    "--game",
    "games",
    multiple=True,
    callback=find_games,
    help=f"Create an assignment for this game: {', '.join(GAMES)}. May be repeated.",
)
@time_zone_option
@data_option
def new(slug: str, title: str, games: Sequence[Game[Any]], time_zone: str, data: Path | None) -> None:
    """Create the course TITLE, called SLUG in addresses, with an assignment for each --game."""
    with storing(load(data)) as session:
        courses.new_course(session, slug, title, games, time_zone)
    click.echo(f"Created {title}, with {', '.join(game.title for game in games)}.", err=True)
    click.echo(f"Its dates are in the time zone {time_zone}. Instructors can change it on the settings page.", err=True)
    click.echo(f"To add people: quadrille course add {slug} people.csv", err=True)


@click.command()
@click.argument("slug")
@click.argument("people")
@data_option
def add(slug: str, people: str, data: Path | None) -> None:
    """Add the people in the CSV file PEOPLE to the course SLUG, and print the passwords of new accounts as CSV.

    The first line names the columns: login,name and optionally role (student or instructor), pseudonym, student_number,
    email, section and group. The files that Canvas, Moodle, Brightspace and Blackboard export can be used as they are.
    For people who are already in the course, only the last four columns are updated, so you can add lines to a file and
    use it again. If one line is wrong, nobody is added. Instructors can also do this on the course's People page.
    """
    sheet = read_people(decode(SentBytes(read_file(people))))
    with storing(load(data)) as session:
        course = courses.find_course(session, slug)
        plan = plan_for(session, course, sheet)
        refuse_wrong(plan.wrong)
        passwords = enrol(session, course, plan)
    csv.writer(sys.stdout, lineterminator="\n").writerows([("login", "password"), *passwords.items()])
    known = len(plan.joining) + len(plan.members) + len(plan.updating)
    click.echo(
        f"New accounts: {len(passwords)}; existing: {known}. Each password is for the first sign-in only.", err=True
    )
    for person in plan.removed:
        click.echo(f"{person.login} was removed from the course before; an instructor can restore them.", err=True)


@click.command()
@click.argument("login")
@data_option
def password(login: str, data: Path | None) -> None:
    """Print a new one-time password for LOGIN. This ends their sessions and API tokens."""
    with storing(load(data)) as session:
        fresh = courses.new_password(session, login)
    click.echo(fresh)


@click.command()
@click.argument("login")
@data_option
def disconnect(login: str, data: Path | None) -> None:
    """End the connections of the account LOGIN with single sign-on providers, and all its sessions.

    If the settings trust the provider's logins or student numbers, the next person whom the provider signs in with
    LOGIN, or with the account's student number, gets the account. Otherwise LOGIN needs a password: quadrille course
    password.
    """
    with storing(load(data)) as session:
        ended = courses.disconnect(session, login)
    click.echo(f"Ended: {', '.join(ended)}" if ended else f"{login} was not connected with any provider.")


@click.command()
@click.argument("login")
@data_option
def remove_factor(login: str, data: Path | None) -> None:
    """Remove the second factor of LOGIN, who has lost it, and end their sessions. First make sure that the request
    comes from the owner of the account."""
    with storing(load(data)) as session:
        gone = courses.remove_factor(session, login)
    click.echo("Removed: the password alone signs in." if gone else f"{login} has no second factor.")


@click.command()
@click.argument("source")
@click.argument("target")
@click.option("--title", default="", help="The new course's title; the same by default.")
@click.option("--term", default="", help="The new course's term, such as “Semester 1, 2027”.")
@json_option
@data_option
def copy(source: str, target: str, title: str, term: str, as_json: bool, data: Path | None) -> None:
    """Create a course for a new term, with everything in SOURCE except people, submissions and dates.

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
    except OSError as error:
        raise BadInput(f"{target}: {error.strerror}") from error
    return [*assignments_of(found)]


def _copy_course(settings: Settings, source: str, target: str, title: str, term: str) -> list[str]:
    with storing(settings) as session:
        old = courses.find_course(session, source)
        new = courses.new_course(session, target, title or old.title, [])
        new.time_zone, new.term = old.time_zone, term
        found = published_assignments(session, old)
        for slug, assignment in found.items():
            fresh = Assignment(course_id=new.id, slug=slug, title=assignment.title, game="")
            session.add(fresh)
            session.flush()
            undated = {"visible_from": None, "due_at": None, "section_dates": None}
            publish(session, fresh, live(session, assignment).model_copy(update=undated), by=None, base=0)
        return [*found]


def all_files(folder: Path) -> dict[str, bytes]:
    """Return every file in a course folder by path, including files that belong to no assignment; hidden files, such as
    git's, are left out. Raises CourseError and OSError."""
    ours = ((path, file) for path, file in walk(folder) if not is_hidden(path))
    return gathered((path, file.read_bytes()) for path, file in ours if file.is_file() and not file.is_symlink())


def for_a_new_term(files: Mapping[str, bytes], slug: str, title: str, term: str) -> dict[str, bytes]:
    """Return the files of a course, converted for another course: without dates, and with that slug, term and title (an
    empty title keeps the old title). Comments stay. Raises CourseError for a file that is not TOML."""
    found = dict(files)
    for path in files:
        parts = path.split("/")
        if parts[0] == ASSIGNMENTS and parts[2:] == [SETTINGS]:
            found[path] = _changed(path, files[path], dict.fromkeys(DATES))
    found[COURSE] = _changed(COURSE, files[COURSE], {"slug": slug, "term": term} | ({"title": title} if title else {}))
    return found


def _changed(path: str, content: bytes, values: Mapping[str, str | None]) -> bytes:
    """Return the TOML file with these values set at its top level; None removes a value."""
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
