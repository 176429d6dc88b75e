"""The demonstration class: people, and an assignment for each game with its tournaments.

One student's player is in the tournament of Comp10001-Bo from the start; the other ladders rest until somebody enters.

Passwords are made once for an installation and kept in its data folder, readable by its owner alone, so that they can
be shown again at the next start. Nothing here is guessable, whatever address the site listens on.
"""

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session
from werkzeug.security import generate_password_hash

from deploy.datafolder import private_text
from deploy.settings import Settings
from grader.models import Assignment
from grader.submissions import submit
from tournament.db import Sessions, writing
from tournament.games import GAMES, find_game
from tournament.games.api import Game, tournaments
from tournament.ladder import ensure_bots
from tournament.models import Tournament
from web.models import Course, Membership, Role, User

COURSE = "demo"
PLAYED = "bo"  # the game that the sample student plays
DEMO_PLAYER = "reference.py"  # of its folder


@dataclass(frozen=True, slots=True)
class Person:
    """A member of the demonstration class. `plays`: a player was uploaded in this person's name."""

    login: str
    name: str
    pseudonym: str
    role: Role = Role.STUDENT
    plays: bool = False


PEOPLE = (
    Person("teacher", "Terry Teacher", "Teacher", Role.INSTRUCTOR),
    Person("ada", "Ada Student", "Amber Heron"),
    Person("ben", "Ben Student", "Blue Badger"),
    Person("cleo", "Cleo Student", "Coral Wombat"),
    Person("sample", "Sample Student (demo player)", "Demo Player", plays=True),
)


def logins(settings: Settings) -> Mapping[str, str]:
    """The password of each login; made on first use."""
    text = private_text(settings.data / "demo-logins.json", _new_passwords)
    passwords: dict[str, str] = json.loads(text)
    return passwords


def _new_passwords() -> str:
    return json.dumps({person.login: secrets.token_urlsafe(9) for person in PEOPLE}, indent=2) + "\n"


def seed(sessions: Sessions, send: Callable[[str], None], passwords: Mapping[str, str]) -> bool:
    """Fill an empty database with the demonstration class. False if there are people already: nothing is touched."""
    with writing(sessions) as session:
        if session.scalar(select(User.id).limit(1)) is not None:
            return False
        course = Course(slug=COURSE, title="Demonstration class")
        session.add(course)
        session.flush()
        assignments = {slug: _add_assignment(session, course, game) for slug, game in GAMES.items()}
        for person in PEOPLE:
            user = _add_person(session, course, person, passwords[person.login])
            if person.plays:
                _upload(session, send, assignments[PLAYED], user, person.pseudonym)
    return True


def _add_assignment(session: Session, course: Course, game: Game[Any]) -> Assignment:
    """An assignment with the game's tournaments, house bots included."""
    assignment = Assignment(course_id=course.id, slug=game.slug, title=game.title, game=game.slug)
    session.add(assignment)
    session.flush()
    for slug, title in tournaments(game).items():
        tournament = Tournament(assignment_id=assignment.id, slug=slug, title=title, game=game.slug)
        session.add(tournament)
        session.flush()
        ensure_bots(session, tournament)
    return assignment


def _add_person(session: Session, course: Course, person: Person, password: str) -> User:
    user = User(login=person.login, name=person.name, password_hash=generate_password_hash(password))
    session.add(user)
    session.flush()
    session.add(Membership(user_id=user.id, course_id=course.id, role=person.role, pseudonym=person.pseudonym))
    return user


def _upload(session: Session, send: Callable[[str], None], assignment: Assignment, user: User, name: str) -> None:
    source = find_game(PLAYED).folder.joinpath(DEMO_PLAYER).read_bytes()
    submit(session, send, assignment, user.id, DEMO_PLAYER, source, wants_entry=True, name=name)
