"""Counts the work of processes, and stores the sums over all processes of all hosts in the database. Each process adds
its new counts every few seconds and when it ends cleanly. No mark depends on these counts."""

import json
import logging
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Self, TypeAlias

from prometheus_client import CollectorRegistry, Counter, Histogram, Metric, disable_created_metrics
from sqlalchemy import select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from tournament.store.database import Sessions, in_a_line, writing
from tournament.store.tables import MetricSum
from tournament.work.maintenance import maintenance

log = logging.getLogger(__name__)

disable_created_metrics()  # type: ignore[no-untyped-call]

COUNTED = CollectorRegistry()
"""The counts of this process since it started."""

SECONDS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0)

GAMES = Counter("quadrille_games", "Games that were played and stored.", ["game", "phase"], registry=COUNTED)
PLAYS = Counter("quadrille_plays", "Plays of those games.", ["game", "phase"], registry=COUNTED)
VERDICTS = Counter(
    "quadrille_verdicts",
    "Verdicts: of every case that was graded, and of every disqualification in a game.",
    ["phase", "verdict"],
    registry=COUNTED,
)
GRADED = Histogram(
    "quadrille_grading_seconds",
    "From an upload to its report, in seconds.",
    registry=COUNTED,
    buckets=SECONDS,
)
DEATHS = Counter(
    "quadrille_deaths", "Processes that died, or hung and were killed.", ["queue"], registry=COUNTED
)  # fmt: skip
SANDBOX_STARTS = Counter(
    "quadrille_sandbox_starts", "Players that were started in a sandbox.", ["sandbox"], registry=COUNTED
)
INTERNAL_ERRORS = Counter(
    "quadrille_faults", "Jobs that failed by an internal error, and were given back or parked.", ["phase"],
    registry=COUNTED,
)  # fmt: skip

EVERY_S = 10.0

Key: TypeAlias = tuple[str, str, str]
"""A metric, one of its samples (`…_total`, `…_bucket`, …), and the labels as JSON."""


class Tallying:
    """Adds new counts of this process to the database, in a separate thread."""

    def __init__(self, sessions: Sessions, registry: CollectorRegistry = COUNTED) -> None:
        self._sessions, self._registry = sessions, registry
        self._told = {key: value for key, value in _samples(registry).items() if value}
        self._lock, self._ended = Lock(), Event()
        self._thread = Thread(target=self._keep_adding, name="tally", daemon=True)

    def add(self) -> None:
        """Add the counts since the last call to the database. If they cannot be stored now, they are kept for the next
        call."""
        with self._lock:
            found = _samples(self._registry)
            new = {key: value - self._told.get(key, 0.0) for key, value in found.items()}
            new = {key: value for key, value in new.items() if value or key not in self._told}
            try:
                stored = _add_to_sums(self._sessions, new)
            except SQLAlchemyError as error:
                log.warning("what was counted could not be stored: %s", in_a_line(error))
                return
            if stored:
                self._told = found

    def _keep_adding(self) -> None:
        while not self._ended.wait(EVERY_S):
            self.add()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._ended.set()
        self.add()
        self._thread.join()


def _samples(registry: CollectorRegistry) -> dict[Key, float]:
    return {
        (metric.name, sample.name, json.dumps(sample.labels, sort_keys=True)): sample.value
        for metric in registry.collect()
        for sample in metric.samples
    }


def _add_to_sums(sessions: Sessions, new: Mapping[Key, float]) -> bool:
    """Add all counts or none. Returns False during maintenance, when the database must not be changed. All processes
    lock the rows in the same order, to avoid deadlocks."""
    if not new:
        return True
    columns = ("metric", "sample", "labels", "value")
    rows = [dict(zip(columns, (*key, value), strict=True)) for key, value in sorted(new.items())]
    with writing(sessions) as session:
        if maintenance(session):
            return False
        is_sqlite = session.get_bind().dialect.name == "sqlite"
        row = sqlite.insert(MetricSum) if is_sqlite else postgresql.insert(MetricSum)
        key = (MetricSum.metric, MetricSum.sample, MetricSum.labels)
        more = {"value": MetricSum.value + row.excluded.value}
        session.execute(row.on_conflict_do_update(index_elements=key, set_=more), rows)
    return True


def counted(session: Session) -> Iterator[Metric]:
    """Yield the metrics that processes count, summed over all processes."""
    rows = defaultdict(list)
    for row in session.scalars(select(MetricSum)):
        rows[row.metric].append((row.sample, json.loads(row.labels), row.value))
    for known in COUNTED.collect():
        metric = Metric(known.name, known.documentation, known.type)
        for sample, labels, value in sorted(rows[known.name], key=_bucket_order):
            metric.add_sample(sample, labels, value)
        yield metric


def _bucket_order(row: tuple[str, dict[str, str], float]) -> tuple[str, Sequence[tuple[str, str]], float]:
    """Return a key that sorts the buckets of a histogram by their bounds."""
    sample, labels, _ = row
    others = sorted((name, value) for name, value in labels.items() if name != "le")
    return sample, others, float(labels.get("le", 0))
