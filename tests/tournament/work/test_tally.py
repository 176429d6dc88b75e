"""The counts of all processes, added up in the database."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, Counter, Histogram
from sqlalchemy import select, text
from sqlalchemy.orm import sessionmaker

from tournament.store.database import Sessions, connect, reading, writing
from tournament.store.tables import MetricSum
from tournament.work import maintenance
from tournament.work.tally import GAMES, Tallying, counted

pytestmark = pytest.mark.both_databases


class Process:
    """What a process counts."""

    def __init__(self, sessions: Sessions) -> None:
        registry = CollectorRegistry()
        self.things = Counter("things", "Things.", ["colour"], registry=registry)
        self.times = Histogram("seconds", "Times.", registry=registry, buckets=(1.0, 2.0))
        self.tallying = Tallying(sessions, registry)


def values(sessions: Sessions, sample: str) -> dict[str, float]:
    with reading(sessions) as session:
        wanted = select(MetricSum.labels, MetricSum.value).where(MetricSum.sample == sample)
        return {row.labels: row.value for row in session.execute(wanted)}


def test_processes_add_up(sessions: Sessions) -> None:
    first, second = Process(sessions), Process(sessions)
    for process, number in ((first, 2), (second, 3), (first, 5)):
        process.things.labels("red").inc(number)
        process.tallying.add()
        process.tallying.add()
    second.things.labels("blue").inc()
    second.times.observe(1.5)
    second.tallying.add()
    assert values(sessions, "things_total") == {'{"colour": "blue"}': 1, '{"colour": "red"}': 10}
    assert values(sessions, "seconds_bucket") == {'{"le": "+Inf"}': 1, '{"le": "1.0"}': 0, '{"le": "2.0"}': 1}
    assert values(sessions, "seconds_sum") == {"{}": 1.5}


def test_what_was_counted_before_is_somebody_elses(sessions: Sessions) -> None:
    registry = CollectorRegistry()
    things = Counter("things", "Things.", registry=registry)
    things.inc(7)
    tallying = Tallying(sessions, registry)
    things.inc(2)
    tallying.add()
    assert values(sessions, "things_total") == {"{}": 2}


def test_several_at_once_lose_nothing(sessions: Sessions) -> None:
    processes = [Process(sessions) for _ in range(4)]

    def work(process: Process) -> None:
        for colour in ("red", "blue", "green") * 3:
            process.things.labels(colour).inc()
            process.tallying.add()

    with ThreadPoolExecutor(len(processes)) as pool:
        list(pool.map(work, processes))
    assert set(values(sessions, "things_total").values()) == {12}


def test_what_cannot_be_stored_now_is_stored_later(sessions: Sessions) -> None:
    process = Process(sessions)
    process.things.labels("red").inc()
    with writing(sessions) as session:
        maintenance.begin(session, "A backup.")
    process.tallying.add()
    assert values(sessions, "things_total") == {}
    with writing(sessions) as session:
        maintenance.end(session)
    process.things.labels("red").inc()
    process.tallying.add()
    assert values(sessions, "things_total") == {'{"colour": "red"}': 2}


def test_a_database_without_the_table_is_told_of_and_survived(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    engine = connect(f"sqlite:///{tmp_path / 'empty.db'}")
    process = Process(sessionmaker(engine))
    process.things.labels("red").inc()
    process.tallying.add()
    assert "what was counted could not be stored" in caplog.text
    engine.dispose()


def test_the_last_counts_are_added_in_the_end(sessions: Sessions) -> None:
    process = Process(sessions)
    with process.tallying:
        process.things.labels("red").inc()
    assert values(sessions, "things_total") == {'{"colour": "red"}': 1}


def test_buckets_are_told_in_order_and_strangers_not_at_all(sessions: Sessions) -> None:
    with writing(sessions) as session:
        for bound in ("10.0", "2.5", "+Inf"):
            session.add(
                MetricSum(
                    metric="quadrille_grading_seconds",
                    sample="quadrille_grading_seconds_bucket",
                    labels=f'{{"le": "{bound}"}}',
                    value=1,
                )
            )
        session.execute(text("INSERT INTO tally VALUES ('former', 'former_total', '{}', 1)"))
    with reading(sessions) as session:
        found = {metric.name: metric for metric in counted(session)}
    assert [sample.labels["le"] for sample in found["quadrille_grading_seconds"].samples] == ["2.5", "10.0", "+Inf"]
    assert "former" not in found
    assert [metric.name for metric in GAMES.describe()] == ["quadrille_games"]
    assert "quadrille_games" in found
