"""Maintenance: everything stored can be read, and nothing is accepted, claimed or changed.

It is a row in the database, so that it holds for every host and survives restarts.
"""

from sqlalchemy import func, inspect, select
from sqlalchemy.orm import Session

from tournament.store.database import now
from tournament.store.jobs import JobState, kinds
from tournament.store.tables import Maintenance


def maintenance(session: Session) -> Maintenance | None:
    """The maintenance that is on, or None."""
    return session.get(Maintenance, 1)


def begin(session: Session, reason: str) -> None:
    """Turn it on; if it is on, only the reason changes."""
    found = maintenance(session)
    if found:
        found.reason = reason
    else:
        session.add(Maintenance(reason=reason))


def end(session: Session) -> bool:
    """Turn it off; False if it was off."""
    found = maintenance(session)
    if found:
        session.delete(found)
    return found is not None


def at_hand(session: Session) -> int:
    """How many jobs workers hold at the moment; they finish those before they rest."""
    there = inspect(session.connection())  # a former revision lacks some tables
    running = (
        select(func.count()).where(kind.state == JobState.RUNNING, kind.lease_until > now())
        for kind in kinds()
        if there.has_table(kind.__tablename__)
    )
    return sum(session.scalar(each) or 0 for each in running)
