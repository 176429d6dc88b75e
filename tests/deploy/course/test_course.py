"""`quadrille course`, run as an operator runs it."""

import csv
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import select
from sqlalchemy.orm import sessionmaker
from werkzeug.security import check_password_hash

from deploy import machine
from deploy.cli import main
from deploy.settings import load
from grader.store.models import Assignment
from tests.deploy.place import migrated
from tournament.store.database import Sessions, connect, reading
from tournament.store.tables import Tournament
from web.site.models import Course, Membership, Role, User

PEOPLE = """login,name,role,pseudonym
ines,Ines Instructor,instructor,Staff
ada,Ada Student,,
ben,Ben Student,student,Blue Badger
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    migrated(load(folder).database).dispose()
    return folder


@pytest.fixture
def sessions(data: Path) -> Sessions:
    return sessionmaker(connect(load(data).database))


def run(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["course", *arguments, "--data", str(data)])


def add(data: Path, people: str) -> Result:
    file = data / "people.csv"
    file.write_text(people, "utf-8")
    return run(data, "add", "comp", str(file))


def passwords(result: Result) -> dict[str, str]:
    assert result.exit_code == 0, result.output
    return {row["login"]: row["password"] for row in csv.DictReader(io.StringIO(result.stdout))}


@pytest.fixture
def course(data: Path) -> Path:
    assert run(data, "new", "comp", "Computing", "--game", "bo", "--game", "go").exit_code == 0
    return data


def test_a_course_has_an_assignment_for_each_game_with_its_tournaments(course: Path, sessions: Sessions) -> None:
    with reading(sessions) as session:
        assert session.scalars(select(Assignment.game).order_by(Assignment.game)).all() == ["bo", "go"]
        assert len(session.scalars(select(Tournament.id)).all()) == 3, "Comp10001-Go has a bonus tournament"


@pytest.mark.parametrize(
    ("options", "zone"), [(["--time-zone", "australia/melbourne"], "Australia/Melbourne"), ([], machine.time_zone())]
)
def test_a_course_has_a_time_zone_by_default_that_of_the_machine(
    data: Path, sessions: Sessions, options: list[str], zone: str
) -> None:
    result = run(data, "new", "comp", "Computing", "--game", "bo", *options)
    assert f"Its dates are in the time zone {zone}." in result.output
    with reading(sessions) as session:
        assert session.scalars(select(Course.time_zone)).one() == zone


@pytest.mark.parametrize(("tz", "zone"), [("Asia/Kathmandu", "Asia/Kathmandu"), ("Atlantis/Capital", "UTC")])
def test_the_time_zone_of_a_machine_is_utc_if_it_is_not_known(tz: str, zone: str) -> None:
    command = [sys.executable, "-c", "from deploy.machine import time_zone; print(time_zone())"]
    told = subprocess.run(command, env={**os.environ, "TZ": tz}, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == zone


def test_an_unknown_time_zone_is_refused_with_a_similar_one(data: Path) -> None:
    result = run(data, "new", "comp", "Computing", "--game", "bo", "--time-zone", "Melbourne")
    assert result.exit_code == 2
    assert "There is no time zone “Melbourne”. Did you mean Australia/Melbourne?" in result.output


def test_an_assignment_and_its_tournaments_keep_the_options(data: Path, sessions: Sessions) -> None:
    assert run(data, "new", "comp", "Computing", "--game", "go?hand_size=7").exit_code == 0
    with reading(sessions) as session:
        assignment = session.scalars(select(Assignment)).one()
        assert (assignment.slug, assignment.game) == ("go", "go?hand_size=7")
        assert session.scalars(select(Tournament.game)).all() == ["go?hand_size=7"] * 2


def test_everybody_gets_an_account_and_a_pseudonym(course: Path, sessions: Sessions) -> None:
    made = passwords(add(course, PEOPLE))
    assert [*made] == ["ines", "ada", "ben"]
    with reading(sessions) as session:
        members = {member.user.login: member for member in session.scalars(select(Membership))}
        assert members["ines"].role is Role.INSTRUCTOR
        assert members["ben"].pseudonym == "Blue Badger"
        assert len({member.pseudonym for member in members.values()}) == 3
        assert all(check_password_hash(members[login].user.password_hash, made[login]) for login in made)
        assert all(member.user.one_time for member in members.values()), "whoever reads them may not keep them"


def test_the_same_file_with_another_line_adds_one_person(course: Path, sessions: Sessions) -> None:
    add(course, PEOPLE)
    assert [*passwords(add(course, f"{PEOPLE}cleo,Cleo Student\n"))] == ["cleo"]
    with reading(sessions) as session:
        assert (
            len(session.scalars(select(User.id)).all()) == len(session.scalars(select(Membership.user_id)).all()) == 4
        )


def test_another_password_replaces_the_former(course: Path, sessions: Sessions) -> None:
    former = passwords(add(course, PEOPLE))["ada"]
    fresh = run(course, "password", "ada").stdout.strip()
    with reading(sessions) as session:
        ada = session.scalars(select(User).where(User.login == "ada")).one()
    right = [check_password_hash(ada.password_hash, each) for each in (fresh, former)]
    assert (right, ada.one_time) == ([True, False], True)


@pytest.mark.parametrize(
    ("people", "message"),
    [
        ("", "missing: login, name"),
        ("name\nAda\n", "missing: login"),
        ("login,name\nada,\n", "line 2: the name of ada is missing"),
        ("login,name\nada lovelace,Ada\n", "line 2: “ada lovelace” is not a valid login"),
        ("login,name,role\nada,Ada,boss\n", "line 2: the role of ada is “boss”"),
        ("login,name\nada,Ada\nada,Ada\n", "line 3: the login “ada” appears twice"),
        ("login,name,pseudonym\nada,Ada,X\nben,Ben,X\n", "line 3: the pseudonym “X” of ben belongs to somebody else"),
    ],
)
def test_a_file_that_is_wrong_changes_nothing(course: Path, sessions: Sessions, people: str, message: str) -> None:
    refused = add(course, people)
    assert (refused.exit_code, message in refused.stderr) == (2, True), refused.stderr
    with reading(sessions) as session:
        assert session.scalar(select(User.id)) is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("new", "comp", "Again", "--game", "bo"), "there is already a course 'comp'"),
        (("new", "comp2", "", "--game", "bo"), "a course needs a title"),
        (("new", "comp2", " \t ", "--game", "bo"), "a course needs a title"),
        (("new", "comp2", "\N{ZERO WIDTH SPACE}", "--game", "bo"), "a course needs a title"),
        (
            ("new", "Comp 1", "Bad", "--game", "bo"),
            "cannot be part of an address. Use up to 40 lowercase letters, digits and hyphens",
        ),
        (("new", "none", "None"), "name at least one game"),
        (("new", "other", "Other", "--game", "bu"), "did you mean 'bo'?"),
        (("new", "other", "Other", "--game", "bo", "--game", "bo?hand_size=3"), "name that game once"),
        (("add", "nowhere", "people.csv"), "people.csv"),
        (("password", "nobody"), "nobody has the login 'nobody'"),
    ],
)
def test_bad_input_gets_one_clear_line(
    course: Path, sessions: Sessions, arguments: tuple[str, ...], message: str
) -> None:
    refused = run(course, *arguments)
    assert (refused.exit_code, message in refused.stderr) == (2, True), refused.stderr
    with reading(sessions) as session:
        assert session.scalars(select(Course.slug)).all() == ["comp"]
