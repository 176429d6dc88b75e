"""When a worker takes no work: each reason is told, and it works again by itself when that is mended."""

import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from celery import Celery
from sqlalchemy import text
from sqlalchemy.orm import sessionmaker

from deploy.migrations import migrate
from deploy.processes.celery import make_app
from deploy.processes.gate import Halt, Obstacle, WorkGate, halt, wait_until_usable
from deploy.settings import load
from tests.conftest import empty
from tests.deploy.place import migrated
from tournament.store.database import Sessions, connect, writing
from tournament.work import maintenance

pytestmark = pytest.mark.both_databases


@pytest.fixture
def sessions(database_url: str) -> Iterator[Sessions]:
    engine = migrated(database_url)
    yield sessionmaker(engine)
    engine.dispose()


@pytest.fixture
def told() -> list[str]:
    """What the gate has said was wrong."""
    return []


@pytest.fixture
def gate(sessions: Sessions, told: list[str]) -> WorkGate:
    return WorkGate(sessions, told.append)


def run(sessions: Sessions, statement: str) -> None:
    with writing(sessions) as session:
        session.execute(text(statement))


def test_it_is_open_when_all_is_well(sessions: Sessions, gate: WorkGate, told: list[str]) -> None:
    assert halt(sessions) is None
    assert gate.is_open()
    assert told == []


def test_maintenance_shuts_it_and_is_no_trouble(sessions: Sessions, gate: WorkGate, told: list[str]) -> None:
    with writing(sessions) as session:
        maintenance.begin(session, "A larger disk")
    assert halt(sessions) == Halt(Obstacle.MAINTENANCE, "maintenance: A larger disk")
    assert not gate.is_open()
    with writing(sessions) as session:
        assert maintenance.end(session)
    assert gate.is_open()
    assert set(told) == {""}


@pytest.mark.parametrize(("revision", "said"), [("0001", "run its `quadrille migrate`"), ("9999", "a later Quadrille")])
def test_a_database_of_another_version_ends_the_worker_in_good_order(
    sessions: Sessions, gate: WorkGate, told: list[str], revision: str, said: str
) -> None:
    ended: list[int] = []
    former = signal.signal(signal.SIGTERM, lambda number, _: ended.append(number))
    try:
        assert gate.is_open()
        run(sessions, f"UPDATE alembic_version SET version_num = '{revision}'")
        assert not gate.is_open()
    finally:
        signal.signal(signal.SIGTERM, former)
    assert ended == [signal.SIGTERM]
    assert [said in trouble for trouble in told] == [True]


def test_an_empty_database_is_named(database_url: str) -> None:
    engine = connect(database_url)
    found = halt(sessionmaker(engine))
    engine.dispose()
    assert found == Halt(Obstacle.SCHEMA, "the database is empty; run `quadrille migrate`")


def test_a_database_that_does_not_answer_is_named_without_its_password() -> None:
    found = halt(sessionmaker(connect("postgresql+psycopg://q:secret@127.0.0.1:1/q")))
    assert found
    assert found.kind is Obstacle.DATABASE
    assert "127.0.0.1:1/q does not answer: connection" in found.reason
    assert "secret" not in found.reason


@pytest.fixture
def behind(postgresql_url: str) -> Iterator[Sessions]:
    """A PostgreSQL whose clock is a minute behind ours: what looks at `public` first finds that clock there."""
    empty(postgresql_url)
    engine = connect(f"{postgresql_url}&options=-csearch_path%3Dpublic,pg_catalog")
    migrate(engine)
    sessions = sessionmaker(engine)
    shift = "SELECT pg_catalog.clock_timestamp() - interval '60 seconds'"
    run(sessions, f"CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $${shift}$$")
    yield sessions
    engine.dispose()


def test_a_clock_that_is_off_is_told_until_it_is_right(behind: Sessions, told: list[str]) -> None:
    gate = WorkGate(behind, told.append)
    assert not gate.is_open()
    assert not gate.is_open()
    assert re.match(r"this machine's clock is \d+ s ahead of the database's; run an NTP client", told[0])
    run(behind, "DROP FUNCTION public.clock_timestamp()")
    assert gate.is_open()
    assert told[-1] == ""


def test_who_waits_goes_on_when_it_is_mended(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    right = "(SELECT count(*) FROM alembic_version)"
    run(sessions, f"UPDATE alembic_version SET version_num = version_num || '-' WHERE {right} = 1")
    mend = "UPDATE alembic_version SET version_num = replace(version_num, '-', '')"
    monkeypatch.setattr("deploy.processes.gate.sleep", lambda seconds: run(sessions, mend))
    wait_until_usable(sessions)
    assert "waiting: the database is at revision" in caplog.text


def test_a_task_is_dropped_while_the_gate_is_shut(tmp_path: Path) -> None:
    app: Celery = make_app(load(tmp_path))
    done: list[str] = []

    @app.task(name="note")  # type: ignore[untyped-decorator, unused-ignore]
    def task(what: str) -> None:
        done.append(what)

    task("first")
    app.may_work = lambda: False
    task("second")
    assert done == ["first"]
