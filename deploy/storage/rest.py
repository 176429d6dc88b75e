"""Bringing an installation to rest: maintenance on, and no worker at work."""

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
    """Return when workers hold no jobs; a dead worker's lease runs out within a minute. `tell` hears how many they
    hold, as often as that changes."""
    told = 0
    while held := _held(sessions):
        if held != told:
            tell(held)
        told = held
        sleep(LOOK_S)


def _held(sessions: Sessions) -> int:
    with suppress(SQLAlchemyError):  # a former revision does not know workers
        bury_dead(sessions)
    with reading(sessions) as session:
        return maintenance.at_hand(session)


@contextmanager
def at_rest(engine: Engine, reason: str, tell: Callable[[int], None]) -> Iterator[None]:
    """Maintenance for as long as the context lasts, entered when workers have finished what was at hand. If it was on
    before, it stays on. A database of a revision without that mode is left as it is."""
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
