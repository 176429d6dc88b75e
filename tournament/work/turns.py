"""Priorities of a playing worker: whose turn it is, from what waits and what was played lately.

It is start-time fair queueing: each kind of work is charged the seconds it has taken, divided by its share, and the one
that was charged least comes next. A kind that begins to wait starts where the others are, so idling earns nothing, and
everything that waits has its turn in the end. Each worker keeps its own account.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum


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
class Turns:
    """The account of one worker. `charged`: seconds over share, by kind; `level`: what the last one was charged when
    its turn began."""

    charged: dict[WorkKind, float] = field(default_factory=dict)
    level: float = 0.0

    def next(self, waiting: Collection[WorkKind]) -> WorkKind:
        """Whose turn it is. Raises ValueError if nothing waits."""
        return min((kind for kind in WorkKind if kind in waiting), key=self._begins)

    def charge(self, kind: WorkKind, seconds: float, waiting: Collection[WorkKind]) -> None:
        """Charge a turn that took `seconds` while these waited."""
        self.level = self._begins(kind)
        self.charged[kind] = self.level + seconds / share(kind, waiting)

    def _begins(self, kind: WorkKind) -> float:
        return max(self.charged.get(kind, 0.0), self.level)
