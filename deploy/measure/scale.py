"""`quadrille bench scale` and `ranking`: the cost of a game however many are stored, and of a leaderboard."""

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
from sqlalchemy import Engine, inspect, select, text, update
from sqlalchemy.orm import sessionmaker

from deploy.measure.figures import Figure
from deploy.measure.synthetic import GAME, SEATS, add_games, add_ladder, double
from deploy.migrations import migrate
from sandbox.api import SandboxError
from sandbox.choose import open_sandbox
from tournament import blocks
from tournament.games import find_game
from tournament.ladder.pairing import QUEUED_BLOCKS
from tournament.ladder.standings import games_of, standings
from tournament.play.local import house_bot, play_files
from tournament.play.record import Record
from tournament.ranking.ratings import Tally, rate
from tournament.store.database import Sessions, connect, reading, writing
from tournament.store.jobs import JobState
from tournament.store.tables import Block, Entry, Tournament
from tournament.work.services import Services

DATABASE = "QUADRILLE_BENCH_DATABASE_URL"
"""The environment variable that names an empty PostgreSQL database; without it, only SQLite is measured."""

STORES = ("sqlite", "postgresql")
MEASURED = ("pair", "store", "board", "games")

ENTRIES = 1500
FEW = 10_000
DOUBLINGS, QUICK_DOUBLINGS = 7, 3
REPEATS = 15


def ranking() -> Iterator[Figure]:
    """`ranking.board`: the time to make the standings of ENTRIES from their sums."""
    rng = np.random.default_rng(1)
    games = rng.poisson(40, ENTRIES).tolist()
    wins = rng.binomial(games, rng.uniform(0.01, 0.6, ENTRIES)).tolist()
    tallies = [
        Tally(played, won, blocks=played, products={"games_games": played, "wins_wins": won, "wins_games": won})
        for played, won in zip(games, wins, strict=True)
    ]
    yield Figure("ranking.board", min(_milliseconds(lambda: rate(tallies)) for _ in range(REPEATS)), "ms")


def measure(doublings: int = DOUBLINGS) -> Iterator[Figure | str]:
    """The cost on a ladder of ENTRIES after that many doublings of FEW stored games, beside the cost at FEW: of pairing
    a game and of storing one (`…_pair`, `…_store`), of making the standings and a page of an entry's games (`…_board`,
    `…_games`). The rows are synthetic; the tables, indexes and queries are real."""
    embedded, server = STORES
    databases: list[tuple[str, AbstractContextManager[Engine]]] = [(embedded, _sqlite())]
    if url := os.environ.get(DATABASE):
        databases.append((server, _empty(url)))
    for name, opened in databases:
        with opened as engine:
            few, many = yield from _measured(name, sessionmaker(engine), doublings)
        for what, value in many.items():
            yield Figure(f"scale.{name}_{what}", value, "ms", few[what])


@contextmanager
def _sqlite() -> Iterator[Engine]:
    with TemporaryDirectory(prefix="quadrille-bench-") as folder:
        engine = connect(f"sqlite:///{Path(folder) / 'scale.sqlite'}")
        migrate(engine)
        yield engine
        engine.dispose()


@contextmanager
def _empty(url: str) -> Iterator[Engine]:
    """A database that is empty before and afterwards. Raises SandboxError if it is not empty."""
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


def _measured(
    name: str, sessions: Sessions, doublings: int
) -> Generator[str, None, tuple[dict[str, float], dict[str, float]]]:
    """The cost of each of MEASURED, in ms, with FEW games and after the doublings."""
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


def _costs(sessions: Sessions, tournament_id: int) -> dict[str, float]:
    """The cost in ms of each game that is paired or stored, and of each page."""
    if sessions().get_bind().dialect.name == "postgresql":
        with writing(sessions) as session:
            session.execute(text("ANALYZE"))  # as the server does by itself after a while
    with open_sandbox("trusted") as trusted:
        services = Services(sessions, lambda task: None, lambda: trusted, lambda: trusted, "bench")
        records = _records(services)
        blocks.pair_one(services, tournament_id)  # learns who has met whom
        pair = median(_pair_ms(services, tournament_id) for _ in range(REPEATS))
        store = median(_store_ms(services, records) for _ in range(REPEATS))
        with reading(sessions) as session:
            entry = session.scalars(select(Entry.id).where(Entry.tournament_id == tournament_id).limit(1)).one()

        def make_board() -> None:
            with reading(sessions) as session:
                standings(session, session.get_one(Tournament, tournament_id))

        def make_page() -> None:
            with reading(sessions) as session:
                games_of(session, entry)

        board, page = (median(_milliseconds(make) for _ in range(REPEATS)) for make in (make_board, make_page))
        services.close_sandboxes()
    return dict(zip(MEASURED, (pair, store, board, page), strict=True))


def _milliseconds(act: Callable[[], object]) -> float:
    started = perf_counter()
    act()
    return 1000 * (perf_counter() - started)


def _records(services: Services) -> list[Record]:
    """The games of one block, really played."""
    game = find_game(GAME)
    table = [house_bot(game, bot.name) for bot in game.bots][:SEATS]
    return list(play_files(game, table, SEATS, 1, services.sandbox, services.trusted))


def _pair_ms(services: Services, tournament_id: int) -> float:
    """The time for each game to empty the queue and fill it again."""

    def pair() -> None:
        with writing(services.sessions) as session:
            waiting = update(Block).where(Block.tournament_id == tournament_id, Block.state == JobState.QUEUED)
            session.execute(waiting.values(state=JobState.CANCELLED))
        blocks.pair_one(services, tournament_id)

    return _milliseconds(pair) / (QUEUED_BLOCKS * SEATS)


def _store_ms(services: Services, records: list[Record]) -> float:
    """The time for each game to claim a block and to store its games as if they had just been played."""

    def store() -> None:
        plan = blocks.claim_block(services)
        if plan is None or not blocks.store(services, plan.claim, records):
            raise SandboxError("there was no block to claim")
        blocks.keep_queued(services, plan.tournament_id)

    return _milliseconds(store) / len(records)
