"""How long jobs took lately, from being queued to their end: what pages may promise."""

from datetime import timedelta
from statistics import median
from typing import Any

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from tournament.store.database import now
from tournament.store.jobs import JobState

LATELY = timedelta(hours=2)
LATEST, FEWEST = 30, 3


def usual_wait_s(session: Session, kind: type[Any], *which: ColumnElement[bool]) -> float | None:
    """The median number of seconds that the latest jobs of a kind took, waiting included; None if too few have ended
    lately to tell. `which` narrows them."""
    ended = select(kind.queued_at, kind.finished_at).where(
        kind.state == JobState.DONE, kind.finished_at >= now() - LATELY, *which
    )
    rows = session.execute(ended.order_by(kind.finished_at.desc()).limit(LATEST)).all()
    return median((done - queued).total_seconds() for queued, done in rows) if len(rows) >= FEWEST else None
