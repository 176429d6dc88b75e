"""Upgrading a database to this program's revision, after a backup.

The only way back is to restore that backup with the former Quadrille.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Engine

from deploy.migrations import migrate
from deploy.settings import Settings
from deploy.storage.backup import Progress, backup, default_path, silent
from deploy.storage.schema import WrongSchema, newest, schema
from tournament.work.maintenance import at_rest

REASON = "Quadrille is being upgraded"


class NoBackup(Exception):
    """The backup failed, so nothing was changed; the message says why."""


@dataclass(frozen=True, slots=True)
class Upgrade:
    """What was done. `former`: the revision before, None for an empty database; `kept`: the backup."""

    former: str | None
    kept: Path | None

    @property
    def told(self) -> str:
        """The upgrade in sentences."""
        text = f"The database was upgraded from revision {self.former or 'none'} to {newest()}."
        return f"{text} A backup of the former data is in {self.kept}." if self.kept else text


def upgrade(
    settings: Settings, engine: Engine, progress: Progress = silent, resting: Callable[[int], None] = lambda held: None
) -> Upgrade | None:
    """Upgrade the database to the latest revision, in maintenance; None if it is current. If this fails, nothing has
    changed. Raises WrongSchema if this program cannot upgrade it, NoBackup, SQLAlchemyError."""
    with engine.connect() as connection:
        found = schema(connection)
    if found.is_current:
        return None
    if not found.is_known:
        raise WrongSchema(found.trouble)
    if found.revision is None:
        migrate(engine)
        return Upgrade(None, None)
    with at_rest(engine, REASON, resting):
        path = default_path(settings, f"before-{newest()}")
        try:
            backup(settings, engine, path, progress)
        except OSError as error:
            raise NoBackup(f"nothing was changed: {path} cannot be written ({error.strerror})") from error
        migrate(engine)
    return Upgrade(found.revision, path)
