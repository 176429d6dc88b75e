"""Priorities of a playing worker: whose turn it is, depending on what waits and what was played recently.

This is start-time fair queueing. The seconds that each kind of work takes, divided by its share, are charged to its
account, and the kind with the lowest account comes next. A kind that begins to wait starts at the level of the others.
So being idle gives no advantage, and everything that waits gets its turn eventually. Each worker keeps accounts for
kinds of work and for tournaments.

Games give way to uploads: while many uploads wait to be graded, a playing worker on the same machine seldom plays. With
low priority alone, a worker that plays would still get a quarter of a busy processor.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from time import monotonic
from typing import Generic, TypeVar

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from tournament.store.database import Sessions, now, reading
from tournament.store.jobs import JobState, claimable, job_kinds
from tournament.store.tables import Worker
from tournament.work.workers import shares_processors

Queue = TypeVar("Queue", bound=Hashable)


class WorkKind(StrEnum):
    """The kinds of work of playing workers. If several have the same charge, the first one listed here comes first."""

    TRIAL = "trial"  # a student waits for a report and an entry
    FINAL = "final"  # after the final has been started
    PERSONAL = "personal"  # custom games and comparisons
    BRACKET = "bracket"
    LADDER = "ladder"


SHARES: Mapping[WorkKind, int] = {
    WorkKind.FINAL: 60,
    WorkKind.TRIAL: 45,
    WorkKind.PERSONAL: 6,
    WorkKind.BRACKET: 6,
    WorkKind.LADDER: 6,
}
"""The shares of a worker's time, relative to each other. A final has more than half of it, whatever else waits."""

BESIDE_A_FINAL = 1
"""The share of ladders while a final waits: just enough to keep them going."""


def share(kind: WorkKind, waiting: Collection[WorkKind]) -> int:
    """Return the share of a kind while the kinds in `waiting` wait."""
    return BESIDE_A_FINAL if kind is WorkKind.LADDER and WorkKind.FINAL in waiting else SHARES[kind]


@dataclass(slots=True)
class Turns(Generic[Queue]):
    """A worker's accounts. `charged`: seconds divided by share, for each queue. `level`: the charge at which the last
    turn began."""

    charged: dict[Queue, float] = field(default_factory=dict)
    level: float = 0.0

    def next(self, waiting: Iterable[Queue]) -> Queue:
        """Return the queue whose turn it is. If several have the same charge, the first one is next. Raises ValueError
        if nothing waits."""
        return min(waiting, key=self._begins)

    def charge(self, queue: Queue, seconds: float, share: float) -> None:
        """Charge a turn that took `seconds`."""
        self.level = self._begins(queue)
        self.charged = {each: charged for each, charged in self.charged.items() if charged > self.level}
        self.charged[queue] = self.level + seconds / share

    def _begins(self, queue: Queue) -> float:
        return max(self.charged.get(queue, 0.0), self.level)


# Giving way


MANY, LONG = 4, timedelta(seconds=5)
"""There is a crowd if more jobs than MANY wait, or if one has waited for longer than LONG."""

SELDOM_S = 10.0
"""A worker plays a block at least this often, however many uploads wait, so that no ladder stops."""

LONGEST_REST_S = 2.0
"""The longest rest of a final. While a crowd waits, a final plays for half of the time: after each turn it rests as
long as the turn took, up to this limit."""


def served(session: Session, at: datetime) -> Sequence[str]:
    """Return the processes (see `tournament.work.workers`) of the workers for which a crowd waits."""
    found: list[str] = []
    for kind in (each for each in job_kinds() if each.awaited):
        due = (claimable(kind, at), kind.state == JobState.QUEUED)
        number, oldest = session.execute(select(func.count(), func.min(kind.queued_at)).where(*due)).one()
        if number > MANY or (number and at - oldest > LONG):
            at_it = select(Worker.process).join(kind, kind.owner == Worker.name)
            found += session.scalars(at_it.where(kind.state == JobState.RUNNING, kind.lease_until > at))
    return found


@dataclass
class PlayingPace:
    """Decides how often this process plays. `clock` returns seconds."""

    clock: Callable[[], float] = monotonic
    _last: float | None = None
    _rests_until: float = 0.0

    def gives_way(self, sessions: Sessions) -> bool:
        """Whether a crowd waits for workers on this machine. The database is read only if this can make a
        difference."""
        if self.seldom_enough() and not self.rest_s():
            return False
        with reading(sessions) as session:
            return any(shares_processors(process) for process in served(session, now()))

    def seldom_enough(self) -> bool:
        """Whether a kind that gives way had its last turn so long ago that it may be played now, whatever waits."""
        return self._last is None or self.clock() - self._last >= SELDOM_S

    def rest_s(self) -> float:
        """Return the remaining seconds for which a final must rest."""
        return max(0.0, self._rests_until - self.clock())

    def played(self, took_s: float, gave_way: bool, may_rest: bool) -> None:
        """Record a turn of `took_s` seconds. `gave_way`: its kind gives way to uploads. `may_rest`: it was a final's
        turn, after which the final rests for as long."""
        if gave_way:
            self._last = self.clock()
        if may_rest:
            self._rests_until = self.clock() + min(took_s, LONGEST_REST_S)
