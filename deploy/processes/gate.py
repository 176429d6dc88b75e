"""Checks before every task whether the process may use the database. A refused task is not lost: a sweeper sends
another message for it."""

import logging
import signal
from collections.abc import Callable, Container
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from time import sleep
from typing import Any

from celery import Task
from sqlalchemy import Connection, column, func, select, table
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.orm import Session

from deploy.storage.schema import newest, schema
from sandbox import signs
from tournament.store.database import Sessions, in_a_line, reading
from tournament.store.tables import Maintenance
from tournament.work.maintenance import maintenance

log = logging.getLogger(__name__)

RETRY_S = 1.0

TOLERATED_SKEW_S = 5.0
"""The tolerated difference, in seconds, between this machine's clock and the database's: leases, countdowns and
deadlines depend on both clocks. Every lease lasts at least five times as long."""

CLOCK_FIX = "run an NTP client, such as chrony, on both machines"

LOOK = select(column("version_num"), select(func.count()).select_from(Maintenance).scalar_subquery()).select_from(
    table("alembic_version")
)
"""A query for the revision and the maintenance mode. It runs before every task, so it is a single query that is built
once."""


class Obstacle(StrEnum):
    """Something that can keep a process from working."""

    DATABASE = "database"  # the database does not answer
    SCHEMA = "schema"  # the database belongs to another version of this program
    CLOCK = "clock"
    MAINTENANCE = "maintenance"


OBSTACLES = frozenset(Obstacle) - {Obstacle.MAINTENANCE}
"""Obstacles that somebody has to fix."""


@dataclass(frozen=True, slots=True)
class Halt:
    """The reason why the database may not be used now."""

    kind: Obstacle
    reason: str


def halt(sessions: Sessions) -> Halt | None:
    """Return the reason why this database may not be used now, or None if it may be used."""
    engine = sessions.kw["bind"]
    try:
        with engine.connect() as connection:
            if _is_usable(connection):
                return None
        with reading(sessions) as session:
            return _halt(session)
    except SQLAlchemyError as error:
        return Halt(Obstacle.DATABASE, f"the database {engine.url!r} does not answer: {in_a_line(error)}")


def _is_usable(connection: Connection) -> bool:
    """Whether the database may be used; if not, `_halt` finds the reason. Raises SQLAlchemyError if the connection is
    lost."""
    try:
        found = connection.execute(LOOK).all()
    except DBAPIError as error:
        if error.connection_invalidated:
            raise
        return False  # the tables do not exist
    return found == [(newest(), 0)] and abs(clock_skew_s(connection)) <= TOLERATED_SKEW_S


def _halt(session: Session) -> Halt | None:
    trouble = schema(session.connection()).trouble
    if trouble:
        return Halt(Obstacle.SCHEMA, trouble)
    skew = clock_skew_s(session.connection())
    if abs(skew) > TOLERATED_SKEW_S:
        return Halt(Obstacle.CLOCK, f"{skew_told(skew)}; {CLOCK_FIX}")
    resting = maintenance(session)
    return Halt(Obstacle.MAINTENANCE, f"maintenance: {resting.reason}") if resting else None


def clock_skew_s(connection: Connection) -> float:
    """Return the seconds by which this machine's clock is ahead of the database's; 0 for SQLite, which uses this
    clock."""
    if connection.dialect.name == "sqlite":
        return 0.0
    theirs = connection.scalar(select(func.clock_timestamp()))
    assert isinstance(theirs, datetime)  # noqa: S101  # a timestamp
    return (datetime.now(UTC) - theirs).total_seconds()


def skew_told(skew: float) -> str:
    """Return the difference between the clocks, in words."""
    return f"this machine's clock is {abs(skew):.0f} s {'ahead of' if skew > 0 else 'behind'} the database's"


def wait_until_usable(sessions: Sessions, kinds: Container[Obstacle] = OBSTACLES) -> None:
    """Wait until none of these kinds of obstacles is left."""
    said = None
    while (found := halt(sessions)) and found.kind in kinds:
        if found != said:
            log.error("waiting: %s", found.reason)
        said = found
        sleep(RETRY_S)


class WorkGate:
    """The gate of one worker. It calls `tell` with the obstacle that it finds, and with "" when the obstacle is
    gone."""

    def __init__(self, sessions: Sessions, tell: Callable[[str], None]) -> None:
        self._sessions, self._tell = sessions, tell
        self._found: Halt | None = None

    def is_open(self) -> bool:
        """Whether a task may run now. Ends this process cleanly if another version of Quadrille has upgraded the
        database: when restarted, the process runs that version, or waits for it."""
        found = halt(self._sessions)
        if found != self._found:
            if found is None:
                log.info("working again")
            else:
                log.warning("taking no work: %s", found.reason)
            self._tell(found.reason if found and found.kind in OBSTACLES else "")
            if found and found.kind is Obstacle.SCHEMA:
                signal.raise_signal(signal.SIGTERM)
        self._found = found
        return found is None


class GatedTask(Task):  # type: ignore[misc]  # celery is not typed
    """A task that is dropped while the application's gate is closed."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the task, or drop it."""
        with signs.working():
            return super().__call__(*args, **kwargs) if self.app.may_work() else None
