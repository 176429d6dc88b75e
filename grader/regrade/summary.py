"""The progress of a batch of regrades and what it has changed, for instructors."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session, joinedload

from grader.regrade.difference import ReportDifference, from_json
from grader.store.models import Regrade, RegradeBatch, Submission
from tournament.final.pace import latest_pace
from tournament.store.jobs import PENDING, JobState

LATELY = 100
"""The number of finished regrades from which the remaining time is estimated."""


@dataclass(frozen=True, slots=True)
class ChangedSubmission:
    """A submission whose result changed."""

    submission: Submission
    difference: ReportDifference


@dataclass(frozen=True, slots=True)
class Summary:
    """Numbers of submissions: all, those left, unchanged, failed because of an internal error, and cancelled.

    `by_question` has how many gained and how many lost in each question. `seconds_left` is None while too little is
    known.
    """

    total: int
    left: int
    same: int
    failed: int
    cancelled: int
    changes: Sequence[ChangedSubmission]
    by_question: Mapping[str, tuple[int, int]]
    seconds_left: float | None

    @property
    def done(self) -> int:
        """The number graded again."""
        return self.same + len(self.changes)


def summary(session: Session, batch: RegradeBatch) -> Summary:
    """Summarise a batch."""
    counted = select(Regrade.state, func.count().label("jobs")).where(Regrade.batch_id == batch.id)
    numbers = Counter({row.state: row.jobs for row in session.execute(counted.group_by(Regrade.state))})
    changes = _changes(session, batch)
    left = sum(numbers[state] for state in PENDING)
    done = select(Regrade.finished_at).where(Regrade.batch_id == batch.id, Regrade.state == JobState.DONE)
    latest = session.scalars(done.order_by(Regrade.finished_at.desc()).limit(LATELY)).all() if left else []
    each_s = latest_pace(latest)
    counts = Counter((change.slug, change.gained) for each in changes for change in each.difference.questions)
    return Summary(
        total=numbers.total(),
        left=left,
        same=numbers[JobState.DONE] - len(changes),
        failed=numbers[JobState.PARKED],
        cancelled=numbers[JobState.CANCELLED],
        changes=changes,
        by_question={slug: (counts[slug, True], counts[slug, False]) for slug in sorted({slug for slug, _ in counts})},
        seconds_left=None if each_s is None else each_s * left,
    )


def _changes(session: Session, batch: RegradeBatch) -> list[ChangedSubmission]:
    wanted = select(Regrade).where(Regrade.batch_id == batch.id, Regrade.changed.is_(True)).order_by(Regrade.id)
    found = session.scalars(wanted.options(joinedload(Regrade.submission)))
    return [ChangedSubmission(each.submission, from_json(each.difference)) for each in found]
