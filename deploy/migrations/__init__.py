"""Migrations of the database."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import IntegrityError

from deploy.database import METADATA
from tournament.store.database import UtcDateTime

SCRIPTS = Path(str(files(__name__)))
MIGRATION_LOCK = 0x51AD  # PostgreSQL's advisory lock, so that several hosts may start at once


def migrate(engine: Engine) -> None:
    """Upgrade the database to the latest revision, completely or not at all."""
    with changing_tables(engine) as connection:
        command.upgrade(config(connection), "head")


@contextmanager
def changing_tables(engine: Engine) -> Iterator[Connection]:
    """One transaction in which tables may be altered, dropped and filled; only one process at a time can have it.

    SQLite alters a table by creating a new one, so references are checked at the end. Raises IntegrityError.
    """
    with engine.connect().execution_options(sqlite_begin="IMMEDIATE") as connection:
        is_sqlite = connection.dialect.name == "sqlite"
        _check_references(connection, False)
        try:
            with connection.begin():
                if not is_sqlite:
                    connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": MIGRATION_LOCK})
                yield connection
                if is_sqlite and (wrong := connection.execute(text("PRAGMA foreign_key_check")).first()):
                    raise IntegrityError(
                        "foreign_key_check", None, ValueError(f"{wrong[0]} refers to a missing {wrong[2]}")
                    )
        finally:
            _check_references(connection, True)


def _check_references(connection: Connection, check: bool) -> None:
    raw = connection.connection.dbapi_connection  # this can only be changed outside a transaction
    if connection.dialect.name == "sqlite" and raw:
        raw.cursor().execute(f"PRAGMA foreign_keys={'ON' if check else 'OFF'}")


def new_revision(engine: Engine, message: str) -> None:
    """Upgrade the database, then write a migration for what differs between it and the models."""
    migrate(engine)
    with engine.begin() as connection:
        command.revision(config(connection), message=message, autogenerate=True)


def config(connection: Connection) -> Config:
    """Alembic's configuration for an open connection."""
    settings = Config()
    settings.set_main_option("script_location", str(SCRIPTS))
    settings.attributes["connection"] = connection
    return settings


def render(kind: str, item: Any, _context: object) -> str | bool:
    """Render Quadrille's own column types as plain ones, since a migration must not change when the code does."""
    if kind == "type" and isinstance(item, UtcDateTime):
        return "sa.DateTime(timezone=True)"
    return False


def options(connection: Connection) -> dict[str, Any]:
    """The options with which Alembic runs."""
    return {
        "connection": connection,
        "target_metadata": METADATA,
        "render_as_batch": connection.dialect.name == "sqlite",  # it cannot alter a column in place
        "render_item": render,
        "compare_type": True,
    }
