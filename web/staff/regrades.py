"""Regrades as instructors see them: the list of batches, and the spreadsheet of one."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session, joinedload

from grader.definition.local_times import LocalTime
from grader.definition.question import label
from grader.regrade.batches import all_graded, that_count
from grader.regrade.difference import difference_in
from grader.store.models import Assignment, Regrade, RegradeBatch, Submission
from tournament.store.jobs import PENDING, JobState
from tournament.store.tables import Tournament
from web.models import User

SHOWN = 50
HEADS = ("name", "login", "submission", "file", "uploaded", "result", "points before", "points", "questions changed")
TOURNAMENTS = ("now qualifies for", "no longer qualifies for")
STATES = {
    JobState.QUEUED: "not graded yet",
    JobState.RUNNING: "not graded yet",
    JobState.PARKED: "not graded because of an internal error",
    JobState.CANCELLED: "cancelled",
}


@dataclass(frozen=True, slots=True)
class ListedBatch:
    """A batch with its numbers of submissions: all, those left, and those whose result changed."""

    batch: RegradeBatch
    total: int
    left: int
    changed: int


def batches(session: Session, assignment_id: int) -> list[ListedBatch]:
    """The batches that a page shows, the latest first."""
    numbers = (func.count(), _sum(Regrade.state.in_(PENDING)), _sum(Regrade.changed.is_(True)))
    wanted = select(RegradeBatch, *numbers).join(Regrade, Regrade.batch_id == RegradeBatch.id)
    wanted = wanted.where(RegradeBatch.assignment_id == assignment_id).group_by(RegradeBatch.id)
    return [ListedBatch(*row) for row in session.execute(wanted.order_by(RegradeBatch.id.desc()).limit(SHOWN))]


def _sum(condition: Any) -> Any:
    return func.sum(case((condition, 1), else_=0))


def counts(session: Session, assignment: Assignment, members: Collection[int]) -> dict[str, int]:
    """The number of submissions that each choice of the form means."""
    choices = {"count": that_count(session, assignment, members), "all": all_graded(assignment.id, members)}
    numbers = {name: select(func.count()).select_from(wanted.subquery()) for name, wanted in choices.items()}
    return {name: session.scalar(number) or 0 for name, number in numbers.items()}


def graded_before(session: Session, assignment: Assignment) -> int:
    """How many submissions have a report of a former version."""
    former = (Submission.assignment_id == assignment.id, Submission.version < assignment.version)
    return session.scalar(select(func.count()).where(*former, Submission.state == JobState.DONE)) or 0


def lines(session: Session, batch: RegradeBatch, people: Mapping[int, User], zone: ZoneInfo) -> Iterator[Sequence[Any]]:
    """Every submission of a batch, for a spreadsheet; the reason and the heads first."""
    yield ["reason", batch.reason]
    yield [*HEADS, *TOURNAMENTS]
    named = titles(session, batch.assignment_id)
    wanted = select(Regrade).where(Regrade.batch_id == batch.id).order_by(Regrade.id)
    for regrade in session.scalars(wanted.options(joinedload(Regrade.submission))):
        person, submission = people.get(regrade.submission.author_id), regrade.submission
        who = [person.name, person.login] if person else ["(no longer in the course)", ""]
        uploaded = LocalTime(submission.queued_at, zone).iso
        yield [*who, submission.id, submission.filename, uploaded, *_result(regrade, submission, named)]


def titles(session: Session, assignment_id: int) -> dict[int, str]:
    """The titles of an assignment's tournaments by id, former seasons included."""
    wanted = select(Tournament.id, Tournament.title).where(Tournament.assignment_id == assignment_id)
    return dict(session.execute(wanted).all())


def _result(regrade: Regrade, submission: Submission, named: Mapping[int, str]) -> list[Any]:
    if regrade.difference is None:
        return [STATES[regrade.state], submission.points]
    found = difference_in(regrade)
    questions = ", ".join(f"{label(each.slug)} {'gained' if each.gained else 'lost'}" for each in found.questions)
    gained, lost = (", ".join(named[id_] for id_ in ids) for ids in (found.gained, found.lost))
    return ["changed" if regrade.changed else "as before", *found.points, questions, gained, lost]
