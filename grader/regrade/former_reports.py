"""The former reports of a submission that was graded again: when each was made, for whom and why."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Select, select
from sqlalchemy.orm import Session, contains_eager

from grader.grading.report import Report, unpack
from grader.grading.shortened import for_student
from grader.models import Regrade, RegradeBatch, Submission
from grader.regrade.difference import from_json
from tournament.store.jobs import PENDING, JobState


@dataclass(frozen=True, slots=True)
class DatedReport:
    """A report and what made it. `batch` says why and for whom it was made, None for the first report. `replaced_by` is
    the regrade that keeps it, None for the report that counts."""

    made_at: datetime | None
    points: float | None
    batch: RegradeBatch | None
    replaced_by: Regrade | None


def reports_of(session: Session, submission: Submission) -> list[DatedReport]:
    """All reports of a submission, the newest first, which counts; none if it was graded only once."""
    found, made_at, batch = [], submission.finished_at, None
    for regrade in session.scalars(_regrades(submission).where(Regrade.state == JobState.DONE)):
        points = from_json(regrade.difference).points[0] if regrade.difference else None
        found.append(DatedReport(made_at, points, batch, regrade))
        made_at, batch = regrade.finished_at, regrade.batch
    return [DatedReport(submission.regraded_at, submission.points, batch, None), *reversed(found)] if found else []


def former_report(
    session: Session, submission: Submission, regrade_id: int, whole: bool
) -> tuple[Report, DatedReport] | None:
    """The report that this regrade replaced, `whole` or as a student may see it; None if it did not replace a report of
    this submission."""
    for made in reports_of(session, submission):
        if made.replaced_by and made.replaced_by.id == regrade_id and made.replaced_by.former:
            report = unpack(made.replaced_by.former)
            return report if whole else for_student(report), made
    return None


def under_way(session: Session, submission: Submission) -> Regrade | None:
    """The regrade for which a submission waits."""
    return session.scalar(_regrades(submission).where(Regrade.state.in_(PENDING)).limit(1))


def _regrades(submission: Submission) -> Select[Regrade]:
    wanted = select(Regrade).join(Regrade.batch).options(contains_eager(Regrade.batch)).order_by(Regrade.id)
    return wanted.where(Regrade.submission_id == submission.id, RegradeBatch.candidate.is_(None))
