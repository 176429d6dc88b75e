"""The class of a deadline night: accounts from a file, or created in an installation's own database."""

import csv
import io
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from zlib import crc32

from sqlalchemy import select
from sqlalchemy.orm import Session

from deploy.courses import new_course
from deploy.machine import private_text
from grader.authoring.course_folder.course import builtin
from grader.marks.scheme import MarkScheme, RubricItem
from grader.marks.tables import Marking, store_scheme
from grader.store.models import Assignment
from tournament.ladder.ladder import NewEntry, enter
from tournament.play.games import find_game
from tournament.store.database import Sessions, now, writing
from tournament.store.tables import Player, Tournament
from web.site.models import Course, Membership, Role, User
from web.site.passwords import hashed

GAME = "bo"
COURSE = "load-test"
ACCOUNTS = "load-test-accounts.csv"  # in the data folder
MISTAKES: Mapping[int, str] = {
    **dict.fromkeys(range(10), "raise ValueError(args)"),
    10: "while True: pass",
    11: "time.sleep(0.005)",
}
"""What uploads with a mistake do in every call, by their share of a hundred: ten raise, one loops and one is slow."""
ENTERED_AGO = timedelta(hours=1)  # nobody has a cooldown any more


class BadAccounts(Exception):
    """The file of accounts cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a student, or somebody of the staff, signs in with."""

    login: str
    password: str
    role: Role = Role.STUDENT


def read_accounts(text: str) -> list[Credentials]:
    """The accounts of a CSV file with the columns `login` and `password`, and perhaps `role`. Raises BadAccounts."""
    rows = csv.DictReader(io.StringIO(text))
    if not {"login", "password"} <= set(rows.fieldnames or ()):
        raise BadAccounts("the first line must name the columns login and password")
    try:
        return [Credentials(row["login"], row["password"], Role(row.get("role") or Role.STUDENT)) for row in rows]
    except ValueError as error:
        raise BadAccounts(f"a role is student, tutor or instructor: {error}") from None


def write_accounts(accounts: Sequence[Credentials]) -> str:
    """The text of a CSV file with these accounts."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(["login", "password", "role"])
    lines.writerows([account.login, account.password, account.role.value] for account in accounts)
    return text.getvalue()


def class_of(data: Path, sessions: Sessions, students: int, staff: int = 0) -> list[Credentials]:
    """The accounts of that many students and staff of the load-test class, which is created or enlarged as needed. They
    are also stored in the data folder.

    The class is a course of its own with one assignment. Each student entered a player an hour ago, so that the
    leaderboard is full and the ladder has work. One in three of the staff is an instructor, the others are tutors."""
    path = data / ACCOUNTS
    first = Credentials(_login(1), secrets.token_urlsafe(12))  # if there is no file yet
    password = read_accounts(private_text(path, lambda: write_accounts([first])))[0].password
    accounts = [Credentials(_login(number), password) for number in range(1, students + 1)]
    accounts += [
        Credentials(f"staff{number:03}", password, Role.TUTOR if number % 3 else Role.INSTRUCTOR)
        for number in range(staff)
    ]
    with writing(sessions) as session:
        former = session.scalar(select(Course).where(Course.slug == COURSE))
        course = former or new_course(session, COURSE, "Load test", [find_game(GAME)])
        members = select(User.login).join(Membership).where(Membership.course_id == course.id)
        known = set(session.scalars(members))
        _add(session, course, [account for account in accounts if account.login not in known])
    path.write_text(write_accounts(accounts))
    return accounts


def _login(number: int) -> str:
    return f"load{number:05}"


def _add(session: Session, course: Course, accounts: Sequence[Credentials]) -> None:
    in_course = select(Tournament).join(Assignment, Assignment.id == Tournament.assignment_id)
    tournament = session.scalars(in_course.where(Assignment.course_id == course.id)).one()
    if session.get(Marking, tournament.assignment_id) is None:
        scheme = MarkScheme(rubric=(RubricItem(key="r1", title="Style", most=5),))
        store_scheme(session, tournament.assignment_id or 0, scheme, 0)
    stored = hashed(accounts[0].password) if accounts else ""  # the same for all: a sign-in costs as much
    for account in accounts:
        user = User(login=account.login, name=account.login, password_hash=stored)
        session.add(user)
        session.flush()
        role = account.role
        session.add(Membership(user_id=user.id, course_id=course.id, role=role, pseudonym=account.login))
        if role is not Role.STUDENT:
            continue
        source = player_of(account.login)
        player = Player(sha256=sha256(source).hexdigest(), source=source)
        session.add(player)
        session.flush()
        enter(session, tournament, NewEntry(user.id, player.id, account.login), now() - ENTERED_AGO)


def is_right(words: str) -> bool:
    """Whether the upload that these words make unique is a correct player."""
    return not mistake_in(words)


def mistake_in(words: str) -> str:
    """The mistake of the upload that these words make unique; "" for a correct player."""
    return MISTAKES.get(crc32(words.encode()) % 100, "")


def upload_of(words: str) -> bytes:
    """What a student uploads: a correct player, or one with a usual mistake in every function."""
    if is_right(words):
        return player_of(words)
    names = [question.function for question in builtin(GAME).functions]
    functions = (f"def {name}(*args):\n    {mistake_in(words)}\n" for name in names)
    return f"import time\n{''.join(functions)}# {words}\n".encode()


def player_of(words: str) -> bytes:
    """A correct player, in a file that these words make unique."""
    return find_game(GAME).folder.joinpath("reference.py").read_bytes() + f"\n# {words}\n".encode()
