"""The order in which submissions are graded.

It is fair between students: a student's second submission ranks below everybody's first. Submissions that wait or run
are counted, and those finished since the oldest waiting one was queued, so that a student with many does not come first
again each time one is done. A student's own submissions are graded one at a time, in the order of upload.

Regrades come after all uploads, one job at a time, so an upload waits for one regrade at most.

A submission of a program is claimed only by a worker that offers its languages. Players never wait for a compiler: a
worker of the kind `PLAYERS` grades nothing else, and where none runs, players come before programs.
"""

from functools import cache, reduce
from typing import Any, Final

from sqlalchemy import ColumnElement, ScalarSelect, Select, Subquery, and_, func, literal, or_, select, union
from sqlalchemy.orm import Session

from grader.models import Regrade, RegradeBatch, Submission
from tournament.final.pace import latest_pace
from tournament.store.database import now
from tournament.store.jobs import PENDING, JobState, claimable
from tournament.store.tables import Worker
from tournament.work.workers import workers

GRADE: Final = "grader.grade"
"""The message that there may be something to grade; `GRADE_PROGRAM` is for workers that grade programs too."""

GRADE_PROGRAM: Final = "grader.grade_program"

GRADING: Final = "grading"
"""The kind of workers that grade everything."""

PLAYERS: Final = "players"
"""The kind of workers that grade whatever asks for no program."""

LATELY = 50
"""The number of finished submissions from which the waiting time is estimated."""


def message_for(needs: str) -> str:
    """The message for a job with such `needs`."""
    return GRADE_PROGRAM if needs else GRADE


def met(needs: Any, offers: frozenset[str]) -> ColumnElement[bool]:
    """Whether everything in the column `needs` is offered."""

    def without(left: ColumnElement[str], language: str) -> ColumnElement[str]:
        return func.replace(left, f" {language} ", " ")

    return func.trim(reduce(without, sorted(offers), literal(" ").concat(needs).concat(" "))) == ""


@cache
def fair_order(offers: frozenset[str] = frozenset(), players_first: bool = False) -> Select[Any]:
    """The ids of the submissions whose turn it may be, best first; for `tournament.store.jobs.claim_first`. They need
    only languages in `offers`."""
    ranked = _ranked(offers)
    ids = select(Submission.id).join(ranked, ranked.c.id == Submission.id)
    ids = ids.where(Submission.id.in_(_firsts(met(Submission.needs, offers))))
    heavy = [Submission.needs != ""] if players_first else []
    return ids.order_by(*heavy, ranked.c.turn, Submission.id)


def _firsts(only: ColumnElement[bool]) -> Select[Any]:
    """The first pending submission of each student; what waits for another worker holds up nothing."""
    pending = select(func.min(Submission.id)).where(Submission.state.in_(PENDING), only)
    return pending.group_by(Submission.author_id, Submission.needs)


@cache
def regrade_order(offers: frozenset[str] = frozenset()) -> Select[Any]:
    """The ids of the regrades, best first; for `tournament.store.jobs.claim_first`. The batch with the least left comes
    first, so that a single submission does not wait for a whole class."""
    left = select(Regrade.batch_id, func.count().label("jobs")).where(Regrade.state.in_(PENDING))
    batches = left.group_by(Regrade.batch_id).subquery()
    ids = select(Regrade.id).join(batches, batches.c.batch_id == Regrade.batch_id).join(Regrade.batch)
    ids = ids.where(Regrade.state.in_(PENDING), met(RegradeBatch.needs, offers))
    return ids.order_by(batches.c.jobs, Regrade.batch_id, Regrade.id)


def players_first(session: Session) -> bool:
    """Whether players come before programs: no worker is there for players alone."""
    return not any(each.queue == PLAYERS for each in _at_work(session))


def lacking(session: Session, needs: str) -> list[str]:
    """The languages in `needs` that no worker offers; none while no worker grades anything."""
    grading = [each for each in _at_work(session) if each.queue in (GRADING, PLAYERS)]
    return [language for language in needs.split() if language not in _offered(session)] if grading else []


def _offered(session: Session) -> frozenset[str]:
    """The languages that some worker offers."""
    return frozenset(language for each in _at_work(session) for language in each.offers.split())


def _at_work(session: Session) -> list[Worker]:
    at = now()
    return [each for each in workers(session) if not each.problem(at)]


def anything_due(session: Session, programs: bool = False) -> bool:
    """Whether a submission, of a program or else of a player, could be claimed now by a worker that offers enough."""
    due = select(Submission.id).where(Submission.id.in_(_firsts((Submission.needs != "") == programs)))
    return session.scalar(due.where(claimable(Submission, now())).limit(1)) is not None


def regrade_due(session: Session, programs: bool = False) -> bool:
    """The same of regrades."""
    due = select(Regrade.id).join(Regrade.batch).where((RegradeBatch.needs != "") == programs)
    return session.scalar(due.where(claimable(Regrade, now())).limit(1)) is not None


def queue_position(session: Session, submission: Submission) -> int | None:
    """1 for the submission that is graded next, 0 for one that is being graded, None for one that is not waiting."""
    if submission.state is JobState.RUNNING:
        return 0
    if submission.state is not JobState.QUEUED:
        return None
    ranked = _ranked(_offered(session))
    turn = session.scalar(select(ranked.c.turn).where(ranked.c.id == submission.id))
    before = or_(ranked.c.turn < turn, and_(ranked.c.turn == turn, ranked.c.id < submission.id))
    if players_first(session):
        before = or_(ranked.c.needs == "", before) if submission.needs else and_(ranked.c.needs == "", before)
    return (session.scalar(select(func.count()).where(ranked.c.state == JobState.QUEUED, before)) or 0) + 1


def seconds_to_wait(session: Session, position: int) -> float | None:
    """How long a submission at that position waits for its report, judged by those that were finished while somebody
    waited; None while they are too few to tell."""
    done = select(Submission.finished_at).where(Submission.finished_at >= _oldest(_offered(session)))
    latest = session.scalars(done.order_by(Submission.finished_at.desc()).limit(LATELY)).all()
    each_s = latest_pace(latest)
    return None if each_s is None else each_s * position


def _ranked(offers: frozenset[str]) -> Subquery:
    """The submissions that count, each with its `turn`: 1 for its author's first, 2 for the second."""
    turn = func.row_number().over(partition_by=Submission.author_id, order_by=Submission.id).label("turn")
    counted = union(
        select(Submission.id).where(Submission.state.in_(PENDING)),
        select(Submission.id).where(Submission.finished_at >= _oldest(offers)),
    )  # one condition with "or" would read the whole table
    return select(Submission.id, Submission.state, Submission.needs, turn).where(Submission.id.in_(counted)).subquery()


def _oldest(offers: frozenset[str]) -> ScalarSelect[Any]:
    """The time at which the oldest waiting submission was queued, of those that can be graded: another may wait for
    weeks."""
    waiting = Submission.state == JobState.QUEUED, met(Submission.needs, offers)
    return select(func.min(Submission.queued_at)).where(*waiting).scalar_subquery()
