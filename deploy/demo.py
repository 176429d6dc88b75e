"""The demonstration class: people, the assignment for Comp10001-Bo and its standard tournament.

Passwords are made once for an installation and kept in its data folder, readable by its owner alone, so that they can
be shown again at the next start. Nothing here is guessable, whatever address the site listens on.
"""

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session
from werkzeug.security import generate_password_hash

from deploy.datafolder import private_text
from deploy.settings import Settings
from grader.models import Assignment
from grader.submissions import submit
from tournament.db import Sessions, writing
from tournament.games import find_game
from tournament.ladder import ensure_bots
from tournament.models import Tournament
from web.models import Course, Membership, Role, User

COURSE = "demo"
GAME = "bo"
DEMO_PLAYER = "reference.py"  # of the game's folder


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
        assignment = add_course(session)
        for person in PEOPLE:
            user = _add_person(session, assignment.course_id, person, passwords[person.login])
            if person.plays:
                _upload(session, send, assignment, user, person.pseudonym)
    return True


def add_course(session: Session) -> Assignment:
    """The course with its assignment and the assignment's standard tournament, house bots included."""
    game = find_game(GAME)
    course = Course(slug=COURSE, title="Demonstration class")
    session.add(course)
    session.flush()
    assignment = Assignment(course_id=course.id, slug=GAME, title=game.title, game=GAME)
    session.add(assignment)
    session.flush()
    tournament = Tournament(assignment_id=assignment.id, slug="standard", title="Standard tournament", game=GAME)
    session.add(tournament)
    session.flush()
    ensure_bots(session, tournament)
    return assignment


def _add_person(session: Session, course_id: int, person: Person, password: str) -> User:
    user = User(login=person.login, name=person.name, password_hash=generate_password_hash(password))
    session.add(user)
    session.flush()
    session.add(Membership(user_id=user.id, course_id=course_id, role=person.role, pseudonym=person.pseudonym))
    return user


def _upload(session: Session, send: Callable[[str], None], assignment: Assignment, user: User, name: str) -> None:
    source = find_game(GAME).folder.joinpath(DEMO_PLAYER).read_bytes()
    submit(session, send, assignment, user.id, DEMO_PLAYER, source, wants_entry=True, name=name)
