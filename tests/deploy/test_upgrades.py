"""From each former revision, with rows in every table, the way to the latest one: nothing is lost, and pages work.

`former/<revision>.json` holds the rows that a class had added by the time of that revision, as its tables were; a
revision without such a file is left with what there was before. Tables that are still empty get a row of anything.
There is no way back but the backup that is made before.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from alembic import command as alembic
from click.testing import CliRunner
from sqlalchemy import JSON as Json
from sqlalchemy import Boolean, Column, Connection, DateTime, Engine, Float, Integer, LargeBinary, Table, select, text
from sqlalchemy.types import TypeEngine

from deploy.cli import main
from deploy.migrations import changing_tables, config
from deploy.storage.archive import Manifest
from deploy.storage.backup import TRANSIENT
from deploy.storage.restore import restore, verify
from deploy.storage.rows import dump, load, tables_of
from deploy.storage.schema import WrongSchema, newest, revisions
from deploy.storage.upgrade import NoBackup, upgrade
from tests.deploy.place import Place, place
from tests.deploy.test_migrations import differences
from tournament.store.database import connect, reading, writing
from tournament.work import maintenance

FORMER = Path(__file__).parent / "former"
*PAST, LATEST = revisions()

Rows: TypeAlias = Mapping[str, Sequence[Mapping[str, Any]]]
Urls: TypeAlias = Mapping[str, str]  # by revision

ANYTHING: Sequence[tuple[type[TypeEngine[Any]], Any]] = (
    (Boolean, True),
    (Integer, 1),
    (Float, 1.5),
    (DateTime, datetime(2026, 2, 28, 23, 59, tzinfo=UTC)),
    (LargeBinary, b"\0\xff"),
    (Json, {"key": [1, None, "value"]}),
)
"""A value for a column of each type; for all others it is a word."""


def step(engine: Engine, revision: str) -> None:
    """Bring a database to the next revision, where a class adds its rows."""
    with changing_tables(engine) as connection:
        alembic.upgrade(config(connection), revision)
        file = FORMER / f"{revision}.json"
        tables = tables_of(connection).tables
        for name, part in json.loads(file.read_text() if file.exists() else "{}").items():
            load(connection, tables[name], part["columns"], (json.dumps(row).encode() for row in part["rows"]))


@pytest.fixture(scope="module")
def on_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Urls:
    """A database for each former revision, which has been used since the first."""
    folder = tmp_path_factory.mktemp("former")
    for revision in PAST:
        engine = connect(f"sqlite:///{folder}/walk.sqlite")
        step(engine, revision)
        engine.dispose()
        shutil.copy(folder / "walk.sqlite", folder / f"{revision}.sqlite")
    return {revision: f"sqlite:///{folder}/{revision}.sqlite" for revision in PAST}


@pytest.fixture(scope="module")
def on_postgresql(postgresql_url: str) -> Urls:
    """The same."""
    server = connect(postgresql_url).execution_options(isolation_level="AUTOCOMMIT")
    with server.connect() as connection:
        connection.execute(text("CREATE DATABASE walk"))
        for revision in PAST:
            engine = connect(named(postgresql_url, "walk"))
            step(engine, revision)
            engine.dispose()
            connection.execute(text(f"CREATE DATABASE former_{revision} TEMPLATE walk"))
    server.dispose()
    return {revision: named(postgresql_url, f"former_{revision}") for revision in PAST}


def named(url: str, database: str) -> str:
    """The same server's other database."""
    return url.replace("/postgres?", f"/{database}?")


def add_to_empty_tables(connection: Connection) -> list[Table]:
    """A row for each table that has none; those tables."""
    tables = [table for table in tables_of(connection).sorted_tables if table.name not in TRANSIENT]
    empty = [table for table in tables if connection.execute(select(table).limit(1)).first() is None]
    for table in empty:
        connection.execute(table.insert(), [{column.name: anything(connection, column) for column in table.columns}])
    return empty


def anything(connection: Connection, column: Column[Any]) -> Any:
    """A value that this column may have."""
    for key in column.foreign_keys:
        return connection.scalar(select(key.column).limit(1))
    value = next((value for kind, value in ANYTHING if isinstance(column.type, kind)), "word")
    return value.replace(tzinfo=None) if isinstance(value, datetime) and connection.dialect.name == "sqlite" else value


def rows(engine: Engine) -> Rows:
    """Every row of every table that is not about what runs."""
    with engine.connect() as connection:
        tables = [table for table in tables_of(connection).sorted_tables if table.name not in TRANSIENT]
        return {table.name: [as_row(table, line) for line in dump(connection, table)] for table in tables}


def as_row(table: Table, line: bytes) -> Mapping[str, Any]:
    return dict(zip(table.columns.keys(), json.loads(line), strict=True))


def lost(before: Rows, after: Rows) -> list[object]:
    """The rows that are no longer there, or are otherwise, in the columns that there still are."""
    missing: list[object] = []
    for name, former in before.items():
        kept = set(former[0]) & set(after[name][0]) if former and after.get(name) else set()
        there = [{key: row[key] for key in kept} for row in after.get(name, ())]
        missing += [(name, row) for row in former if {key: row[key] for key in kept} not in there]
    return missing


@pytest.mark.parametrize("revision", PAST)
@pytest.mark.parametrize("store", ["on_sqlite", "on_postgresql"])
def test_nothing_is_lost_on_the_way_and_pages_work(
    tmp_path: Path, store: str, revision: str, request: pytest.FixtureRequest
) -> None:
    here = place(tmp_path / "here", request.getfixturevalue(store)[revision])
    engine = here.sessions.kw["bind"]
    with changing_tables(engine) as connection:
        added = add_to_empty_tables(connection)
    before = rows(engine)
    assert all(before.values())

    done = upgrade(here.settings, engine)
    assert done
    assert (done.former, done.kept is not None) == (revision, True)
    assert lost(before, rows(engine)) == []
    assert differences(engine) == []

    with changing_tables(engine) as connection:
        for table in reversed(added):  # what stands there means nothing to a page
            connection.execute(table.delete())
    if store == "on_sqlite" or revision == PAST[0]:  # the same pages of the same rows
        assert [(path, status) for path, status in here.pages("ines").items() if status != 200] == []
    engine.dispose()


@pytest.fixture
def last(tmp_path: Path, on_sqlite: Urls) -> Place:
    """An installation of the last Quadrille but this one, which a class has used."""
    here = place(tmp_path / "last")
    walk = Path(on_sqlite[PAST[-1]].removeprefix("sqlite:///")).with_name("walk.sqlite")
    shutil.copy(walk, tmp_path / "last" / "quadrille.sqlite")
    return here


def test_the_way_back_is_the_backup_made_before(last: Place, tmp_path: Path) -> None:
    again = place(tmp_path / "again")
    done = upgrade(last.settings, last.sessions.kw["bind"])
    assert done
    assert done.kept
    assert manifest(done.kept).revision == PAST[-1]
    restore(again.settings, done.kept)
    assert rows(again.sessions.kw["bind"]) == rows(last.sessions.kw["bind"])


def manifest(path: Path | None) -> Manifest:
    assert path
    return verify(path)


def run(there: Place, statement: str, **values: object) -> None:
    with writing(there.sessions) as session:
        session.execute(text(statement), values)


def test_the_site_is_read_only_meanwhile_and_workers_are_waited_for(last: Place) -> None:
    heard: list[tuple[int, bool]] = []
    run(last, "UPDATE block SET state = 'running', owner = 'w', lease_until = '2999-01-01 00:00:00.000000'")

    def finish(held: int) -> None:
        with reading(last.sessions) as session:
            heard.append((held, maintenance.maintenance(session) is not None))
        run(last, "UPDATE block SET state = 'done'")

    assert upgrade(last.settings, last.sessions.kw["bind"], resting=finish)
    assert heard == [(1, True)]
    with reading(last.sessions) as session:
        assert maintenance.maintenance(session) is None


def test_a_site_answers_only_while_the_database_is_of_its_own_revision(
    last: Place, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("web.site.upgrade.LOOK_S", 0.0)
    assert last.site.test_client().get("/healthz").status_code == 503
    assert upgrade(last.settings, last.sessions.kw["bind"])
    assert last.site.test_client().get("/healthz").status_code == 200
    run(last, "UPDATE alembic_version SET version_num = '9999'")
    assert "Quadrille is being upgraded" in last.site.test_client().get("/sign-in").text
    assert "refusing all requests: the database is at revision 9999, of a later Quadrille" in caplog.text


def test_an_upgrade_that_fails_changes_nothing(last: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    before = rows(last.sessions.kw["bind"])
    monkeypatch.setattr("deploy.storage.upgrade.migrate", lambda engine: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        upgrade(last.settings, last.sessions.kw["bind"])
    assert rows(last.sessions.kw["bind"]) == before
    with reading(last.sessions) as session:
        assert maintenance.maintenance(session) is None


def test_without_room_for_the_backup_nothing_is_changed(last: Place) -> None:
    (last.settings.data / "backups").touch()
    with pytest.raises(NoBackup, match="nothing was changed"):
        upgrade(last.settings, last.sessions.kw["bind"])
    with reading(last.sessions) as session:
        assert session.scalar(text("SELECT version_num FROM alembic_version")) == PAST[-1]


def test_a_later_quadrilles_database_is_left_alone(last: Place) -> None:
    run(last, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(WrongSchema, match="of a later Quadrille"):
        upgrade(last.settings, last.sessions.kw["bind"])
    result = CliRunner().invoke(main, ["migrate", "--data", str(last.settings.data)])
    assert (result.exit_code, "install that Quadrille" in result.stderr) == (3, True)


def test_the_command_says_what_it_did(last: Place) -> None:
    first, second = (CliRunner().invoke(main, ["migrate", "--data", str(last.settings.data)]) for _ in range(2))
    assert f"from revision {PAST[-1]} to {newest()}. What was there before is in" in first.stdout
    assert f"is at the latest revision, {LATEST}" in second.stdout
    (kept,) = (last.settings.data / "backups").iterdir()
    assert manifest(kept).revision == PAST[-1]
