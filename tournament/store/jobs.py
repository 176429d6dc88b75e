"""Jobs: rows that one worker at a time claims, for the duration of a lease. A job is finished only once, however often
its message is delivered, since the worker that finishes it must still hold the claim. When the lease has run out,
the job can be claimed again. A job that has failed `MAX_ATTEMPTS` times with internal errors is parked. So is a job
that kills its workers: if `MAX_ATTEMPTS` of its workers died while no other workers did."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, ClassVar, TypeVar, cast

from sqlalchemy import ColumnElement, Select, and_, bindparam, delete, exists, or_, select, table, update
from sqlalchemy.orm import Mapped, Session, mapped_column, object_session

from tournament.store.database import BENEATH, Base, Sessions, changed, now, reading, words, writing

MAX_ATTEMPTS = 3

TOGETHER = timedelta(minutes=5)
"""Workers that die within this time of each other may have died of the same cause, which is probably not a job."""

MOST_DEATHS = 10
"""A job is parked after this many deaths, whatever other workers died. Otherwise two jobs that kill workers could
continue to do so indefinitely."""

HUNG = "its worker did not respond for a minute and had to be stopped"
"""The reason why a job was parked at its first attempt."""

OVERDUE = timedelta(seconds=10)
"""A job that has waited this long may have lost its message; a sweep sends another."""

LEASE = timedelta(seconds=90)
"""How long a worker keeps a job without a sign of life. The watch of a worker that hangs kills it within this time, so
no other worker claims the job before that (see `sandbox.signs`)."""

LAPSED = "its worker did not respond before the lease ran out"
"""The reason for a failed attempt whose worker could not report a reason."""

LONGEST_LEASE = timedelta(minutes=10)
"""No lease lasts longer. A lease that seems longer was granted before a clock was set back, and is ignored."""


class NotNow(Exception):
    """This process cannot do a job at present. This does not count as an attempt; the message says why."""


POSTPONED_S = 60.0
"""Seconds until a job that could not be done is tried again."""


class JobState(StrEnum):
    """The state of a job."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    PARKED = "parked"  # after too many internal errors; `trouble` says which
    CANCELLED = "cancelled"


PENDING = (JobState.QUEUED, JobState.RUNNING)
"""The states of a job that will be done without anybody's intervention."""

UNFINISHED = (*PENDING, JobState.PARKED)
"""The states of a job that can still be done."""


class Job:
    """Columns of a claimable row. `awaited`: somebody waits for jobs of this kind, see `tournament.work.turns`."""

    awaited: ClassVar[bool] = False
    counted: ClassVar[tuple[str, ...]] = ("attempts",)  # the columns that each claim counts up

    state: Mapped[JobState] = mapped_column(words(JobState), default=JobState.QUEUED, index=True)
    attempts: Mapped[int] = mapped_column(default=0)
    owner: Mapped[str | None] = mapped_column(default=None)
    # For a queued job, the time before which it cannot be claimed
    lease_until: Mapped[datetime | None] = mapped_column(default=None)
    queued_at: Mapped[datetime] = mapped_column(default=now)
    finished_at: Mapped[datetime | None] = mapped_column(default=None)
    trouble: Mapped[str] = mapped_column(default="")

    def was_parked(self) -> None:
        """A hook to notify people; called in the transaction that parks the job."""

    def was_cut_off(self, why: str) -> None:
        """A hook to record a failed attempt; called in the transaction that discovers it."""


class Death(Base):
    """An attempt at a `job`, such as “block 17”, whose worker died."""

    __tablename__ = "death"

    job: Mapped[str] = mapped_column(primary_key=True)
    attempt: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime]


AnyJob = TypeVar("AnyJob", bound=Any)
Plan = TypeVar("Plan")


@dataclass(frozen=True, slots=True)
class Claim:
    """Proof that `owner` holds job `id` in its `attempt`-th attempt. `deals`: for a block, see `Block.deals`."""

    id: int
    owner: str
    attempt: int
    deals: int = field(default=0, compare=False)


ANY_CLAIM: Claim = cast("Any", Claim)(bindparam("id"), bindparam("owner"), bindparam("attempt"))
"""Stands for the claim in a statement that is built once; `asdict(claim)` gives the values when it is executed."""


_NO_MAINTENANCE = ~exists().select_from(table("maintenance"))
"""A condition: there is no maintenance. Workers check for maintenance before each task, but a worker that checked just
before maintenance began must not claim anything afterwards."""


def claimable(kind: type[AnyJob], at: datetime) -> ColumnElement[bool]:
    """Return a condition for jobs that can be claimed: they are queued and not resting after an error, or their lease
    has run out."""
    free = or_(kind.lease_until.is_(None), kind.lease_until < at, kind.lease_until > at + LONGEST_LEASE)
    return and_(kind.state.in_(PENDING), free)


def overdue(kind: type[AnyJob], at: datetime) -> ColumnElement[bool]:
    """Return a condition for claimable jobs whose message may be lost: they were begun before, have waited long, or
    were queued before the clock was set back."""
    return or_(kind.attempts > 0, kind.queued_at < at - OVERDUE, kind.queued_at > at + OVERDUE)


def claim_first(
    sessions: Sessions,
    kind: type[AnyJob],
    candidates: Select[int],
    owner: str,
    plan: Callable[[Session, int], Plan],
) -> tuple[Claim, Plan] | None:
    """Claim the first of the candidates (a select of ids, best first) that is still claimable. If no job is due, lock
    nothing and return None. Before the claim, while nothing is locked, `plan` reads the data needed for the job with
    this id. A job for which `plan` raises NotNow is postponed, and the next one is tried."""
    passed: set[int] = set()
    while True:
        with reading(sessions) as session:
            due = candidates.where(claimable(kind, now()), kind.id.not_in(passed), _NO_MAINTENANCE).limit(1)
            id_ = session.scalar(due)
            if id_ is None:
                return None
            try:
                planned, why = plan(session, id_), ""
            except NotNow as error:
                why = str(error)
        with writing(sessions) as session:
            if why:
                for row in _unlocked(session, kind, now(), kind.id == id_):
                    postpone(row, why)
            elif claim := take(session, kind, id_, owner):
                return claim, planned
        passed.add(id_)


def _unlocked(session: Session, kind: type[AnyJob], at: datetime, *conditions: Any) -> Sequence[AnyJob]:
    """Lock the claimable jobs of a kind, except those that somebody else has locked, and return them."""
    wanted = select(kind).where(claimable(kind, at), *conditions).with_for_update(skip_locked=True, of=kind)
    return session.scalars(wanted.order_by(kind.id).execution_options(populate_existing=True)).all()


def take(session: Session, kind: type[Any], id_: int, owner: str) -> Claim | None:
    """Claim this particular job, and count the attempt; return None if it can no longer be claimed. A worker whose
    lease ran out is assumed to be dead."""
    at = now()
    # Lock and check in one statement: somebody may have claimed the job since it was found.
    free = or_(kind.state == JobState.QUEUED, kind.lease_until.is_(None))
    open_ = select(kind.id).where(kind.id == id_, claimable(kind, at), free, _NO_MAINTENANCE)
    locked = open_.with_for_update(skip_locked=True, of=kind)
    counts = [getattr(kind, name) for name in kind.counted]
    taken = update(kind).where(kind.id == locked.scalar_subquery())
    taken = taken.values(state=JobState.RUNNING, owner=owner, lease_until=at + LEASE)
    taken = taken.values({each.key: each + 1 for each in counts})
    counted = session.execute(taken.returning(*counts), execution_options=BENEATH).one_or_none()
    if counted is not None:
        return Claim(id_, owner, *counted)
    lapsed: list[Any] = []
    for each in job_kinds():  # all kinds, to see which workers died together
        lapsed += _unlocked(session, each, at, each.state == JobState.RUNNING, each.lease_until.is_not(None))
    _note_deaths(session, lapsed, LAPSED)
    return take(session, kind, id_, owner) if lapsed else None


def _note_deaths(session: Session, jobs: Sequence[Any], why: str) -> None:
    """Record that the workers of these jobs have died. This does not count as a failure of the jobs, since workers also
    die when their machine fails. But a job is parked if its workers died MAX_ATTEMPTS times while no other job's
    workers did, since the job is then the cause."""
    for row in jobs:
        row.was_cut_off(why)
        session.merge(Death(job=_job_name(row), attempt=row.attempts, at=row.lease_until if why == LAPSED else now()))
        row.lease_until = None
    session.execute(delete(Death).where(Death.at < now() - timedelta(days=1)), execution_options=BENEATH)
    deaths = session.scalars(select(Death)).all()
    for row in jobs:
        own = _deaths_of(deaths, row)
        others = [each.at for each in deaths if each.job != _job_name(row)]
        alone = [each for each in own if all(abs(each.at - at) > TOGETHER for at in others)]
        if len(alone) >= MAX_ATTEMPTS or len(own) >= MOST_DEATHS:
            _park(row, row.trouble or "it was abandoned because the workers processing it died")
    session.flush()


def _deaths_of(deaths: Sequence[Death], row: Any) -> Sequence[Death]:
    """Return the deaths in the attempts since the job was last queued, or last made progress."""
    return [each for each in deaths if each.job == _job_name(row) and each.attempt <= row.attempts]


def _job_name(row: Any) -> str:
    return f"{row.__tablename__} {row.id}"


def stands(kind: type[AnyJob], claim: Claim) -> ColumnElement[bool]:
    """Return the condition that a job's row still has this claim."""
    mine = (kind.owner == claim.owner, kind.attempts == claim.attempt)
    return and_(kind.id == claim.id, kind.state == JobState.RUNNING, *mine)


def held(session: Session, kind: type[AnyJob], claim: Claim) -> AnyJob | None:
    """Return the job, locked, if the claim is still valid; None if the lease ran out and another worker has the job."""
    wanted = select(kind).where(stands(kind, claim)).with_for_update(of=kind)
    return session.scalar(wanted.execution_options(populate_existing=True))


def renew(session: Session, kind: type[AnyJob], claim: Claim, **more: Any) -> bool:
    """Lengthen a lease, and set the columns in `more`. Returns False, and changes nothing, if the claim is no longer
    valid."""
    renewed = update(kind).where(stands(kind, claim)).values(lease_until=now() + LEASE, **more)
    return changed(session, renewed) > 0


def finish(row: Any, trouble: str = "") -> None:
    """Mark a held job as done; `trouble` says why it ended early."""
    _end_job(row, JobState.DONE, trouble)


def cancel(row: Any, trouble: str = "") -> None:
    """End a job that is no longer wanted, and say why. A worker that holds it finds out when it renews its lease."""
    _end_job(row, JobState.CANCELLED, trouble)


def queue_last(row: Any) -> None:
    """Queue a job behind those that wait, with its full number of attempts."""
    row.state, row.owner, row.lease_until, row.trouble = JobState.QUEUED, None, None, ""
    row.attempts, row.queued_at, row.finished_at = 0, now(), None


def fail(row: Any, trouble: str, rest_s: float = 0.0) -> None:
    """Return a held job after an internal error. It is queued again, and claimable after `rest_s` seconds so that a
    passing problem does not use up all attempts. After the last attempt it is parked instead."""
    row.was_cut_off(trouble)
    session = object_session(row)
    deaths = session.scalars(select(Death).where(Death.job == _job_name(row))).all() if session else []
    if row.attempts - len(_deaths_of(deaths, row)) >= MAX_ATTEMPTS:
        _park(row, trouble)
    else:
        rest = now() + timedelta(seconds=rest_s) if rest_s else None
        row.state, row.owner, row.lease_until, row.trouble = JobState.QUEUED, None, rest, trouble


def postpone(row: Any, why: str, rest_s: float = POSTPONED_S) -> None:
    """Put aside a job, held or not, that this process cannot do. Any process may try it after `rest_s` seconds. The
    claim is not counted as an attempt, so the job is never parked for this."""
    if row.state is JobState.RUNNING and row.owner is not None:
        row.attempts -= 1
    rest = now() + timedelta(seconds=rest_s)
    row.state, row.owner, row.lease_until, row.trouble = JobState.QUEUED, None, rest, why


def _park(row: Any, trouble: str) -> None:
    _end_job(row, JobState.PARKED, trouble)
    row.was_parked()


def _end_job(row: Any, state: JobState, trouble: str) -> None:
    for column, value in ended(state, trouble).items():
        setattr(row, column, value)


def ended(state: JobState, trouble: str = "") -> Mapping[str, Any]:
    """Return the columns to set in a statement that ends a job in this state."""
    return {"state": state, "owner": None, "lease_until": None, "trouble": trouble, "finished_at": now()}


def job_kinds() -> Sequence[type[Any]]:
    """Return every table of jobs that is known to this process."""
    return [mapper.class_ for mapper in Base.registry.mappers if issubclass(mapper.class_, Job)]


def release(session: Session, owner: str, hung: bool = False) -> int:
    """End the leases of all jobs held by `owner`, a worker that has died, and return how many there were. They can be
    claimed at once. If the worker `hung`, they are parked instead, since they would make the next worker hang too.
    """
    found: list[Any] = []
    for kind in job_kinds():
        theirs = (kind.state == JobState.RUNNING, kind.owner == owner, kind.lease_until.is_not(None))
        found += session.scalars(select(kind).where(*theirs).order_by(kind.id).with_for_update(of=kind))
    if not hung:
        _note_deaths(session, found, f"the worker {owner} died")
    for row in found if hung else ():
        row.was_cut_off(HUNG)
        _park(row, HUNG)
    return len(found)


def renew_all(session: Session, owner: str) -> None:
    """Lengthen the leases of all jobs that `owner` holds."""
    for kind in job_kinds():
        theirs = update(kind).where(kind.state == JobState.RUNNING, kind.owner == owner, kind.lease_until.is_not(None))
        changed(session, theirs.values(lease_until=now() + LEASE))


def requeue(session: Session, kind: type[AnyJob], id_: int) -> None:
    """Queue a parked job again, at its former place and with its full number of attempts."""
    parked = update(kind).where(kind.id == id_, kind.state == JobState.PARKED)
    session.execute(parked.values(state=JobState.QUEUED, attempts=0, trouble="", finished_at=None))
