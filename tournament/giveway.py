"""Games give way to what somebody waits for: while many uploads wait to be graded, a worker on the machine where they
are graded plays seldom, so that the processors are there for grading and for the site.

Its low priority alone would leave a worker of games a quarter of a busy processor.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from tournament.db import Sessions, now, reading
from tournament.jobs import JobState, claimable
from tournament.maintenance import job_kinds
from tournament.processes import shares_processors
from tournament.workers import Worker

MANY, LONG = 4, timedelta(seconds=5)
"""More jobs than that, or one that waits for longer, make a crowd."""

SELDOM_S = 10.0
"""So often a worker plays a block whatever waits: no ladder stands still, however long the crowd lasts."""


def served(session: Session, at: datetime) -> Sequence[str]:
    """The processes (see `tournament.processes`) of the workers that a crowd waits for; none if there is no crowd, or
    nobody who is at it and whom it would help to give way."""
    return [process for kind in job_kinds() if kind.awaited for process in _served(session, kind, at)]


def _served(session: Session, kind: Any, at: datetime) -> Sequence[str]:
    due = (claimable(kind, at), kind.state == JobState.QUEUED)
    number, oldest = session.execute(select(func.count(), func.min(kind.queued_at)).where(*due)).one()
    if number <= MANY and (not number or at - oldest <= LONG):
        return []
    at_it = select(Worker.process).join(kind, kind.owner == Worker.name)
    return session.scalars(at_it.where(kind.state == JobState.RUNNING, kind.lease_until > at)).all()


@dataclass
class Pace:
    """How often this process plays. `clock` tells seconds."""

    clock: Callable[[], float] = monotonic
    _last: float | None = None

    def plays_now(self, sessions: Sessions) -> bool:
        """Whether to play a block now; what is not played now waits, and a sweep sends word of it again."""
        if self._last is not None and self.clock() - self._last < SELDOM_S:
            with reading(sessions) as session:
                if any(shares_processors(process) for process in served(session, now())):
                    return False
        self._last = self.clock()
        return True
