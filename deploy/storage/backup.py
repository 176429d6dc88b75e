"""Makes backups: one file with a whole installation, on either kind of database, from a consistent snapshot, while
workers continue. Also upgrades a database, after making a backup that the former Quadrille can restore."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias
from zipfile import ZipFile

from sqlalchemy import Connection, Engine

from deploy.machine import Unable
from deploy.migrations import migrate
from deploy.settings import Settings
from deploy.storage.archive import (
    MANIFEST,
    FilePart,
    Manifest,
    TablePart,
    add_member,
    count_rows,
    dump_rows,
    file_member,
    table_member,
    tables_of,
    writing_archive,
)
from deploy.storage.schema import WrongSchema, newest, schema
from sandbox.api import Limits
from tournament.work.maintenance import at_rest

FOLDER = "backups"  # in the data folder
SETTINGS = "settings.env"
PRIVATE = ("secret-key", "record-key", "game-key", "demo-logins.json")
"""Files in the data folder that a backup contains, in addition to the settings."""

TRANSIENT = ("alembic_version", "worker", "maintenance")
"""Tables that a backup leaves out: they describe what is running now, or repeat the manifest."""

PLACE = (
    *("data", "database_url", "broker_url", "database_password", "broker_password", "runner", "web_processes"),
    *("sign_on", "passwords", "emergency_login", "lti", "imprint", "privacy_text", "consent", "mail_bounces"),
)
"""Settings that describe a place and not its data. For example, providers of single sign-on know a site by its address,
and only one site reads the mailbox to which e-mail comes back."""

STEP = 2000  # rows between two reports of progress

Progress: TypeAlias = Callable[[str, int, int], None]
"""`progress(what, done, total)`: reports progress, in rows."""


def silent(_what: str, _done: int, _total: int) -> None:
    """Report no progress."""


def default_path(settings: Settings, kind: str = "quadrille") -> Path:
    """Return the default path of a backup. The name includes microseconds, in case two backups are made within a
    second."""
    return settings.data / FOLDER / f"{kind}-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}.zip"


def backup(settings: Settings, engine: Engine, path: Path, progress: Progress = silent) -> Manifest:
    """Write a backup. Raises FileExistsError, WrongSchema if the database is empty, OSError, SQLAlchemyError."""
    with snapshot(engine) as connection, writing_archive(path) as archive:
        revision = schema(connection).revision
        if revision is None:
            raise WrongSchema("the database is empty: there is nothing to back up")
        manifest = Manifest(
            revision=revision,
            store=engine.dialect.name,
            made_at=datetime.now(UTC),
            tables=_write_tables(connection, archive, progress),
            files={
                name: FilePart(sha256=add_member(archive, file_member(name), [content])[1])
                for name, content in kept_files(settings).items()
            },
            left_out=[name for name in _settings_chosen(settings, PLACE) if name != "QUADRILLE_DATA"],
        )
        add_member(archive, MANIFEST, [manifest.model_dump_json(indent=1).encode()])
    return manifest


def snapshot(engine: Engine) -> Connection:
    """Open a read-only connection with one transaction, which sees the database as of its first query."""
    if engine.dialect.name == "sqlite":
        return engine.connect()
    return engine.connect().execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


def _write_tables(connection: Connection, archive: ZipFile, progress: Progress) -> dict[str, TablePart]:
    tables = [table for table in tables_of(connection).sorted_tables if table.name not in TRANSIENT]
    total, done, parts = sum(count_rows(connection, table) for table in tables), 0, {}
    for table in tables:
        lines = told(dump_rows(connection, table), table.name, done, total, progress)
        rows, sha256 = add_member(archive, table_member(table.name), lines)
        done += rows
        parts[table.name] = TablePart(columns=[each.name for each in table.columns], rows=rows, sha256=sha256)
    return parts


def told(rows: Iterator[bytes], what: str, done: int, total: int, progress: Progress) -> Iterator[bytes]:
    """Yield the rows unchanged, and report progress meanwhile."""
    progress(what, done, total)
    for number, row in enumerate(rows, done + 1):
        if number % STEP == 0:
            progress(what, number, total)
        yield row


def kept_files(settings: Settings) -> Mapping[str, bytes]:
    """Return the files of a backup, by name: the private ones, and all settings, whether they come from the file or the
    environment."""
    found = {name: (settings.data / name).read_bytes() for name in PRIVATE if (settings.data / name).exists()}
    portable = [name for name in Settings.model_fields if name not in PLACE]
    lines = [f"{name}={value}\n" for name, value in _settings_chosen(settings, portable).items()]
    return {**found, SETTINGS: "".join(lines).encode()}


def _settings_chosen(settings: Settings, names: Sequence[str]) -> Mapping[str, str]:
    """Return the named settings that have been set, as names and values for `settings.env`."""
    chosen = {name: getattr(settings, name) for name in names if name != "limits" and name in settings.model_fields_set}
    if "limits" in names:
        limits, usual = settings.limits, Limits()
        parts = {each.name: getattr(limits, each.name) for each in fields(limits)}
        chosen |= {f"limits__{name}": value for name, value in parts.items() if value != getattr(usual, name)}
    return {f"QUADRILLE_{name.upper()}": quoted(value) for name, value in chosen.items()}


def quoted(value: object) -> str:
    """Return the value as it is written in a line of `settings.env`."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text if text.isprintable() and not set(text) & set(" #'\"\\$") else "'" + text.replace("'", "\\'") + "'"


class NoBackup(Unable):
    """The backup failed, so nothing was changed; the message says why."""


@dataclass(frozen=True, slots=True)
class Upgrade:
    """What an upgrade did. `former`: the revision before, None if the database was empty; `kept`: the path of the
    backup."""

    former: str | None
    kept: Path | None

    @property
    def told(self) -> str:
        """Sentences that tell the operator about the upgrade."""
        text = f"The database was upgraded from revision {self.former or 'none'} to {newest()}."
        return f"{text} A backup of the former data is in {self.kept}." if self.kept else text


def upgrade(
    settings: Settings, engine: Engine, progress: Progress = silent, resting: Callable[[int], None] = lambda held: None
) -> Upgrade | None:
    """Upgrade the database to the latest revision, in maintenance mode; returns None if it is current. If this fails,
    nothing has changed. Raises WrongSchema if this program cannot upgrade the database, NoBackup, SQLAlchemyError."""
    with engine.connect() as connection:
        found = schema(connection)
    if found.is_current:
        return None
    if not found.is_known:
        raise WrongSchema(found.trouble)
    if found.revision is None:
        migrate(engine)
        return Upgrade(None, None)
    with at_rest(engine, "Quadrille is being upgraded", resting):
        path = default_path(settings, f"before-{newest()}")
        try:
            backup(settings, engine, path, progress)
        except OSError as error:
            raise NoBackup(f"nothing was changed: {path} cannot be written ({error.strerror})") from error
        migrate(engine)
    return Upgrade(found.revision, path)
