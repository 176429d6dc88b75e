"""Priorities of a playing worker: whose turn it is, from what waits and what was played lately.

It is start-time fair queueing: each kind of work is charged the seconds it has taken, divided by its share, and the one
that was charged least comes next. A kind that begins to wait starts where the others are, so idling earns nothing, and
everything that waits has its turn in the end. Each worker keeps its own accounts: one of the kinds of work, and one of
the tournaments, so that none of them waits for the whole queue of another one.
"""

from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, TypeVar

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
    """An account of one worker. `charged`: seconds over share, by queue; `level`: what the last one was charged when
    its turn began."""

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
