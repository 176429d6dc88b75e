"""How long jobs took lately, from being queued to their end: what pages may promise."""

from datetime import timedelta
from functools import cache
from statistics import median
from typing import Any

from sqlalchemy import Select, bindparam, select
from sqlalchemy.orm import Session

from tournament.store.database import now
from tournament.store.jobs import JobState

LATELY = timedelta(hours=2)
LATEST, FEWEST = 30, 3


def usual_wait_s(session: Session, kind: Any, **of: int) -> float | None:
    """The median number of seconds that the latest jobs of a kind took, waiting included; None if too few have ended
    lately to tell. `of` narrows them, as in `tournament_id=1`."""
    rows = session.execute(_ended(kind, *of), {"since": now() - LATELY, **of}).all()
    return median((done - queued).total_seconds() for queued, done in rows) if len(rows) >= FEWEST else None


@cache
def _ended(kind: Any, *columns: str) -> Select[*tuple[Any, ...]]:
    ended = select(kind.queued_at, kind.finished_at).where(
        kind.state == JobState.DONE,
        kind.finished_at >= bindparam("since"),
        *(getattr(kind, column) == bindparam(column) for column in columns),
    )
    return ended.order_by(kind.finished_at.desc()).limit(LATEST)
