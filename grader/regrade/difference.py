"""Determines the changes by a regrade, in one report or in all reports of a batch. Also reads the former reports of a
submission."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session, contains_eager, joinedload

from grader.grading.report import QuestionReport, Report, for_student, unpack
from grader.store.models import Regrade, RegradeBatch, Submission
from tournament.store.jobs import PENDING, JobState
from tournament.work.backlog import latest_pace


@dataclass(frozen=True, slots=True)
class CasesPassed:
    """The result of a question: cases passed, all cases, and points."""

    passed: int
    total: int
    points: float

    @property
    def complete(self) -> bool:
        """Whether every case passed."""
        return self.passed == self.total


@dataclass(frozen=True, slots=True)
class QuestionChange:
    """A question whose result changed. `former` or `now` is None if the question was not asked at that time."""

    slug: str
    former: CasesPassed | None
    now: CasesPassed | None

    @property
    def gained(self) -> bool:
        """Whether the student benefits from the change."""
        return _worth(self.now) > _worth(self.former)


@dataclass(frozen=True, slots=True)
class ReportDifference:
    """The differences between two reports: the points before and now, the questions that changed, and the ids of the
    tournaments for which the submission qualifies only now (`gained`) or qualified only before (`lost`)."""

    points: tuple[float, float]
    questions: list[QuestionChange]
    gained: list[int]
    lost: list[int]

    @property
    def changed(self) -> bool:
        """Whether the student must be notified."""
        return bool(self.questions or self.gained or self.lost)

    def to_json(self) -> dict[str, Any]:
        """Return the difference as plain data, for the database."""
        data: dict[str, Any] = _ADAPTER.dump_python(self, mode="json")
        return data


_ADAPTER = TypeAdapter(ReportDifference)


def difference_in(regrade: Regrade) -> ReportDifference:
    """Return the stored difference of a finished regrade."""
    return _ADAPTER.validate_python(regrade.difference)


def difference(former: Report, report: Report, qualified: set[int], qualifies: set[int]) -> ReportDifference:
    """Compare two reports. `qualified` and `qualifies` are the ids of the tournaments for which the submission
    qualified before and qualifies now."""
    points = (former.points, report.points)
    questions = question_changes(former.questions, report.questions)
    return ReportDifference(points, questions, sorted(qualifies - qualified), sorted(qualified - qualifies))


def question_changes(former: Sequence[QuestionReport], now: Sequence[QuestionReport]) -> list[QuestionChange]:
    """Return the questions whose points or completeness changed. A change only in the number of cases does not affect
    the student."""
    before, after = (
        {each.slug: CasesPassed(each.passed, each.total, each.points) for each in asked} for asked in (former, now)
    )
    slugs = dict.fromkeys([*after, *before])
    pairs = [QuestionChange(slug, before.get(slug), after.get(slug)) for slug in slugs]
    return [each for each in pairs if _worth(each.former) != _worth(each.now)]


def _worth(score: CasesPassed | None) -> tuple[float, bool]:
    return (score.points, score.complete) if score else (0.0, False)


LATELY = 100  # the number of finished regrades from which the remaining time is estimated


@dataclass(frozen=True, slots=True)
class ChangedSubmission:
    """A submission whose result changed."""

    submission: Submission
    difference: ReportDifference


@dataclass(frozen=True, slots=True)
class Summary:
    """The numbers of submissions in a batch: in total, remaining, unchanged, failed because of internal errors, and
    cancelled. `by_question` contains the numbers of submissions that gained and that lost in each question.
    `seconds_left` is None while it cannot be estimated."""

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
        """The number of regraded submissions."""
        return self.same + len(self.changes)


def summary(session: Session, batch: RegradeBatch) -> Summary:
    """Summarise a batch."""
    counted = select(Regrade.state, func.count().label("jobs")).where(Regrade.batch_id == batch.id)
    numbers = Counter({row.state: row.jobs for row in session.execute(counted.group_by(Regrade.state))})
    changed = select(Regrade).where(Regrade.batch_id == batch.id, Regrade.changed.is_(True)).order_by(Regrade.id)
    found = session.scalars(changed.options(joinedload(Regrade.submission)))
    changes = [ChangedSubmission(each.submission, difference_in(each)) for each in found]
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


@dataclass(frozen=True, slots=True)
class DatedReport:
    """A report and its origin. `batch` is the regrade batch that created the report; None for the first report.
    `replaced_by` is the regrade that replaced the report and stores it; None for the current report."""

    made_at: datetime | None
    points: float | None
    batch: RegradeBatch | None
    replaced_by: Regrade | None


def reports_of(session: Session, submission: Submission) -> tuple[list[DatedReport], Regrade | None]:
    """Return all reports of a submission, the newest first (an empty list if it was graded only once), and the regrade
    for which it is waiting, if any."""
    found, made_at, batch, awaited = [], submission.finished_at, None, None
    for regrade in session.scalars(_REGRADES, {"submission": submission.id}):
        if regrade.state in PENDING:
            awaited = awaited or regrade
        elif regrade.state is JobState.DONE:
            points = difference_in(regrade).points[0] if regrade.difference else None
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
    """Return the report of this submission that this regrade replaced, or None. With `whole`, the report is complete;
    otherwise, it contains only what a student may see."""
    for made in reports_of(session, submission)[0]:
        if made.replaced_by and made.replaced_by.id == regrade_id and made.replaced_by.former:
            report = unpack(made.replaced_by.former)
            return report if whole else for_student(report), made
    return None
