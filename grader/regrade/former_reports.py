"""The former reports of a submission that was graded again: when each was made, for whom and why."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session, contains_eager

from grader.grading.report import Report, for_student, unpack
from grader.regrade.difference import from_json
from grader.store.models import Regrade, RegradeBatch, Submission
from tournament.store.jobs import PENDING, JobState


@dataclass(frozen=True, slots=True)
class DatedReport:
    """A report and what made it. `batch` says why and for whom it was made, None for the first report. `replaced_by` is
    the regrade that keeps it, None for the report that counts."""

    made_at: datetime | None
    points: float | None
    batch: RegradeBatch | None
    replaced_by: Regrade | None


def reports_of(session: Session, submission: Submission) -> tuple[list[DatedReport], Regrade | None]:
    """All reports of a submission, the newest first, which counts, or none if it was graded only once; and the regrade
    for which it waits."""
    found, made_at, batch, awaited = [], submission.finished_at, None, None
    for regrade in session.scalars(_REGRADES, {"submission": submission.id}):
        if regrade.state in PENDING:
            awaited = awaited or regrade
        elif regrade.state is JobState.DONE:
            points = from_json(regrade.difference).points[0] if regrade.difference else None
            found.append(DatedReport(made_at, points, batch, regrade))
            made_at, batch = regrade.finished_at, regrade.batch
    newest = DatedReport(submission.regraded_at, submission.points, batch, None)
    return [newest, *reversed(found)] if found else [], awaited


_REGRADES = (
    select(Regrade)
    .join(Regrade.batch)
    .options(contains_eager(Regrade.batch))
    .where(Regrade.submission_id == bindparam("submission"), RegradeBatch.candidate.is_(None))
    .order_by(Regrade.id)
)


def former_report(
    session: Session, submission: Submission, regrade_id: int, whole: bool
) -> tuple[Report, DatedReport] | None:
    """The report that this regrade replaced, `whole` or as a student may see it; None if it did not replace a report of
    this submission."""
    for made in reports_of(session, submission)[0]:
        if made.replaced_by and made.replaced_by.id == regrade_id and made.replaced_by.former:
            report = unpack(made.replaced_by.former)
            return report if whole else for_student(report), made
    return None
