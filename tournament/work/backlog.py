"""Metrics of waiting work, of workers, and of stuck work. They are read from the database when requested, so every
process of every host reports the same numbers. Also measures how long recent work took, so that pages can estimate
waiting times."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from itertools import pairwise
from statistics import median
from typing import Any

from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily
from sqlalchemy import ColumnElement, Select, and_, bindparam, case, func, select
from sqlalchemy.orm import Session

from tournament.store.database import now
from tournament.store.jobs import UNFINISHED, JobState, job_kinds
from tournament.store.tables import Block, Tournament, TournamentKind, TournamentState, Worker
from tournament.work.maintenance import maintenance
from tournament.work.workers import schedulers, site_processes, workers

PAUSED = "paused"
"""The state of jobs that wait in a paused tournament, in place of `queued`."""

STATES = (*(state.value for state in UNFINISHED), PAUSED)
NAMES = {"submission": "grading", "custom_game": "custom", "hand_game": "hand"}
"""The purpose of a table's jobs, if the table's name does not say it. Blocks are named by the kind of their tournament.
"""


@dataclass(frozen=True, slots=True)
class Pending:
    """The jobs of one phase in one state: their number, the time at which the oldest was queued, and the number of
    leases that have run out."""

    phase: str
    state: str
    jobs: int
    oldest: datetime
    lapsed: int


def pending(session: Session, at: datetime) -> list[Pending]:
    """Return all jobs that are not done, except those of closed tournaments."""
    alive = (Block.state.in_(UNFINISHED), Tournament.state != TournamentState.CLOSED)
    groups = (Tournament.kind, Tournament.state, Block.state)
    blocks = select(*groups, *_job_columns(Block, at)).join(Block.tournament).where(*alive).group_by(*groups)
    found = []
    for of, tournament, state, *rest in session.execute(blocks):
        rests = tournament is TournamentState.PAUSED and state is JobState.QUEUED
        found.append(Pending(of.value, PAUSED if rests else state.value, *rest))
    for kind in job_kinds():
        if kind is not Block:
            wanted = select(kind.state, *_job_columns(kind, at)).where(kind.state.in_(UNFINISHED)).group_by(kind.state)
            found += [Pending(phase_of(kind), *row) for row in session.execute(wanted)]
    return found


def phase_of(kind: type[Any]) -> str:
    """Return the purpose of a table's jobs."""
    name: str = kind.__tablename__
    return NAMES.get(name, name)


def phases() -> list[str]:
    """Return all phases for which there can be work."""
    others = sorted(phase_of(kind) for kind in job_kinds() if kind is not Block)
    return [*others, *(kind.value for kind in TournamentKind)]


def _job_columns(kind: Any, at: datetime) -> tuple[ColumnElement[Any], ...]:
    lapsed = case((and_(kind.state == JobState.RUNNING, kind.lease_until < at), 1), else_=0)
    return func.count(), func.min(kind.queued_at), func.sum(lapsed)


def gauges(session: Session) -> Iterator[Metric]:
    """Yield the metrics of the backlog."""
    at = now()
    found = pending(session, at)
    yield gauge("jobs", "Jobs that are not done.", ("phase", "state"), _numbers(found))
    yield gauge(
        "oldest_job_seconds", "How long the job has waited that was queued first.", ("phase",), _ages(found, at)
    )
    yield gauge("leases", "Jobs that workers hold.", ("phase", "state"), _leases(found))
    yield gauge("workers", "Worker processes.", ("queue", "state"), _workers(workers(session), at))
    states = [_worker_state(each, at) for each in site_processes(session)]
    numbers = [((state,), states.count(state)) for state in ("working", "silent")]
    yield gauge("site_processes", "Processes of the site.", ("state",), numbers)
    well = [each for each in schedulers(session) if not each.trouble]
    yield gauge("schedulers", "Scheduler processes; one works, others stand by.", (), [((), len(well))])
    yield gauge("maintenance", "1 during maintenance.", (), [((), int(maintenance(session) is not None))])


Sample = tuple[tuple[str, ...], float]


def gauge(name: str, meaning: str, labels: tuple[str, ...], samples: Iterable[Sample]) -> Metric:
    """Return a metric whose numbers go up and down. Each sample consists of the values of the labels and a number."""
    family = GaugeMetricFamily(f"quadrille_{name}", meaning, labels=labels)
    for values, number in samples:
        family.add_metric(values, number)
    return family


def _numbers(found: list[Pending]) -> Iterator[Sample]:
    for phase in phases():
        for state in STATES:
            jobs = sum(each.jobs for each in found if (each.phase, each.state) == (phase, state))
            if state != PAUSED or jobs:
                yield (phase, state), jobs


def _ages(found: list[Pending], at: datetime) -> Iterator[Sample]:
    for phase in phases():
        queued = [each.oldest for each in found if (each.phase, each.state) == (phase, JobState.QUEUED)]
        yield (phase,), max(0.0, (at - min(queued)).total_seconds()) if queued else 0.0


def _leases(found: list[Pending]) -> Iterator[Sample]:
    for phase in phases():
        held = [each for each in found if (each.phase, each.state) == (phase, JobState.RUNNING)]
        lapsed = sum(each.lapsed for each in held)
        yield (phase, "held"), sum(each.jobs for each in held) - lapsed
        yield (phase, "expired"), lapsed


def _workers(found: Iterable[Worker], at: datetime) -> Iterator[Sample]:
    states = [(each.queue, _worker_state(each, at)) for each in found]
    for queue in sorted({"grading", "ladder", *(queue for queue, _ in states)}):
        for state in ("working", "out_of_service", "silent"):
            yield (queue, state), states.count((queue, state))


def _worker_state(worker: Worker, at: datetime) -> str:
    return "silent" if worker.silent(at) else "out_of_service" if worker.trouble else "working"


# How long work takes


LATELY = timedelta(hours=2)
LATEST, FEWEST = 30, 3


def usual_wait_s(session: Session, kind: Any, **of: int) -> float | None:
    """Return the median number of seconds that the latest jobs of a kind took, waiting included; None if too few have
    ended recently. `of` narrows the jobs, e.g. `tournament_id=1`."""
    rows = session.execute(_ended(kind, *of), {"since": now() - LATELY, **of}).all()
    return median((done - queued).total_seconds() for queued, done in rows) if len(rows) >= FEWEST else None


@cache
def _ended(kind: Any, *columns: str) -> Select[*tuple[Any, ...]]:
    ended = select(kind.queued_at, kind.finished_at).where(
        kind.state == JobState.DONE,
        kind.finished_at >= bindparam("since"),
        *(getattr(kind, column) == bindparam(column) for column in columns),
    )
    return ended.order_by(kind.finished_at.desc()).limit(LATEST)


ENOUGH_GAPS = 8

PAUSE = 20
"""A gap that is longer than this many usual gaps is a pause, or due to a clock that was put forward."""


def pace(finished: Sequence[float]) -> float | None:
    """Return the average number of seconds from one finished block to the next; None while too few blocks are known.
    `finished`: the times at which blocks ended, in seconds and in order. Pauses, and jumps of the clock, are left
    out."""
    gaps = [later - earlier for earlier, later in pairwise(finished) if later >= earlier]
    if len(gaps) < ENOUGH_GAPS:
        return None
    usual = max(median(gaps), 0.001)
    kept = [gap for gap in gaps if gap <= PAUSE * usual]
    return sum(kept) / len(kept)


def latest_pace(latest: Sequence[datetime | None]) -> float | None:
    """Return the `pace` of blocks that ended at these times, the latest first."""
    return pace([at.timestamp() for at in reversed(latest) if at])
