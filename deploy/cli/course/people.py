"""`quadrille course new`, `add` and `password`."""

import csv
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from deploy import courses
from deploy.cli.common import data_option, game_named, read_file
from deploy.cli.course.zone import time_zone_option
from deploy.cli.errors import BadInput
from deploy.cli.installation.database import storing
from deploy.settings import load
from sandbox.api import SentBytes
from tournament.games.api import Game
from tournament.play.games import GAMES
from web.people.enrolment import enrol, plan_for, refuse_wrong
from web.people.people_file import decode, read_people


def find_games(_ctx: click.Context, _param: click.Parameter, names: tuple[str, ...]) -> Sequence[Game[Any]]:
    """The games of these names, each once. Raises BadInput, also if no game is named."""
    if not names:
        raise BadInput(f"name at least one game, as in --game {next(iter(GAMES))}")
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
    """Create the course TITLE, called SLUG in addresses, with an assignment for each game."""
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
    Of people who are already in the course only the last four change, so you can add lines to a file and use it again.
    If one line is wrong, nobody is added. Instructors can also do this on the course's People page.
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
