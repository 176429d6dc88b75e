"""The demonstration class: people, and an assignment for each game with its tournaments. One student's player is on the
ladder of Comp10001-Bo from the start; the other ladders rest until somebody enters. Passwords are created once for each
installation. They are kept in its data folder, readable by its owner alone, so that they can be shown again."""

import json
import secrets
from collections.abc import Callable, Mapping

from sqlalchemy import select
from sqlalchemy.orm import Session
from werkzeug.security import generate_password_hash

from deploy import machine
from deploy.courses import new_course
from deploy.settings import Settings
from grader.store.models import Assignment
from grader.store.uploads import Upload
from grader.submissions.submit import submit
from tournament.play.games import GAMES, find_game
from tournament.store.database import Sessions, writing
from web.people.enrolment import join
from web.site.models import Course, Role, User
from web.site.passwords import QUICK
from web.site.people_file import Person

COURSE = "demo"
PLAYED = "bo"  # the game that the sample student plays
DEMO_PLAYER = "reference.py"  # in the game's folder


SAMPLE = Person("sample", "Sample Student (demo player)", pseudonym="Demo Player")
"""The student whose player is uploaded from the start."""

PEOPLE = (
    Person("teacher", "Terry Teacher", Role.INSTRUCTOR, "Teacher"),
    Person("ada", "Ada Student", pseudonym="Amber Heron"),
    Person("ben", "Ben Student", pseudonym="Blue Badger"),
    Person("cleo", "Cleo Student", pseudonym="Coral Wombat"),
    SAMPLE,
)


def logins(settings: Settings) -> Mapping[str, str]:
    """Return the password of each login, creating the passwords on first use."""
    text = machine.private_text(
        settings.data / "demo-logins.json",
        lambda: json.dumps({person.login: secrets.token_urlsafe(9) for person in PEOPLE}, indent=2) + "\n",
    )
    passwords: dict[str, str] = json.loads(text)
    return passwords


def seed(sessions: Sessions, send: Callable[[str], None], passwords: Mapping[str, str]) -> bool:
    """Fill an empty database with the demonstration class. Returns False, and changes nothing, if the database already
    contains people."""
    with writing(sessions) as session:
        if session.scalar(select(User.id).limit(1)) is not None:
            return False
        course = new_course(session, COURSE, "Demonstration class", [*GAMES.values()], machine.time_zone())
        taken: set[str] = set()
        for person in PEOPLE:
            hashed = generate_password_hash(passwords[person.login], QUICK)
            user = User(login=person.login, name=person.name, password_hash=hashed)
            session.add(user)
            session.flush()
            join(session, course, user.id, person, taken)
            if person is SAMPLE:
                _upload_sample(session, send, course, user, person.pseudonym)
    return True


def _upload_sample(session: Session, send: Callable[[str], None], course: Course, user: User, name: str) -> None:
    played = Assignment.course_id == course.id, Assignment.game == PLAYED
    assignment = session.scalars(select(Assignment).where(*played)).one()
    source = find_game(PLAYED).folder.joinpath(DEMO_PLAYER).read_bytes()
    submit(session, send, assignment, Upload(user.id, name, DEMO_PLAYER, source, wants_entry=True))
