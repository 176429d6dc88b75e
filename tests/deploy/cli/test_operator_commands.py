"""Commands that work on an installation's database: none changes its tables, and none stores in maintenance."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import select, text
from sqlalchemy.orm import sessionmaker

from deploy.cli import main
from deploy.settings import load
from tests.deploy.place import migrated
from tournament.store.database import Sessions, now, reading, writing
from tournament.work import maintenance
from web.second_factor.tables import Passkey, SecondFactor
from web.site.models import User

READING = ("final status comp/bo", "final export comp/bo final.jsonl", "rerate --check")
STORING = (
    "course new comp Computing --game bo",
    "course password ada",
    "final freeze comp/bo",
    "final start comp/bo",
    "final publish comp/bo",
    "rerate",
)


@pytest.fixture
def sessions(tmp_path: Path) -> Iterator[Sessions]:
    """An installation in which nothing is yet."""
    engine = migrated(load(tmp_path).database)
    yield sessionmaker(engine)
    engine.dispose()


def run(data: Path, command: str) -> Result:
    return CliRunner().invoke(main, [*command.split(), "--data", str(data)])


@pytest.mark.parametrize("command", STORING)
def test_nothing_is_stored_in_maintenance_and_it_is_said_how_that_ends(
    tmp_path: Path, sessions: Sessions, command: str
) -> None:
    with writing(sessions) as session:
        maintenance.begin(session, "A larger disk")
    refused = run(tmp_path, command)
    assert refused.exit_code == 3
    assert "nothing was stored: maintenance has been on since" in refused.stderr
    assert refused.stderr.endswith("; turn it off with `quadrille maintenance off`. Its reason: A larger disk\n")


def test_what_stores_nothing_works_in_maintenance(tmp_path: Path, sessions: Sessions) -> None:
    with writing(sessions) as session:
        maintenance.begin(session, "A larger disk")
    assert run(tmp_path, "rerate --check").exit_code == 0
    assert "there is no assignment 'comp/bo'" in run(tmp_path, "final status comp/bo").stderr


@pytest.mark.parametrize("command", [*READING, *STORING, "maintenance"])
def test_a_database_of_a_former_version_is_left_as_it_is(tmp_path: Path, sessions: Sessions, command: str) -> None:
    with writing(sessions) as session:
        session.execute(text("UPDATE alembic_version SET version_num = '0007'"))
    refused = run(tmp_path, command)
    assert (refused.exit_code, "run its `quadrille migrate`" in refused.stderr) == (3, True), refused.output
    with reading(sessions) as session:
        assert session.scalar(text("SELECT version_num FROM alembic_version")) == "0007"


@pytest.mark.parametrize("command", [*READING, *STORING, "maintenance"])
def test_where_no_installation_is_the_command_that_makes_one_is_named(tmp_path: Path, command: str) -> None:
    refused = run(tmp_path, command)
    assert (refused.exit_code, "run `quadrille migrate`" in refused.stderr) == (3, True), refused.output


def test_a_second_factor_is_removed_and_sessions_end_only_then(tmp_path: Path, sessions: Sessions) -> None:
    with writing(sessions) as session:
        ada = User(login="ada", name="Ada", password_hash="")
        session.add(ada)
        session.flush()
        session.add(SecondFactor(user_id=ada.id, secret="A" * 32, last_step=0, recovery=[], made_at=now()))
        session.add(Passkey(user_id=ada.id, credential="a", public_key=b"", sign_count=0, name="", made_at=now()))
    for said in ("Removed: the password alone signs in.\n", "ada has no second factor.\n"):
        assert run(tmp_path, "course remove-factor ada").stdout == said
        with reading(sessions) as session:
            assert session.scalars(select(SecondFactor.user_id)).all() == []
            assert session.scalars(select(Passkey.user_id)).all() == []
            assert session.scalar(select(User.generation)) == 1
    assert "nobody has the login 'bob'" in run(tmp_path, "course remove-factor bob").stderr
