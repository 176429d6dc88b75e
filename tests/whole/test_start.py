"""What a process does when it starts, or goes on, where something around it is wrong: it says what, and recovers."""

import multiprocessing
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import select, text
from sqlalchemy.orm import sessionmaker

from deploy import demo
from deploy.cli import main
from deploy.migrations import migrate
from deploy.processes.celery import make_app, sender
from deploy.processes.site import make_site
from deploy.settings import Settings, load
from grader.store.models import Submission
from tests.services import PATIENCE_S, free_port, missing
from tests.web.school import Browser
from tests.whole.stack import eventually, keep_case_sets
from tournament.store.database import Sessions, connect, reading, writing
from tournament.store.jobs import JobState

IMPORTED = multiprocessing.get_context("forkserver")
"""Starts processes as copies of one that has imported everything already."""
IMPORTED.set_forkserver_preload([__name__, "deploy.processes.worker", "deploy.processes.scheduler"])


@dataclass(frozen=True)
class Running:
    """A command that runs."""

    process: BaseProcess
    log: Path

    def says(self, words: str) -> None:
        """Wait until it has said so."""
        eventually(lambda: words in self.log.read_text() or self._ended(words))

    def ends(self) -> int | None:
        """Its exit code, once it has ended by itself."""
        self.process.join(PATIENCE_S)
        return self.process.exitcode

    def _ended(self, words: str) -> bool:
        if not self.process.is_alive():
            assert words in self.log.read_text(), self.log.read_text()
        return False


@contextmanager
def running(settings: Settings, name: str, *arguments: str) -> Iterator[Running]:
    """Run a command of the installation."""
    log = settings.data / f"{name}.log"
    log.touch()
    environment = {
        **os.environ,
        "QUADRILLE_DATABASE_URL": settings.database_url,
        "QUADRILLE_BROKER_URL": settings.broker_url,
    }
    process = IMPORTED.Process(target=command, args=([*arguments, "--data", str(settings.data)], environment, log))
    process.start()
    try:
        yield Running(process, log)
    finally:
        process.terminate()
        process.join(PATIENCE_S)
        process.kill()
        process.join()


def command(arguments: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
    """What a command does in this process, which is its own; it writes into the log."""
    with log.open("w") as out:
        os.dup2(out.fileno(), 1)
        os.dup2(out.fileno(), 2)
    os.environ.update(environment)
    main(arguments, prog_name="quadrille")


def run(sessions: Sessions, statement: str) -> None:
    with writing(sessions) as session:
        session.execute(text(statement))


@pytest.mark.full
def test_a_worker_waits_for_its_database_and_leaves_one_of_another_version(tmp_path: Path) -> None:
    settings = load(tmp_path)
    with running(settings, "worker", "worker", "ladder") as worker:
        worker.says("waiting: the database is empty; run `quadrille migrate`")
        engine = connect(settings.database)
        migrate(engine)
        worker.says("waiting for tasks")
        run(sessionmaker(engine), "UPDATE alembic_version SET version_num = '9999'")
        sender(make_app(settings))("tournament.play")
        worker.says("taking no work: the database is at revision 9999, of a later Quadrille")
        assert worker.ends() == 0
    with running(settings, "old", "worker", "ladder") as worker:
        worker.says("waiting: the database is at revision 9999, of a later Quadrille")
        run(sessionmaker(engine), "UPDATE alembic_version SET version_num = '0001'")
        worker.says("of a former Quadrille")
    engine.dispose()


@pytest.mark.full
def test_a_worker_waits_for_a_wrong_address_and_a_wrong_clock_to_be_right(tmp_path: Path, postgresql_url: str) -> None:
    url = postgresql_url.replace("/postgres?", "/late?")
    settings = load(tmp_path).model_copy(update={"database_url": f"{url}&options=-csearch_path%3Dpublic,pg_catalog"})
    with running(settings, "worker", "worker", "ladder") as worker:
        worker.says("does not answer: connection")
        create(postgresql_url, "late")
        sessions = sessionmaker(connect(url))
        shift = "SELECT pg_catalog.clock_timestamp() + interval '1 minute'"
        run(sessions, f"CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $${shift}$$")
        worker.says("waiting: the database is empty")
        migrate(sessions.kw["bind"])
        worker.says("waiting for tasks")
        sender(make_app(settings))("tournament.play")
        worker.says("s behind the database's; run an NTP client")
        run(sessions, "DROP FUNCTION public.clock_timestamp()")
        sender(make_app(settings))("tournament.play")
        worker.says("working again")
    sessions.kw["bind"].dispose()


def create(url: str, database: str) -> None:
    server = connect(url)
    with server.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"CREATE DATABASE {database}"))
    server.dispose()


@contextmanager
def redis_at(port: int, folder: Path) -> Iterator[None]:
    program = shutil.which("redis-server")
    if program is None:
        missing("Redis")
    command = (str(program), "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder))
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        try:
            yield
        finally:
            server.terminate()


@pytest.mark.full
def test_without_redis_at_the_start_everything_waits_for_it_and_one_scheduler_is_enough(tmp_path: Path) -> None:
    port = free_port()
    settings = load(tmp_path).model_copy(update={"broker_url": f"redis://127.0.0.1:{port}/0"})
    sessions = sessionmaker(connect(settings.database))
    keep_case_sets(settings.database, ["bo"])
    demo.seed(sessions, sender(make_app(settings)), demo.logins(settings))
    with ExitStack() as servers, ExitStack() as stack:
        first = stack.enter_context(running(settings, "first", "scheduler"))
        worker = stack.enter_context(running(settings, "worker", "worker", "grading"))
        first.says("sending what is due")
        second = stack.enter_context(running(settings, "second", "scheduler"))
        second.says("another scheduler is at work")
        worker.says(f"127.0.0.1:{port}/0: Error 111")

        servers.enter_context(redis_at(port, tmp_path))
        eventually(lambda: graded(sessions))
        first.process.kill()
        second.says("sending what is due")


def graded(sessions: Sessions) -> bool:
    with reading(sessions) as session:
        return session.scalars(select(Submission.state)).all() == [JobState.DONE]


@pytest.mark.full
def test_the_site_lets_people_in_without_redis(tmp_path: Path) -> None:
    settings = load(tmp_path).model_copy(update={"broker_url": f"redis://127.0.0.1:{free_port()}/0"})
    sessions = sessionmaker(connect(settings.database))
    migrate(sessions.kw["bind"])
    demo.seed(sessions, lambda task: None, demo.logins(settings))
    browser = Browser(make_site(settings))
    assert browser.sign_in("ada", demo.logins(settings)["ada"]).status_code == 303
    assert browser.get("/").status_code == 200
    sessions.kw["bind"].dispose()


WRONG = "postgresql+psycopg://q:hidden@127.0.0.1:1/q"


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("DATABASE_URL", WRONG, "cannot be used: connection"),
        ("DATABASE_URL", "nonsense", "QUADRILLE_DATABASE_URL: must look like postgresql+psycopg://"),
        ("PORT", "many", "QUADRILLE_PORT"),
    ],
)
@pytest.mark.parametrize("command", ["migrate", "backup", "maintenance", "rerate"])
def test_each_command_says_in_a_line_what_is_wrong_with_an_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, variable: str, value: str, said: str
) -> None:
    monkeypatch.setenv(f"QUADRILLE_{variable}", value)
    result = CliRunner().invoke(main, [command, "--data", str(tmp_path)])
    assert result.exit_code == (3 if value == WRONG else 2)
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert "hidden" not in result.stderr


@pytest.mark.full
@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("DATABASE_URL", WRONG, "the database postgresql+psycopg://q:***@127.0.0.1:1/q cannot be used"),
        ("BROKER_URL", "redis://:hidden@127.0.0.1:1/0", "the broker redis://:**@127.0.0.1:1/0 cannot be used"),
    ],
)
def test_serve_says_which_server_it_misses(tmp_path: Path, variable: str, value: str, said: str) -> None:
    (tmp_path / "settings.env").write_text(f"QUADRILLE_{variable}={value}\n")
    result = CliRunner().invoke(main, ["serve", "--port", "0", "--data", str(tmp_path)])
    assert (result.exit_code, said in result.stderr, "hidden" in result.stderr) == (3, True, False)
