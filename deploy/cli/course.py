"""`quadrille course`: a course and its people, before anybody can sign in."""

import csv
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from deploy import courses, log
from deploy.cli.common import BadInput, data_option, find_game, read_file
from deploy.cli.database import storing
from deploy.settings import load
from tournament.games import GAMES
from tournament.games.api import Game
from web.people.enrolment import enrol, plan_for, refuse_wrong
from web.people.people_file import decode, read_people


def find_games(context: click.Context, option: click.Parameter, slugs: tuple[str, ...]) -> Sequence[Game[Any]]:
    """The games with these slugs, each once. Raises BadInput, also if there are none."""
    if not slugs:
        raise BadInput(f"say which games it plays, as in --game {next(iter(GAMES))}")
    return [find_game(context, option, slug) for slug in dict.fromkeys(slugs)]


@click.group()
def command() -> None:
    """Make a course, put people into it, give somebody another password."""
    log.configure()


@command.command()
@click.argument("slug")
@click.argument("title")
@click.option(
    "--game",
    "games",
    multiple=True,
    callback=find_games,
    help=f"An assignment for this game: {', '.join(GAMES)}. May be repeated.",
)
@data_option
def new(slug: str, title: str, games: Sequence[Game[Any]], data: Path | None) -> None:
    """Make a course, known as SLUG in addresses, with an assignment for each game."""
    with storing(load(data)) as session:
        courses.new_course(session, slug, title, games)
    click.echo(f"{title} is there, with {', '.join(game.title for game in games)}.", err=True)
    click.echo(f"Next, its people: quadrille course add {slug} people.csv", err=True)


@command.command()
@click.argument("slug")
@click.argument("people")
@data_option
def add(slug: str, people: str, data: Path | None) -> None:
    """Put everybody of the CSV file PEOPLE into the course SLUG, and print the passwords of new accounts as CSV.

    The file's first line names its columns: login,name and, if wanted, role (student or instructor) and pseudonym.
    Who is there already is left alone, so the same file can be given again with further lines. A line that is wrong
    refuses the whole file. Instructors do the same on the course's page of people.
    """
    sheet = read_people(decode(read_file(people)))
    with storing(load(data)) as session:
        course = courses.find_course(session, slug)
        plan = plan_for(session, course, sheet)
        refuse_wrong(plan.wrong)
        passwords = enrol(session, course, plan)
    csv.writer(sys.stdout, lineterminator="\n").writerows([("login", "password"), *passwords.items()])
    known = len(plan.joining) + len(plan.members)
    click.echo(
        f"New accounts: {len(passwords)}; there already: {known}. Each password is for the first sign-in.", err=True
    )
    for person in plan.removed:
        click.echo(f"{person.login} was removed from the course; an instructor can bring them back.", err=True)


@command.command()
@click.argument("login")
@data_option
def password(login: str, data: Path | None) -> None:
    """Give LOGIN a one-time password, and print it. It ends their sessions and API tokens."""
    with storing(load(data)) as session:
        fresh = courses.new_password(session, login)
    click.echo(fresh)
