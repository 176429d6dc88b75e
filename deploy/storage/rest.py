"""Waiting until an installation is at rest: maintenance on, and no worker holding a job."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import sleep

from sqlalchemy import Engine, inspect
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import sessionmaker

from tournament.store.database import Sessions, reading, writing
from tournament.store.tables import Maintenance
from tournament.work import maintenance
from tournament.work.workers import bury_dead

LOOK_S = 0.5


def wait_for_rest(sessions: Sessions, tell: Callable[[int], None]) -> None:
    """Return when workers hold no jobs; a dead worker's lease expires within a minute. `tell` gets the number of jobs
    they hold, whenever it changes."""
    told = 0
    while True:
        with suppress(SQLAlchemyError):  # a former revision may lack a table
            bury_dead(sessions)
        with reading(sessions) as session:
            held = maintenance.at_hand(session)
        if not held:
            return
        if held != told:
            tell(held)
        told = held
        sleep(LOOK_S)


@contextmanager
def at_rest(engine: Engine, reason: str, tell: Callable[[int], None]) -> Iterator[None]:
    """Turn maintenance on, and wait until workers have finished their jobs; turn it off at the end, unless it was on
    before. An empty database is left as it is."""
    if not inspect(engine).has_table(Maintenance.__tablename__):
        yield
        return
    sessions = sessionmaker(engine)
    with writing(sessions) as session:
        found = maintenance.maintenance(session)
        former = found.reason if found else None
        maintenance.begin(session, former or reason)
    try:
        wait_for_rest(sessions, tell)
        yield
    finally:
        with writing(sessions) as session:
            if former is None:
                maintenance.end(session)
            else:
                maintenance.begin(session, former)
