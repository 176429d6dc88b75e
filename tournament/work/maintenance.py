"""Maintenance: everything stored can be read, and nothing is accepted, claimed or changed. It is switched on by a row
in the database, so that it applies to every host and survives restarts."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import sleep

from sqlalchemy import Engine, func, inspect, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from tournament.store.database import Sessions, now, reading, writing
from tournament.store.jobs import JobState, job_kinds
from tournament.store.tables import Maintenance
from tournament.work.workers import bury_dead

LOOK_S = 0.5


def maintenance(session: Session) -> Maintenance | None:
    """Return the row of the present maintenance; None if maintenance is off."""
    return session.get(Maintenance, 1)


def begin(session: Session, reason: str) -> None:
    """Turn maintenance on. If it is on already, only the reason changes."""
    session.merge(Maintenance(id=1, reason=reason))


def end(session: Session) -> bool:
    """Turn maintenance off. Returns False if it was off."""
    found = maintenance(session)
    if found:
        session.delete(found)
    return found is not None


def at_hand(session: Session) -> int:
    """Return the number of jobs that workers hold at the moment and will finish before they rest."""
    there = inspect(session.connection())  # earlier revisions lack some tables
    running = (
        select(func.count()).where(kind.state == JobState.RUNNING, kind.lease_until > now())
        for kind in job_kinds()
        if there.has_table(kind.__tablename__)
    )
    return sum(session.scalar(each) or 0 for each in running)


def wait_for_rest(sessions: Sessions, tell: Callable[[int], None]) -> None:
    """Wait until workers hold no jobs; a dead worker's lease ends soon. `tell` is called with the number of jobs
    whenever it changes."""
    told = 0
    while True:
        with suppress(SQLAlchemyError):  # an earlier revision may lack a table
            bury_dead(sessions)
        with reading(sessions) as session:
            held = at_hand(session)
        if not held:
            return
        if held != told:
            tell(held)
        told = held
        sleep(LOOK_S)


@contextmanager
def at_rest(engine: Engine, reason: str, tell: Callable[[int], None]) -> Iterator[None]:
    """Turn maintenance on, and wait until workers have finished their jobs. At the end, turn it off unless it was on
    before. An empty database is not changed."""
    if not inspect(engine).has_table(Maintenance.__tablename__):
        yield
        return
    sessions = sessionmaker(engine)
    with writing(sessions) as session:
        found = maintenance(session)
        former = found.reason if found else None
        begin(session, former or reason)
    try:
        wait_for_rest(sessions, tell)
        yield
    finally:
        with writing(sessions) as session:
            if former is None:
                end(session)
            else:
                begin(session, former)
