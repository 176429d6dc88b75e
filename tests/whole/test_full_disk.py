"""A disk that fills up while the class uploads: a clear answer, and nothing is lost."""

import json
import os
import secrets
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests
from click.testing import CliRunner
from sqlalchemy import inspect, select
from sqlalchemy.orm import sessionmaker

from deploy.cli import main
from deploy.processes.celery import declare_queues, make_app, sender
from deploy.settings import load
from tests.players import GOOD
from tests.services import missing, postgresql_server
from tests.whole.stack import Api, eventually, serving
from tournament.ladder.rerate import recompute_standings
from tournament.store.database import connect, write_trouble, writing
from tournament.store.tables import Tournament

pytestmark = pytest.mark.full

DISK = "size=24m"
LONG_COMMENT = "\n# {}\n"


@contextmanager
def mounted(size: str) -> Iterator[Path]:
    """A file system of its own, in memory and small."""
    folder = Path(tempfile.mkdtemp(prefix="quadrille-disk-"))
    folder.chmod(0o755)  # PostgreSQL runs as somebody else
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(folder)], check=False)
    if os.geteuid() != 0 or done.returncode != 0:
        missing("the right to mount a file system")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)
    folder.rmdir()


@pytest.fixture
def small_disk(request: pytest.FixtureRequest) -> Iterator[Path]:
    """Such a file system."""
    with mounted(getattr(request, "param", DISK)) as folder:
        yield folder


def filler(folder: Path) -> Path:
    """What takes all the room."""
    return folder / "filler"


def fill(folder: Path) -> None:
    """Take all the room that is left."""
    with filler(folder).open("ab", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            try:
                while file.write(bytes(size)) == size:
                    pass
            except OSError:
                continue


def refused(api: Api, folder: Path) -> list[requests.Response]:
    """The answer that says that nothing can be stored; none while the database still finds some room of its own."""
    fill(folder)
    reply = api.upload(GOOD + LONG_COMMENT.format(secrets.token_hex(50_000)), enter=False)
    return [reply] if reply.status_code == 503 else []  # a response itself counts as false


def test_a_full_disk_is_said_plainly_and_loses_nothing(small_disk: Path) -> None:
    with serving(small_disk / "data") as stack:
        ada, ben = stack.api("ada"), stack.api("ben")
        first = ada.submit(GOOD, enter=True)
        assert ada.graded(first)["qualifies"]

        (reply,) = eventually(lambda: refused(ben, small_disk))
        assert reply.json()["error"]["code"] == "unavailable"
        assert "full" in reply.json()["error"]["message"]
        assert int(reply.headers["Retry-After"]) > 0
        assert ada.ask("GET", f"/submissions/{first['id']}")["qualifies"], "what was stored can be read"
        assert "full" in write_trouble(stack.sessions)
        found = CliRunner().invoke(main, ["doctor", "--data", str(small_disk / "data"), "--json"])
        (stores,) = [each for each in json.loads(found.stdout) if each["name"] == "database writes"]
        assert (stores["works"], "full" in stores["detail"], found.exit_code != 0) == (False, True, True)

        filler(small_disk).unlink()
        assert write_trouble(stack.sessions) == ""
        second = ben.submit(GOOD, enter=True)
        assert ben.graded(second)["qualifies"]
        eventually(lambda: (row := ben.own_row()) and row["games"])
        with writing(stack.sessions) as session:
            tournament = session.scalars(select(Tournament).order_by(Tournament.id)).first()
            assert tournament
            assert recompute_standings(session, tournament) == []


@pytest.mark.parametrize("small_disk", ["size=200m"], indirect=True)
def test_a_postgresql_whose_disk_is_full_is_found_by_trying_to_write(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(small_disk))
    with postgresql_server() as server:
        engine = connect(server.url)
        assert write_trouble(sessionmaker(engine)) == ""
        assert not inspect(engine).has_table("tried_write"), "nothing stays of it"
        fill(small_disk)
        assert "No space left" in write_trouble(sessionmaker(engine))
        filler(small_disk).unlink()
        assert write_trouble(sessionmaker(engine)) == ""
        engine.dispose()


def test_processes_that_start_on_a_full_disk_work_when_there_is_room_again(small_disk: Path) -> None:
    settings = load(small_disk)
    make_app(settings)
    fill(small_disk)
    app = make_app(settings)
    declare_queues(app)
    sender(app)("grader.grade")
    filler(small_disk).unlink()
    app = make_app(settings)
    declare_queues(app)
    sender(app)("grader.sweep")
    with app.connection() as connection, connection.SimpleQueue(app.amqp.queues["grading"]) as messages:
        assert messages.get_nowait().headers["task"] == "grader.sweep"


@pytest.mark.parametrize("command", ["serve --port 0", "migrate", "backup"])
def test_who_finds_the_disk_full_at_the_start_says_so_in_a_line(small_disk: Path, command: str) -> None:
    fill(small_disk)
    result = CliRunner().invoke(main, [*command.split(), "--data", str(small_disk / "data")])
    assert (result.exit_code, len(result.stderr.splitlines())) == (3, 1), result.output
    assert any(words in result.stderr for words in ("No space left", "disk is full", "disk I/O error"))
