"""Whether a process may do anything to the database now: it is asked before every task.

A task that is turned away is not lost: what there is to do is in the database, and a sweeper sends word of it again.
"""

import logging
import signal
from collections.abc import Callable, Container
from dataclasses import dataclass
from enum import StrEnum
from time import sleep
from typing import Any

from celery import Task
from sqlalchemy import Connection, column, func, select, table
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.orm import Session

from deploy.processes import clock_drift as clocks
from deploy.storage.schema import newest, schema
from tournament.store.database import Sessions, in_a_line, reading
from tournament.store.tables import Maintenance
from tournament.work.maintenance import maintenance

log = logging.getLogger(__name__)

RETRY_S = 1.0

LOOK = select(column("version_num"), select(func.count()).select_from(Maintenance).scalar_subquery()).select_from(
    table("alembic_version")
)
"""The revision, and whether there is maintenance: one query, made once, for it is asked before every task."""


class Kind(StrEnum):
    """What kind of thing keeps a process from working."""

    DATABASE = "database"  # it does not answer
    SCHEMA = "schema"  # it belongs to another version of this program
    CLOCK = "clock"
    MAINTENANCE = "maintenance"


TROUBLES = frozenset(Kind) - {Kind.MAINTENANCE}
"""What somebody has to mend."""


@dataclass(frozen=True, slots=True)
class Halt:
    """Why nothing may be done now, in words."""

    kind: Kind
    reason: str


def halt(sessions: Sessions) -> Halt | None:
    """Why nothing may be done to this database now; None if it may."""
    engine = sessions.kw["bind"]
    try:
        with engine.connect() as connection:
            if _is_well(connection):
                return None
        with reading(sessions) as session:
            return _halt(session)
    except SQLAlchemyError as error:
        return Halt(Kind.DATABASE, f"the database {engine.url!r} does not answer: {in_a_line(error)}")


def _is_well(connection: Connection) -> bool:
    """Whether nothing at all is wrong; `_halt` says what is. Raises SQLAlchemyError if the database is lost."""
    try:
        found = connection.execute(LOOK).all()
    except DBAPIError as error:
        if error.connection_invalidated:
            raise
        return False  # it has no such tables
    return found == [(newest(), 0)] and abs(clocks.skew_s(connection)) <= clocks.TOLERATED_S


def _halt(session: Session) -> Halt | None:
    trouble = schema(session.connection()).trouble
    if trouble:
        return Halt(Kind.SCHEMA, trouble)
    skew = clocks.skew_s(session.connection())
    if abs(skew) > clocks.TOLERATED_S:
        return Halt(Kind.CLOCK, f"{clocks.told(skew)}; {clocks.MEND}")
    resting = maintenance(session)
    return Halt(Kind.MAINTENANCE, f"maintenance: {resting.reason}") if resting else None


def wait_until_fitting(sessions: Sessions, kinds: Container[Kind] = TROUBLES) -> None:
    """Return once nothing of these kinds keeps this process from working."""
    said = None
    while (found := halt(sessions)) and found.kind in kinds:
        if found != said:
            log.error("waiting: %s", found.reason)
        said = found
        sleep(RETRY_S)


class Gate:
    """Of one worker. `tell` hears what is wrong, and "" once nothing is."""

    def __init__(self, sessions: Sessions, tell: Callable[[str], None]) -> None:
        self._sessions, self._tell = sessions, tell
        self._found: Halt | None = None

    def is_open(self) -> bool:
        """Whether a task may be done now. Ends this process in good order if the database has been brought to the
        revision of another program: whoever starts it again starts that program, or waits for it."""
        found = halt(self._sessions)
        if found != self._found:
            self._hear(found)
        self._found = found
        return found is None

    def _hear(self, found: Halt | None) -> None:
        if found is None:
            log.info("working again")
        else:
            log.warning("taking no work: %s", found.reason)
        self._tell(found.reason if found and found.kind in TROUBLES else "")
        if found and found.kind is Kind.SCHEMA:
            signal.raise_signal(signal.SIGTERM)


class GatedTask(Task):  # type: ignore[misc]  # celery is not typed
    """A task that is dropped while the application's gate is shut."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """See `Gate.is_open`."""
        return super().__call__(*args, **kwargs) if self.app.may_work() else None
