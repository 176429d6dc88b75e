"""Databases and backups of revisions 0044 and 0051 still work; those of the revisions that they replaced are
refused with the way out; and an upgrade makes a backup first and loses nothing.

`former/0044.*` were made by the last version with every migration up to it: the tables on each kind of database
(`.schema` of SQLite, `pg_dump --schema-only`), and a backup of a class.
"""

import json
import shutil
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from click.testing import CliRunner
from sqlalchemy import JSON as Json
from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    DateTime,
    Engine,
    Float,
    Integer,
    LargeBinary,
    Table,
    inspect,
    select,
    text,
)
from sqlalchemy.types import TypeEngine

from deploy import migrations
from deploy.cli import main
from deploy.migrations import changing_tables, migrate
from deploy.storage import schema
from deploy.storage.archive import BadBackup, dump_rows, load_rows, tables_of
from deploy.storage.backup import TRANSIENT, NoBackup, backup, upgrade
from deploy.storage.restore import restore, verify
from deploy.storage.schema import WrongSchema
from grader.store.models import Submission
from tests.conftest import empty
from tests.deploy.place import Place, place
from tests.deploy.storage.test_migrations import differences
from tournament.store.database import reading, writing
from tournament.work import maintenance

pytestmark = pytest.mark.full

FORMER = Path(__file__).parent / "former"
CLASS = FORMER / "0044.zip"
HEAD = schema.newest()
COMING = f"{int(HEAD) + 1:04}"
NEXT = f"""
import sqlalchemy as sa
from alembic import op

revision, down_revision, branch_labels, depends_on = "{COMING}", "{HEAD}", None, None

def upgrade():
    op.add_column("player", sa.Column("size", sa.Integer(), server_default="0", nullable=False))
"""

Rows: TypeAlias = Mapping[str, Sequence[Mapping[str, Any]]]

GONE = {("assignment", "due_entered"), ("extension", "entered")}
"""Columns that were dropped since."""

BECAME = {"unsent_mail": "mail"}
"""Tables whose rows are in another one since, in another form."""

ANYTHING: Sequence[tuple[type[TypeEngine[Any]], Any]] = (
    (Boolean, True),
    (Integer, 1),
    (Float, 1.5),
    (DateTime, datetime(2026, 2, 28, 23, 59, tzinfo=UTC)),
    (LargeBinary, b"\0\xff"),
    (Json, {"key": [1, None, "value"]}),
)
"""A value for a column of each type; for all others it is a word."""


def add_to_empty_tables(connection: Connection) -> None:
    """Give each table that has no row one."""
    for table in kept(connection):
        if connection.execute(select(table).limit(1)).first() is None:
            connection.execute(table.insert(), [{each.name: anything(connection, each) for each in table.columns}])


def anything(connection: Connection, column: Column[Any]) -> Any:
    """A value that this column may have."""
    for key in column.foreign_keys:
        return connection.scalar(select(key.column).limit(1))
    value = next((value for kind, value in ANYTHING if isinstance(column.type, kind)), "word")
    return value.replace(tzinfo=None) if isinstance(value, datetime) and connection.dialect.name == "sqlite" else value


def kept(connection: Connection) -> list[Table]:
    return [table for table in tables_of(connection).sorted_tables if table.name not in TRANSIENT]


def rows(there: Place) -> Rows:
    """Every row of every table that a backup keeps, by its columns."""
    with there.sessions.kw["bind"].connect() as connection:
        return {table.name: named(table.columns.keys(), dump_rows(connection, table)) for table in kept(connection)}


def named(columns: Iterable[str], lines: Iterable[str | bytes]) -> Sequence[Mapping[str, Any]]:
    names = tuple(columns)
    return [dict(zip(names, json.loads(line), strict=True)) for line in lines]


def as_formerly(found: Rows, former: Rows) -> Rows:
    """The rows with only the columns that they had formerly; migrations add columns, and rows at the end."""
    return {
        name: [{each: row[each] for each in old if each in row} for row, old in zip(found[name], part, strict=False)]
        for name, part in former.items()
        if name not in BECAME
    }


def that_stays(former: Rows) -> Rows:
    """Former rows without the columns that went."""
    return {
        name: [{k: v for k, v in row.items() if (name, k) not in GONE} for row in part]
        for name, part in former.items()
        if name not in BECAME
    }


def rows_of_the_backup() -> Rows:
    with zipfile.ZipFile(CLASS) as archive:
        return {
            name: named(part.columns, archive.open(f"tables/{name}.jsonl"))
            for name, part in verify(CLASS).tables.items()
        }


def make_former_tables(engine: Engine) -> None:
    """Make the tables of revision 0044 as the migrations up to it made them."""
    ddl = (FORMER / f"0044.{engine.dialect.name}.sql").read_text()
    with engine.begin() as connection:
        for statement in ddl.split(";\n"):
            if statement.strip():
                connection.exec_driver_sql(statement)
        connection.execute(text("INSERT INTO alembic_version VALUES ('0044')"))


def described(engine: Engine) -> Mapping[str, object]:
    """Columns, defaults, keys, constraints and indexes, with their names."""
    found = inspect(engine)
    ways = (found.get_unique_constraints, found.get_foreign_keys, found.get_indexes, found.get_check_constraints)
    return {
        table: [
            [str(column) for column in found.get_columns(table)],
            found.get_pk_constraint(table),
            *[sorted(map(str, way(table))) for way in ways],
        ]
        for table in found.get_table_names()
    }


@pytest.fixture
def former(tmp_path: Path, database_url: str) -> Place:
    """An installation that the version with all migrations left, with its class."""
    here = place(tmp_path / "former", database_url)
    engine = here.sessions.kw["bind"]
    make_former_tables(engine)
    with changing_tables(engine) as connection:
        tables = tables_of(connection).tables
        for name, part in verify(CLASS).tables.items():
            lines = [json.dumps([*row.values()]) for row in rows_of_the_backup()[name]]
            load_rows(connection, tables[name], part.columns, lines)
    return here


def test_a_former_database_is_upgraded_and_loses_nothing(former: Place, database_url: str) -> None:
    engine = former.sessions.kw["bind"]
    before = rows(former)
    done = upgrade(former.settings, engine)
    assert done
    assert done.former == "0044"
    assert (as_formerly(rows(former), before), differences(engine)) == (that_stays(before), [])
    with reading(former.sessions) as session:
        graded = session.scalars(select(Submission).where(Submission.report.is_not(None))).all()
        assert graded
        assert all(sum((each.question_points or {}).values()) == pytest.approx(each.points) for each in graded)
    tables = described(engine)
    assert {path: status for path, status in former.pages("ines").items() if status != 200} == {}
    engine.dispose()
    if engine.dialect.name == "postgresql":
        empty(database_url)
    else:
        Path(str(engine.url.database)).unlink()
    migrate(engine)
    assert described(engine) == tables, "the migrations make other tables than an upgrade"


def test_a_former_backup_can_be_restored_and_every_tables_rows_come_back(tmp_path: Path, database_url: str) -> None:
    here = place(tmp_path / "here", database_url)
    restore(here.settings, CLASS)
    former, found = rows_of_the_backup(), rows(here)
    assert as_formerly(found, former) == that_stays(former)
    filled = {BECAME.get(name, name) for name, part in former.items() if part}
    assert {name for name, part in found.items() if part} == filled
    with changing_tables(here.sessions.kw["bind"]) as connection:
        add_to_empty_tables(connection)
    before = rows(here)
    assert all(before.values())
    backup(here.settings, here.sessions.kw["bind"], tmp_path / "all.zip")
    there = place(tmp_path / "there")
    restore(there.settings, tmp_path / "all.zip")
    given_up = {"next_at": None, "trouble": "restored from a backup; it may have been sent before"}
    mail, notices = (
        [{**row, **given_up} for row in before["mail"]],
        [{**row, "mail_at": None} for row in before["notice"]],
    )
    scores = [{**row, "next_at": None, "answer": "restored from a backup"} for row in before["lti_score"]]
    changed = {"mail": mail, "notice": notices, "password_request": [], "lti_score": scores}
    found = rows(there)
    assert {name for name, part in found.items() if part != {**before, **changed}[name]} == set()


@pytest.mark.parametrize(("revision", "last"), [("0008", "0044"), ("0043", "0044"), ("0045", "0051"), ("0050", "0051")])
def test_replaced_revisions_are_refused_with_the_way_out(
    small: Place, tmp_path: Path, revision: str, last: str
) -> None:
    run(small, f"UPDATE alembic_version SET version_num = '{revision}'")
    use = f"use the former one whose newest is {last}"
    with pytest.raises(WrongSchema, match=f"at revision {revision}, of a former .* {use}: run its `quadrille migrate`"):
        upgrade(small.settings, small.sessions.kw["bind"])
    old = tmp_path / "old.zip"
    backup(small.settings, small.sessions.kw["bind"], old)
    with pytest.raises(BadBackup, match=f"at revision {revision}; .* {use}: restore this file with it"):
        restore(place(tmp_path / "new").settings, old)
    answer = small.site.test_client().get("/healthz")
    assert answer.status_code == 503


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite database with the class."""
    here = place(tmp_path_factory.mktemp("used") / "here")
    restore(here.settings, CLASS)
    here.sessions.kw["bind"].dispose()
    return here.settings.data / "quadrille.sqlite"


@pytest.fixture
def small(tmp_path: Path, used: Path) -> Place:
    """An installation with the class, on SQLite."""
    here = place(tmp_path / "small")
    shutil.copy(used, here.settings.data)
    return here


@pytest.fixture
def next_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This program knows one more migration than it does."""
    scripts = tmp_path / "migrations"
    shutil.copytree(migrations.SCRIPTS, scripts)
    (scripts / "versions" / f"{COMING}_next.py").write_text(NEXT)
    for module in (migrations, schema):
        monkeypatch.setattr(module, "SCRIPTS", scripts)
    monkeypatch.setattr(schema, "NEWEST", COMING)


@pytest.mark.usefixtures("next_revision")
@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_an_upgrade_loses_nothing_and_the_way_back_is_the_backup(
    small: Place, tmp_path: Path, store: str, request: pytest.FixtureRequest
) -> None:
    here = small
    if store == "postgresql":
        url = request.getfixturevalue("postgresql_url")
        empty(url)
        here = place(tmp_path / "server", url)
        make_former_tables(here.sessions.kw["bind"])
        run(here, "INSERT INTO player VALUES (1, 'x', '', '2026-02-28 23:59:00+00')")
    before = rows(here)
    done = upgrade(here.settings, here.sessions.kw["bind"])
    assert done
    former = HEAD if here is small else "0044"
    assert (done.former, verify(done.kept or Path()).revision) == (former, former)
    after = rows(here)
    assert [row["size"] for row in after["player"]] == [0 for _ in before["player"]]
    assert as_formerly(after, before) == that_stays(before)
    again = place(tmp_path / "again")
    restore(again.settings, done.kept or Path())
    assert rows(again) == after, "a backup of the former revision is upgraded"
    assert upgrade(here.settings, here.sessions.kw["bind"]) is None


def run(there: Place, statement: str) -> None:
    with writing(there.sessions) as session:
        session.execute(text(statement))


@pytest.mark.usefixtures("next_revision")
def test_the_site_is_read_only_meanwhile_and_workers_are_waited_for(small: Place) -> None:
    heard: list[tuple[int, bool]] = []
    run(small, "UPDATE block SET state = 'running', owner = 'w', lease_until = '2999-01-01 00:00:00.000000'")

    def finish(held: int) -> None:
        with reading(small.sessions) as session:
            heard.append((held, maintenance.maintenance(session) is not None))
        run(small, "UPDATE block SET state = 'done'")

    assert upgrade(small.settings, small.sessions.kw["bind"], resting=finish)
    assert heard == [(1, True)]
    with reading(small.sessions) as session:
        assert maintenance.maintenance(session) is None


@pytest.mark.usefixtures("next_revision")
def test_a_site_answers_only_while_the_database_is_of_its_own_revision(
    small: Place, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("web.site.serving.LOOK_S", 0.0)
    assert small.site.test_client().get("/healthz").status_code == 503
    assert upgrade(small.settings, small.sessions.kw["bind"])
    assert small.site.test_client().get("/healthz").status_code == 200
    run(small, "UPDATE alembic_version SET version_num = '9999'")
    assert "Quadrille is being upgraded" in small.site.test_client().get("/sign-in").text
    assert "refusing all requests: the database is at revision 9999, of a later Quadrille" in caplog.text


@pytest.mark.usefixtures("next_revision")
def test_an_upgrade_that_fails_changes_nothing(small: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    before = rows(small)
    monkeypatch.setattr("deploy.storage.backup.migrate", lambda engine: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        upgrade(small.settings, small.sessions.kw["bind"])
    assert rows(small) == before
    with reading(small.sessions) as session:
        assert maintenance.maintenance(session) is None


@pytest.mark.usefixtures("next_revision")
def test_without_room_for_the_backup_nothing_is_changed(small: Place) -> None:
    (small.settings.data / "backups").touch()
    with pytest.raises(NoBackup, match="nothing was changed"):
        upgrade(small.settings, small.sessions.kw["bind"])
    with reading(small.sessions) as session:
        assert session.scalar(text("SELECT version_num FROM alembic_version")) == HEAD


def test_a_later_quadrilles_database_is_left_alone(small: Place) -> None:
    run(small, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(WrongSchema, match="of a later Quadrille"):
        upgrade(small.settings, small.sessions.kw["bind"])
    result = CliRunner().invoke(main, ["migrate", "--data", str(small.settings.data)])
    assert (result.exit_code, "install the later Quadrille" in result.stderr) == (3, True)


@pytest.mark.usefixtures("next_revision")
def test_the_command_says_what_it_did(small: Place) -> None:
    first, second = (CliRunner().invoke(main, ["migrate", "--data", str(small.settings.data)]) for _ in range(2))
    assert f"from revision {HEAD} to {COMING}. A backup of the former data is in" in first.stdout
    assert f"is at the latest revision, {COMING}" in second.stdout
    (kept_file,) = (small.settings.data / "backups").iterdir()
    assert verify(kept_file).revision == HEAD
