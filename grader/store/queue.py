"""The order in which submissions are graded.

The order is fair between students: a student's second submission ranks below everybody's first. Besides submissions
that wait or run, those that have finished since the oldest waiting submission was queued are counted too: otherwise, a
student with many submissions would come first again whenever one of them finishes. A student's own submissions are
graded one at a time, in the order of upload.

Regrades come after all uploads, one job at a time, so an upload waits for at most one regrade.

A submission of a program is claimed only by a worker that offers its languages. Players never wait for a compiler:
workers of the kind `PLAYERS` grade only players. If no such worker is running, players come before programs.
"""

from dataclasses import dataclass
from functools import cache, reduce
from typing import Any, Final

from sqlalchemy import ColumnElement, ScalarSelect, Select, and_, bindparam, func, literal, or_, select, union
from sqlalchemy.orm import Session

from grader.store.models import Regrade, RegradeBatch, Submission
from tournament.store.database import columns, now
from tournament.store.jobs import PENDING, UNFINISHED, JobState, claimable
from tournament.work.backlog import latest_pace
from tournament.work.runner import GRADE
from tournament.work.workers import workers

NOT_DONE = Submission.id.in_(select(Submission.id).where(Submission.state.in_(UNFINISHED)))
"""Matches ungraded submissions, using the index of states. A plain condition on the state, combined with an assignment,
would make SQLite read all rows of that assignment, including the reports."""

GRADE_PROGRAM: Final = "grader.grade_program"
"""The message to workers that also grade programs: there may be something to grade. `GRADE` is the message to other
workers."""

GRADING: Final = "grading"  # the kind of workers that grade everything
PLAYERS: Final = "players"  # the kind of workers that grade only players
LATELY = 50  # the number of finished submissions from which the waiting time is estimated


def message_for(needs: str) -> str:
    """Return the message for a job with these `needs`."""
    return GRADE_PROGRAM if needs else GRADE


def met(needs: Any, offers: frozenset[str]) -> ColumnElement[bool]:
    """Return the condition that `offers` contains every language in the column `needs`."""

    def without(left: ColumnElement[str], language: str) -> ColumnElement[str]:
        return func.replace(left, f" {language} ", " ")

    return func.trim(reduce(without, sorted(offers), literal(" ").concat(needs).concat(" "))) == ""


@cache
def fair_order(offers: frozenset[str] = frozenset(), players_first: bool = False) -> Select[Any]:
    """Select the submissions that can be graded next with the languages in `offers`, in order, for
    `jobs.claim_first`."""
    ranked = _ranked(offers).subquery()
    ids = select(Submission.id).join(ranked, ranked.c.id == Submission.id)
    ids = ids.where(Submission.id.in_(_firsts(met(Submission.needs, offers))))
    heavy = [Submission.needs != ""] if players_first else []
    return ids.order_by(*heavy, ranked.c.turn, Submission.id)


def _firsts(only: ColumnElement[bool]) -> Select[Any]:
    """Select the first pending submission of each student. A submission that waits for another worker does not delay
    the student's other submissions."""
    pending = select(func.min(Submission.id)).where(Submission.state.in_(PENDING), only)
    return pending.group_by(Submission.author_id, Submission.needs)


@cache
def regrade_order(offers: frozenset[str] = frozenset()) -> Select[Any]:
    """Select the ids of the regrades, in order, for `tournament.store.jobs.claim_first`. The batch with the fewest
    remaining regrades comes first, so that a single submission does not wait for a whole class."""
    left = select(Regrade.batch_id, func.count().label("jobs")).where(Regrade.state.in_(PENDING))
    batches = left.group_by(Regrade.batch_id).subquery()
    ids = select(Regrade.id).join(batches, batches.c.batch_id == Regrade.batch_id).join(Regrade.batch)
    ids = ids.where(Regrade.state.in_(PENDING), met(RegradeBatch.needs, offers))
    return ids.order_by(batches.c.jobs, Regrade.batch_id, Regrade.id)


@dataclass(frozen=True, slots=True)
class Crew:
    """The workers that are running: their kinds, and the languages that at least one of them offers."""

    kinds: frozenset[str]
    offers: frozenset[str]


def crew_of(session: Session) -> Crew:
    """Return the workers that are running now."""
    at = now()
    able = [each for each in workers(session) if not each.problem(at)]
    kinds = frozenset(each.queue for each in able)
    return Crew(kinds, frozenset(language for each in able for language in each.offers.split()))


def players_first(crew: Crew) -> bool:
    """Whether players come before programs: true if no worker grades only players."""
    return PLAYERS not in crew.kinds


def lacking(crew: Crew, needs: str) -> list[str]:
    """Return the languages in `needs` that no worker offers; empty if no grading worker is running."""
    grading = crew.kinds & {GRADING, PLAYERS}
    return [language for language in needs.split() if language not in crew.offers] if grading else []


def anything_due(session: Session, programs: bool = False) -> bool:
    """Whether a worker with the right languages can claim a submission now. With `programs`, only submissions of
    programs are considered; otherwise, only players."""
    due = select(Submission.id).where(Submission.id.in_(_firsts((Submission.needs != "") == programs)))
    return session.scalar(due.where(claimable(Submission, now())).limit(1)) is not None


def regrade_due(session: Session, programs: bool = False) -> bool:
    """Whether a regrade can be claimed now. With `programs`, only regrades that need languages are considered;
    otherwise, only the others."""
    due = select(Regrade.id).join(Regrade.batch).where((RegradeBatch.needs != "") == programs)
    return session.scalar(due.where(claimable(Regrade, now())).limit(1)) is not None


def unmet_needs(session: Session, crew: Crew, *of: ColumnElement[bool]) -> list[str]:
    """Return the needs of queued submissions that no worker meets. `of` are further conditions on the submissions."""
    queued = select(Submission.needs).where(NOT_DONE, Submission.state == JobState.QUEUED, Submission.needs != "", *of)
    return [needs for needs in session.scalars(queued.distinct()) if lacking(crew, needs)]


def queue_position(session: Session, crew: Crew, submission: Submission) -> int | None:
    """Return the place of a submission in the queue: 1 if it is graded next, 0 if it is being graded, None if it is not
    waiting."""
    if submission.state is JobState.RUNNING:
        return 0
    if submission.state is not JobState.QUEUED:
        return None
    before = _number_before(crew.offers, players_first(crew), bool(submission.needs))
    return (columns(session, before, {"submission": submission.id}).scalar() or 0) + 1


@cache
def _number_before(offers: frozenset[str], players_first: bool, program: bool) -> Select[Any]:
    """Select the number of submissions ahead of a submission. `program` says whether that submission is of a
    program."""
    ranked = _ranked(offers).cte()
    turn = select(ranked.c.turn).where(ranked.c.id == bindparam("submission")).scalar_subquery()
    before = or_(ranked.c.turn < turn, and_(ranked.c.turn == turn, ranked.c.id < bindparam("submission")))
    if players_first:
        before = or_(ranked.c.needs == "", before) if program else and_(ranked.c.needs == "", before)
    return select(func.count()).select_from(ranked).where(ranked.c.state == JobState.QUEUED, before)


def seconds_to_wait(session: Session, crew: Crew, position: int) -> float | None:
    """Estimate how long a submission at this position waits, by the pace since the oldest submission was queued; None
    if unknown."""
    each_s = latest_pace(columns(session, _latest_finished(crew.offers), {}).scalars().all())
    return None if each_s is None else each_s * position


def expected_wait(session: Session, crew: Crew, submission: Submission) -> tuple[int | None, float | None]:
    """Return the place of a submission in the queue, and its expected remaining wait in seconds; each is None if
    unknown."""
    position = queue_position(session, crew, submission)
    return position, seconds_to_wait(session, crew, position) if position else None


@cache
def _latest_finished(offers: frozenset[str]) -> Select[Any]:
    done = select(Submission.finished_at).where(Submission.finished_at >= _oldest(offers))
    return done.order_by(Submission.finished_at.desc()).limit(LATELY)


def _ranked(offers: frozenset[str]) -> Select[Any]:
    """Select the submissions that count for the order, each with its `turn`: its number among its author's submissions,
    from 1."""
    turn = func.row_number().over(partition_by=Submission.author_id, order_by=Submission.id).label("turn")
    counted = union(
        select(Submission.id).where(Submission.state.in_(PENDING)),
        select(Submission.id).where(Submission.finished_at >= _oldest(offers)),
    )  # a condition with "or" would read the whole table
    return select(Submission.id, Submission.state, Submission.needs, turn).where(Submission.id.in_(counted))


def _oldest(offers: frozenset[str]) -> ScalarSelect[Any]:
    """Select the time when the oldest waiting submission was queued. Submissions that no running worker can grade are
    left out, since they may wait for weeks."""
    waiting = Submission.state == JobState.QUEUED, met(Submission.needs, offers)
    return select(func.min(Submission.queued_at)).where(*waiting).scalar_subquery()
