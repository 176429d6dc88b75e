"""What `quadrille bench scale` measures: whether a game costs the same however many are stored."""

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TypeAlias

from sqlalchemy import Engine, inspect, select, text, update
from sqlalchemy.orm import sessionmaker

from deploy.measure.figures import Figure
from deploy.measure.synthetic import GAME, SEATS, add_games, add_ladder, double
from deploy.migrations import migrate
from sandbox.api import SandboxError
from sandbox.choose import open_sandbox
from tournament import blocks
from tournament.games import find_game
from tournament.ladder.ladder import games_of, standings
from tournament.ladder.pairing import QUEUED_BLOCKS
from tournament.play.local import house_bot, play_files
from tournament.play.record import Record
from tournament.store.database import Sessions, connect, reading, writing
from tournament.store.jobs import JobState
from tournament.store.tables import Block, Entry, Tournament
from tournament.work.services import Services

DATABASE = "QUADRILLE_BENCH_DATABASE_URL"
"""Names an empty PostgreSQL database; without it, only SQLite is measured."""

STORES = ("sqlite", "postgresql")
MEASURED = ("pair", "store", "board", "games")

ENTRIES = 1500
FEW = 10_000
DOUBLINGS, QUICK_DOUBLINGS = 7, 3
REPEATS = 15


def measure(doublings: int = DOUBLINGS) -> Iterator[Figure | str]:
    """Of a ladder of ENTRIES with `doublings` times twice as many stored games as FEW, beside FEW: how long it takes to
    pair a game and to store one (`…_pair`, `…_store`), and to make the standings and a page of an entry's games
    (`…_board`, `…_games`). The rows are synthetic, the tables, indexes and queries real."""
    for name, opened in _databases():
        with opened as engine:
            few, many = yield from _measured(name, sessionmaker(engine), doublings)
        for what, value in many.items():
            yield Figure(f"scale.{name}_{what}", value, "ms", few[what])


def quick() -> Iterator[Figure | str]:
    """The same with QUICK_DOUBLINGS."""
    return measure(QUICK_DOUBLINGS)


def _databases() -> Iterator[tuple[str, AbstractContextManager[Engine]]]:
    embedded, server = STORES
    yield embedded, _sqlite()
    if url := os.environ.get(DATABASE):
        yield server, _empty(url)


@contextmanager
def _sqlite() -> Iterator[Engine]:
    with TemporaryDirectory(prefix="quadrille-bench-") as folder:
        engine = connect(f"sqlite:///{Path(folder) / 'scale.sqlite'}")
        migrate(engine)
        yield engine
        engine.dispose()


@contextmanager
def _empty(url: str) -> Iterator[Engine]:
    """Raises SandboxError unless the database is empty; it is empty again in the end."""
    engine = connect(url)
    if inspect(engine).get_table_names():
        raise SandboxError(f"the database that {DATABASE} names is not empty")
    try:
        migrate(engine)
        yield engine
    finally:
        with engine.begin() as connection:
            connection.execute(text("DROP SCHEMA public CASCADE"))
            connection.execute(text("CREATE SCHEMA public"))
        engine.dispose()


Costs: TypeAlias = dict[str, float]
"""What each of MEASURED costs, in ms."""


def _measured(name: str, sessions: Sessions, doublings: int) -> Generator[str, None, tuple[Costs, Costs]]:
    """What things cost with FEW games, and after the doublings."""
    yield f"{name}: {FEW:,} games of {ENTRIES:,} entries are made up"
    with writing(sessions) as session:
        ladder = add_ladder(session, ENTRIES)
        add_games(session, ladder, FEW)
        tournament_id = ladder.id
    yield f"{name}: measured at {FEW:,} games"
    few = _costs(sessions, tournament_id)
    for doubling in range(1, doublings + 1):
        yield f"{name}: {FEW << doubling:,} of {FEW << doublings:,} games are made up"
        with writing(sessions) as session:
            double(session, session.get_one(Tournament, tournament_id))
    yield f"{name}: measured at {FEW << doublings:,} games"
    return few, _costs(sessions, tournament_id)


def _costs(sessions: Sessions, tournament_id: int) -> Costs:
    """For each game that is paired or stored, and for each page."""
    if sessions().get_bind().dialect.name == "postgresql":
        with writing(sessions) as session:
            session.execute(text("ANALYZE"))  # as the server does by itself after a while
    with open_sandbox("trusted") as trusted:
        services = Services(sessions, lambda task: None, lambda: trusted, lambda: trusted, "bench")
        records = _records(services)
        blocks.pair_one(services, tournament_id)  # learns who has met whom
        paired = [_timed(partial(_pair, services, tournament_id)) for _ in range(REPEATS)]
        stored = [_timed(partial(_store, services, records)) for _ in range(REPEATS)]
        boards = [_timed(partial(_board, sessions, tournament_id)) for _ in range(REPEATS)]
        pages = [_timed(partial(_games, sessions, tournament_id)) for _ in range(REPEATS)]
        services.close_sandboxes()
    times = zip(MEASURED, (paired, stored, boards, pages), strict=True)
    return {what: 1000 * median(took / made for took, made in all_) for what, all_ in times}


def _timed(act: Callable[[], int]) -> tuple[float, int]:
    """How long it took, in seconds, and how much was made."""
    started = perf_counter()
    made = act()
    return perf_counter() - started, made


def _records(services: Services) -> list[Record]:
    """The games of one block, really played."""
    game = find_game(GAME)
    table = [house_bot(game, bot.name) for bot in game.bots][:SEATS]
    return list(play_files(game, table, SEATS, 1, services.sandbox, services.trusted))


def _pair(services: Services, tournament_id: int) -> int:
    """Fill the queue, which was empty; so many games."""
    with writing(services.sessions) as session:
        waiting = update(Block).where(Block.tournament_id == tournament_id, Block.state == JobState.QUEUED)
        session.execute(waiting.values(state=JobState.CANCELLED))
    blocks.pair_one(services, tournament_id)
    return QUEUED_BLOCKS * SEATS


def _store(services: Services, records: list[Record]) -> int:
    """Claim a block, and store its games as if they had just been played."""
    plan = blocks.claim_block(services)
    if plan is None or not blocks.store(services, plan.claim, records):
        raise SandboxError("there was no block to be claimed")
    blocks.keep_queued(services, plan.tournament_id)
    return len(records)


def _board(sessions: Sessions, tournament_id: int) -> int:
    with reading(sessions) as session:
        standings(session, session.get_one(Tournament, tournament_id))
    return 1


def _games(sessions: Sessions, tournament_id: int) -> int:
    with reading(sessions) as session:
        entry = session.scalars(select(Entry.id).where(Entry.tournament_id == tournament_id).limit(1)).one()
        games_of(session, entry)
    return 1
