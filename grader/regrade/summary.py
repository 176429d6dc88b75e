"""How far a batch of regrades is, and what it has changed; for instructors."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session, joinedload

from grader.models import Regrade, RegradeBatch, Submission
from grader.regrade.difference import Difference, from_json
from tournament.final.pace import latest_pace
from tournament.store.jobs import PENDING, JobState

LATELY = 100
"""So many of the last ones tell how long the rest takes."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A submission whose result is another."""

    submission: Submission
    difference: Difference


@dataclass(frozen=True, slots=True)
class Summary:
    """Numbers of submissions: all, those left, unchanged, kept from it by a fault of ours, and cancelled.

    `by_question`: how many gained and how many lost there. `seconds_left` is None while too little is known.
    """

    total: int
    left: int
    same: int
    failed: int
    cancelled: int
    changes: Sequence[Changed]
    by_question: Mapping[str, tuple[int, int]]
    seconds_left: float | None

    @property
    def done(self) -> int:
        """How many were graded again."""
        return self.same + len(self.changes)


def summary(session: Session, batch: RegradeBatch) -> Summary:
    """How a batch stands."""
    counted = select(Regrade.state, func.count().label("jobs")).where(Regrade.batch_id == batch.id)
    numbers = Counter({row.state: row.jobs for row in session.execute(counted.group_by(Regrade.state))})
    changes = _changes(session, batch)
    left = sum(numbers[state] for state in PENDING)
    each_s = _pace(session, batch) if left else None
    return Summary(
        total=numbers.total(),
        left=left,
        same=numbers[JobState.DONE] - len(changes),
        failed=numbers[JobState.PARKED],
        cancelled=numbers[JobState.CANCELLED],
        changes=changes,
        by_question=_by_question(changes),
        seconds_left=None if each_s is None else each_s * left,
    )


def _changes(session: Session, batch: RegradeBatch) -> list[Changed]:
    wanted = select(Regrade).where(Regrade.batch_id == batch.id, Regrade.changed.is_(True)).order_by(Regrade.id)
    found = session.scalars(wanted.options(joinedload(Regrade.submission)))
    return [Changed(each.submission, from_json(each.difference)) for each in found]


def _by_question(changes: Sequence[Changed]) -> dict[str, tuple[int, int]]:
    counts = Counter((change.slug, change.gained) for each in changes for change in each.difference.questions)
    return {slug: (counts[slug, True], counts[slug, False]) for slug in sorted({slug for slug, _ in counts})}


def _pace(session: Session, batch: RegradeBatch) -> float | None:
    done = select(Regrade.finished_at).where(Regrade.batch_id == batch.id, Regrade.state == JobState.DONE)
    latest = session.scalars(done.order_by(Regrade.finished_at.desc()).limit(LATELY)).all()
    return latest_pace(latest)
