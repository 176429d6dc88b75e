"""How much work waits, who does it, and what is stuck: metrics read from the database when they are asked for, so that
every process of every host reports the same."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily
from sqlalchemy import ColumnElement, and_, case, func, select
from sqlalchemy.orm import Session

from tournament.store.database import now
from tournament.store.jobs import JobState, kinds
from tournament.store.tables import Block, Tournament, TournamentKind, TournamentState, Worker
from tournament.work.maintenance import maintenance
from tournament.work.workers import schedulers, site_processes, workers

PAUSED = "paused"
"""The state of what waits in a tournament that is paused, in place of `queued`."""

PENDING = (JobState.QUEUED, JobState.RUNNING, JobState.PARKED)
STATES = (*(state.value for state in PENDING), PAUSED)
NAMES = {"submission": "grading", "custom_game": "custom", "hand_game": "hand"}
"""What the jobs of a table are for, where its own name does not say it; blocks are for their tournament's kind."""


@dataclass(frozen=True, slots=True)
class Pending:
    """Jobs of one phase in one state: how many, since when the oldest was queued, and how many leases ran out."""

    phase: str
    state: str
    jobs: int
    oldest: datetime
    lapsed: int


def pending(session: Session, at: datetime) -> list[Pending]:
    """All that is not done, closed tournaments left out."""
    found = list(_blocks(session, at))
    for kind in kinds():
        if kind is not Block:
            wanted = select(kind.state, *_columns(kind, at)).where(kind.state.in_(PENDING)).group_by(kind.state)
            found += [Pending(phase_of(kind), *row) for row in session.execute(wanted)]
    return found


def phase_of(kind: type[Any]) -> str:
    """What the jobs of a table are for."""
    name: str = kind.__tablename__
    return NAMES.get(name, name)


def phases() -> list[str]:
    """All phases for which there can be work."""
    others = sorted(phase_of(kind) for kind in kinds() if kind is not Block)
    return [*others, *(kind.value for kind in TournamentKind)]


def _blocks(session: Session, at: datetime) -> Iterator[Pending]:
    alive = (Block.state.in_(PENDING), Tournament.state != TournamentState.CLOSED)
    groups = (Tournament.kind, Tournament.state, Block.state)
    wanted = select(*groups, *_columns(Block, at)).join(Block.tournament).where(*alive).group_by(*groups)
    for kind, tournament, state, *rest in session.execute(wanted):
        rests = tournament is TournamentState.PAUSED and state is JobState.QUEUED
        yield Pending(kind.value, PAUSED if rests else state.value, *rest)


def _columns(kind: Any, at: datetime) -> tuple[ColumnElement[Any], ...]:
    lapsed = case((and_(kind.state == JobState.RUNNING, kind.lease_until < at), 1), else_=0)
    return func.count(), func.min(kind.queued_at), func.sum(lapsed)


def gauges(session: Session) -> Iterator[Metric]:
    """The metrics."""
    at = now()
    found = pending(session, at)
    yield _gauge("jobs", "Jobs that are not done.", ("phase", "state"), _numbers(found))
    yield _gauge(
        "oldest_job_seconds", "How long the job has waited that was queued first.", ("phase",), _ages(found, at)
    )
    yield _gauge("leases", "Jobs that workers hold.", ("phase", "state"), _leases(found))
    yield _gauge("workers", "Worker processes.", ("queue", "state"), _workers(workers(session), at))
    states = [_state(each, at) for each in site_processes(session)]
    numbers = [((state,), states.count(state)) for state in ("working", "silent")]
    yield _gauge("site_processes", "Processes of the site.", ("state",), numbers)
    well = [each for each in schedulers(session) if not each.trouble]
    yield _gauge("schedulers", "Scheduler processes; one works, others stand by.", (), [((), len(well))])
    yield _gauge("maintenance", "1 during maintenance.", (), [((), int(maintenance(session) is not None))])


Sample = tuple[tuple[str, ...], float]


def _gauge(name: str, meaning: str, labels: tuple[str, ...], samples: Iterable[Sample]) -> Metric:
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
    states = [(each.queue, _state(each, at)) for each in found]
    for queue in sorted({"grading", "ladder", *(queue for queue, _ in states)}):
        for state in ("working", "out_of_service", "silent"):
            yield (queue, state), states.count((queue, state))


def _state(worker: Worker, at: datetime) -> str:
    return "silent" if worker.silent(at) else "out_of_service" if worker.trouble else "working"
