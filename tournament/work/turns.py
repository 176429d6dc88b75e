"""Priorities of a playing worker: whose turn it is, from what waits and what was played lately.

It is start-time fair queueing: each kind of work is charged the seconds it has taken, divided by its share, and the one
that was charged least comes next. A kind that begins to wait starts where the others are, so idling earns nothing, and
everything that waits has its turn in the end. Each worker keeps accounts of the kinds of work, and of the tournaments.

Games give way to uploads: while many of them wait to be graded, a worker on the same machine plays seldom. Its low
priority alone would leave a worker of games a quarter of a busy processor."""

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
    """What playing workers do. Of kinds that were charged the same, the one that stands first here comes first."""

    TRIAL = "trial"  # somebody waits for their report, and for their entry
    FINAL = "final"  # once it has been started
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
"""Parts of the time while all of them wait. A final has more than half, whatever else waits."""

BESIDE_A_FINAL = 1
"""The share of ladders while a final waits: just enough not to stand still."""


def share(kind: WorkKind, waiting: Collection[WorkKind]) -> int:
    """The share of a kind while these wait."""
    return BESIDE_A_FINAL if kind is WorkKind.LADDER and WorkKind.FINAL in waiting else SHARES[kind]


@dataclass(slots=True)
class Turns(Generic[Queue]):
    """A worker's account. `charged`: seconds over share, by queue; `level`: of the last one when its turn began."""

    charged: dict[Queue, float] = field(default_factory=dict)
    level: float = 0.0

    def next(self, waiting: Iterable[Queue]) -> Queue:
        """Whose turn it is; of those charged the same, the first. Raises ValueError if nothing waits."""
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
"""More jobs than that, or one that waits for longer, make a crowd."""

SELDOM_S = 10.0
"""A worker plays a block this often, however many uploads wait, so that no ladder stands still."""

LONGEST_REST_S = 2.0
"""While a crowd waits a final plays for half of the time: after each turn it rests as long, up to this."""


def served(session: Session, at: datetime) -> Sequence[str]:
    """The processes (see `tournament.work.workers`) of the workers that a crowd waits for; none without a crowd."""
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
    """How often this process plays. `clock` tells seconds."""

    clock: Callable[[], float] = monotonic
    _last: float | None = None
    _rests_until: float = 0.0

    def gives_way(self, sessions: Sessions) -> bool:
        """Whether a crowd waits on this machine. The database is not asked where nothing would follow from it."""
        if self.seldom_enough() and not self.rest_s():
            return False
        with reading(sessions) as session:
            return any(shares_processors(process) for process in served(session, now()))

    def seldom_enough(self) -> bool:
        """Whether to play now whatever waits."""
        return self._last is None or self.clock() - self._last >= SELDOM_S

    def rest_s(self) -> float:
        """The seconds that a final still has to rest."""
        return max(0.0, self._rests_until - self.clock())

    def played(self, took_s: float, gave_way: bool, may_rest: bool) -> None:
        """Remember a turn of `took_s` seconds: of a kind that gives way, or of a final, which rests for as long."""
        if gave_way:
            self._last = self.clock()
        if may_rest:
            self._rests_until = self.clock() + min(took_s, LONGEST_REST_S)
