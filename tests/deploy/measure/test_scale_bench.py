"""The synthetic rows that benchmarks measure on are what a real ladder and a real final would have stored."""

from collections.abc import Generator
from typing import TypeVar

import pytest
from sqlalchemy import Engine, func, inspect, select, update
from sqlalchemy.orm import sessionmaker

from deploy.measure import final as final_bench
from deploy.measure import scale as scale_bench
from deploy.measure.figures import Figure
from deploy.measure.synthetic import KEPT, add_games, add_ladder, add_sums, double
from sandbox.api import SandboxError
from tests.conftest import empty
from tests.deploy.place import migrated
from tournament.ladder.recompute import recompute
from tournament.ladder.rerate import rerate
from tournament.store.database import Sessions, connect, reading, writing
from tournament.store.tables import Block, Entry, PlayedGame, Tournament

pytestmark = pytest.mark.both_databases

Answer = TypeVar("Answer")


@pytest.fixture
def stored(database_url: str) -> Sessions:
    """A ladder of ten with 100 games, by the migrations' own tables."""
    sessions = sessionmaker(migrated(database_url))
    with writing(sessions) as session:
        add_games(session, add_ladder(session, 10), 100)
    return sessions


def only(sessions: Sessions) -> int:
    with reading(sessions) as session:
        return session.scalars(select(Tournament.id)).one()


def sums(sessions: Sessions) -> list[tuple[float, ...]]:
    with reading(sessions) as session:
        return [
            tuple(row) for row in session.execute(select(*(getattr(Entry, name) for name in KEPT)).order_by(Entry.id))
        ]


def test_doubled_games_are_whole_and_their_standings_right(stored: Sessions) -> None:
    with writing(stored) as session:
        tournament = session.get_one(Tournament, only(stored))
        for _ in range(2):
            double(session, tournament)
        session.expire_all()
        assert session.scalar(select(func.count(PlayedGame.id))) == 400
        found = rerate(session, tournament)
        assert (found.standings, found.orders) == ([], [])


def test_sums_from_finishing_orders_are_those_from_the_games(stored: Sessions) -> None:
    before = sums(stored)
    with writing(stored) as session:
        session.execute(update(Entry).values(form="", **dict.fromkeys(KEPT, 0)))
        add_sums(session, only(stored))
        last = session.scalars(select(func.max(Block.id))).one()
        add_sums(session, only(stored), last)
    assert sums(stored) == before
    with writing(stored) as session:
        assert recompute(session, session.get_one(Tournament, only(stored))) == []


def test_the_bench_measures_both_stores(monkeypatch: pytest.MonkeyPatch, postgresql_url: str) -> None:
    empty(postgresql_url)
    monkeypatch.setenv(scale_bench.DATABASE, postgresql_url)
    for name, small in {"ENTRIES": 10, "FEW": 100, "REPEATS": 2}.items():
        monkeypatch.setattr(scale_bench, name, small)
    figures = [found for found in scale_bench.measure(1) if isinstance(found, Figure)]
    names = [f"scale.{store}_{what}" for store in scale_bench.STORES for what in scale_bench.MEASURED]
    assert [each.name for each in figures] == names
    assert all(figure.ratio for figure in figures)
    assert inspect(connect(postgresql_url)).get_table_names() == [], "it is left as it was"


def test_a_database_that_holds_something_is_not_touched(monkeypatch: pytest.MonkeyPatch, database: Engine) -> None:
    with pytest.raises(SandboxError, match="is not empty"), scale_bench._empty(database.url.render_as_string(False)):
        pass


def test_every_round_of_a_final_is_planned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(final_bench, "ENTRIES", 8)
    monkeypatch.setattr(final_bench, "GAMES", 16)
    planning, rounds = ended(final_bench._planned())
    assert planning > 0
    assert rounds >= 16 / 4


def ended(steps: Generator[str, None, Answer]) -> Answer:
    """What it returns in the end."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            answer: Answer = stop.value
            return answer
