"""Making a course: its assignments, its people and their passwords. Each function works in the caller's transaction."""

import csv
import io
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session
from werkzeug.security import generate_password_hash

from grader.models import Assignment
from tournament.games.api import Game, tournaments
from tournament.ladder import ensure_bots
from tournament.models import Tournament
from web.models import Course, Membership, Role, User

COLUMNS = ("login", "name", "role", "pseudonym")
SLUG = re.compile(r"[a-z0-9][a-z0-9-]*")
LOGIN = re.compile(r"[^\s,:/]+")
COLOURS = (
    *("Amber", "Azure", "Black", "Blue", "Bronze", "Coral", "Copper", "Crimson"),
    *("Golden", "Green", "Grey", "Indigo", "Ivory", "Jade", "Olive", "Orange"),
)
ANIMALS = (
    *("Badger", "Beaver", "Crane", "Dolphin", "Falcon", "Ferret", "Gecko", "Heron"),
    *("Ibex", "Jackdaw", "Koala", "Lynx", "Marten", "Newt", "Otter", "Owl"),
)


class BadCourse(Exception):
    """A course cannot be made as asked; the message says why."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody to be put into a course. `pseudonym`: what fellow students see; "": one is made up."""

    login: str
    name: str
    role: Role = Role.STUDENT
    pseudonym: str = ""


def new_course(session: Session, slug: str, title: str, games: Sequence[Game[Any]]) -> Course:
    """A course with an assignment for each game. Raises BadCourse."""
    if not SLUG.fullmatch(slug):
        raise BadCourse(
            f"{slug!r} cannot stand in an address; use small letters, digits and hyphens, as in comp10001-2027"
        )
    if session.scalar(select(Course.id).where(Course.slug == slug)) is not None:
        raise BadCourse(f"there is a course {slug!r} already")
    course = Course(slug=slug, title=title)
    session.add(course)
    session.flush()
    for game in games:
        add_assignment(session, course, game)
    return course


def find_course(session: Session, slug: str) -> Course:
    """The course of that name. Raises BadCourse."""
    course = session.scalars(select(Course).where(Course.slug == slug)).one_or_none()
    if course is None:
        known = ", ".join(session.scalars(select(Course.slug).order_by(Course.slug))) or "none yet"
        raise BadCourse(f"there is no course {slug!r}; there are: {known}")
    return course


def add_assignment(session: Session, course: Course, game: Game[Any]) -> Assignment:
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


def enrol(session: Session, course: Course, people: Sequence[Person]) -> Mapping[str, str]:
    """Put people into a course; the new password of each login that did not exist. Who is in the course already stays
    as they are."""
    taken = set(session.scalars(select(Membership.pseudonym).where(Membership.course_id == course.id)))
    passwords = {}
    for person in people:
        user = session.scalars(select(User).where(User.login == person.login)).one_or_none()
        if user is None:
            passwords[person.login] = secrets.token_urlsafe(9)
            user = add_user(session, person, passwords[person.login])
        if session.get(Membership, (user.id, course.id)) is None:
            join(session, course, user, person, taken)
    return passwords


def add_user(session: Session, person: Person, password: str) -> User:
    """An account."""
    user = User(login=person.login, name=person.name, password_hash=generate_password_hash(password))
    session.add(user)
    session.flush()
    return user


def join(session: Session, course: Course, user: User, person: Person, taken: set[str]) -> None:
    """Make a user a member, under a pseudonym that is not taken, and then is."""
    pseudonym = person.pseudonym or _free_pseudonym(taken)
    if pseudonym in taken:
        raise BadCourse(f"the pseudonym {pseudonym!r} of {person.login} belongs to somebody else of this course")
    taken.add(pseudonym)
    session.add(Membership(user_id=user.id, course_id=course.id, role=person.role, pseudonym=pseudonym))


def _free_pseudonym(taken: set[str]) -> str:
    free = [name for name in (f"{colour} {animal}" for colour in COLOURS for animal in ANIMALS) if name not in taken]
    if free:
        return secrets.choice(free)
    return f"{secrets.choice(COLOURS)} {secrets.choice(ANIMALS)} {len(taken)}"


def new_password(session: Session, login: str) -> str:
    """Give somebody another password, which ends their sessions. Raises BadCourse."""
    user = session.scalars(select(User).where(User.login == login)).one_or_none()
    if user is None:
        raise BadCourse(f"nobody has the login {login!r}")
    password = secrets.token_urlsafe(9)
    user.password_hash = generate_password_hash(password)
    return password


def read_people(text: str) -> list[Person]:
    """The people of a CSV file with the columns `login` and `name` and, if wanted, `role` and `pseudonym`.

    Raises BadCourse."""
    rows = csv.DictReader(io.StringIO(text), skipinitialspace=True)
    missing = [name for name in COLUMNS[:2] if name not in (rows.fieldnames or ())]
    if missing:
        raise BadCourse(f"the first line must name the columns; missing: {', '.join(missing)}")
    people = [*_people(rows)]
    logins = [person.login for person in people]
    twice = next((login for login in logins if logins.count(login) > 1), None)
    if twice:
        raise BadCourse(f"the login {twice!r} is there twice")
    return people


def _people(rows: "csv.DictReader[str]") -> Iterator[Person]:
    for row in rows:
        login, name, role, pseudonym = ((row.get(column) or "").strip() for column in COLUMNS)
        if not LOGIN.fullmatch(login):
            raise BadCourse(f"line {rows.line_num}: {login!r} is no login; it must be one word, without , : and /")
        if not name:
            raise BadCourse(f"line {rows.line_num}: {login} has no name")
        if role not in ("", *Role):
            raise BadCourse(f"line {rows.line_num}: the role of {login} is {role!r}; write student or instructor")
        yield Person(login, name, Role(role or Role.STUDENT), pseudonym)
