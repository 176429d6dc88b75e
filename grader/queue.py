"""The order in which submissions are graded.

It is fair between students: a student's second submission ranks below everybody's first. Submissions that wait or run
are counted, and those finished since the oldest waiting one was queued, so that a student with many does not come first
again each time one is done. A student's own submissions are graded one at a time, in the order of upload.

Regrades come after all uploads, one job at a time, so an upload waits for one regrade at most.
"""

from functools import cache
from typing import Any

from sqlalchemy import ScalarSelect, Select, Subquery, and_, func, or_, select, union
from sqlalchemy.orm import Session

from grader.models import Regrade, Submission
from tournament.final.pace import latest_pace
from tournament.store.database import now
from tournament.store.jobs import PENDING, JobState, claimable

LATELY = 50
"""The number of finished submissions from which the waiting time is estimated."""


@cache
def fair_order() -> Select[Any]:
    """The ids of the submissions whose turn it may be, best first; for `tournament.store.jobs.claim_first`."""
    ranked = _ranked()
    first = select(func.min(Submission.id)).where(Submission.state.in_(PENDING)).group_by(Submission.author_id)
    ids = select(Submission.id).join(ranked, ranked.c.id == Submission.id).where(Submission.id.in_(first))
    return ids.order_by(ranked.c.turn, Submission.id)


@cache
def regrade_order() -> Select[Any]:
    """The ids of the regrades, best first; for `tournament.store.jobs.claim_first`. The batch with the least left comes
    first, so that a single submission does not wait for a whole class."""
    left = select(Regrade.batch_id, func.count().label("jobs")).where(Regrade.state.in_(PENDING))
    batches = left.group_by(Regrade.batch_id).subquery()
    ids = select(Regrade.id).join(batches, batches.c.batch_id == Regrade.batch_id).where(Regrade.state.in_(PENDING))
    return ids.order_by(batches.c.jobs, Regrade.batch_id, Regrade.id)


def anything_due(session: Session) -> bool:
    """Whether a submission could be claimed now."""
    return session.scalar(fair_order().where(claimable(Submission, now())).limit(1)) is not None


def regrade_due(session: Session) -> bool:
    """Whether a regrade could be claimed now."""
    return session.scalar(select(Regrade.id).where(claimable(Regrade, now())).limit(1)) is not None


def queue_position(session: Session, submission: Submission) -> int | None:
    """1 for the submission that is graded next, 0 for one that is being graded, None for one that is not waiting."""
    if submission.state is JobState.RUNNING:
        return 0
    if submission.state is not JobState.QUEUED:
        return None
    ranked = _ranked()
    turn = session.scalar(select(ranked.c.turn).where(ranked.c.id == submission.id))
    before = or_(ranked.c.turn < turn, and_(ranked.c.turn == turn, ranked.c.id < submission.id))
    return (session.scalar(select(func.count()).where(ranked.c.state == JobState.QUEUED, before)) or 0) + 1


def seconds_to_wait(session: Session, position: int) -> float | None:
    """How long a submission at that position waits for its report, judged by those that were finished while somebody
    waited; None while they are too few to tell."""
    done = select(Submission.finished_at).where(Submission.finished_at >= _oldest())
    latest = session.scalars(done.order_by(Submission.finished_at.desc()).limit(LATELY)).all()
    each_s = latest_pace(latest)
    return None if each_s is None else each_s * position


def _ranked() -> Subquery:
    """The submissions that count, each with its `turn`: 1 for its author's first, 2 for the second."""
    turn = func.row_number().over(partition_by=Submission.author_id, order_by=Submission.id).label("turn")
    counted = union(
        select(Submission.id).where(Submission.state.in_(PENDING)),
        select(Submission.id).where(Submission.finished_at >= _oldest()),
    )  # one condition with "or" would read the whole table
    return select(Submission.id, Submission.state, turn).where(Submission.id.in_(counted)).subquery()


def _oldest() -> ScalarSelect[Any]:
    """The time at which the oldest waiting submission was queued."""
    return select(func.min(Submission.queued_at)).where(Submission.state == JobState.QUEUED).scalar_subquery()
