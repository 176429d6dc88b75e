"""Whose turn it was when: the fair order of grading (`grader.store.queue`), worked out again from the stored times.

A submission ranks by its number among its author's submissions (1 for the first), then by its id. The number counts
those that wait or are being graded, and those that finished after the oldest waiting submission of the class was
queued. A submission's turn comes when every submission that ranks before it has its report.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class GradedTimes:
    """A submission's stored times."""

    id: int
    author: str
    queued: datetime
    finished: datetime


def waits(submissions: Sequence[GradedTimes]) -> list[float]:
    """For each submission, the seconds from its turn to its report."""
    moments = sorted({moment for each in submissions for moment in (each.queued, each.finished)})
    turn: dict[int, datetime] = {}
    for moment in moments:
        waiting = [each for each in submissions if each.queued <= moment < each.finished]
        first = min(waiting, key=lambda each: (_rank(each, submissions, waiting, moment), each.id), default=None)
        if first:
            turn.setdefault(first.id, moment)
    return [(each.finished - turn.get(each.id, each.finished)).total_seconds() for each in submissions]


def _rank(
    one: GradedTimes, submissions: Sequence[GradedTimes], waiting: Sequence[GradedTimes], moment: datetime
) -> int:
    oldest = min(each.queued for each in waiting)
    own = (each for each in submissions if each.author == one.author and each.id <= one.id and each.queued <= moment)
    return sum(each.finished > moment or each.finished >= oldest for each in own)


def longest_queue(submissions: Sequence[GradedTimes]) -> int:
    """The largest number of submissions that waited or were being graded at the same time."""
    return max(
        (sum(each.queued <= now.queued < each.finished for each in submissions) for now in submissions), default=0
    )
