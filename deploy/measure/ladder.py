"""`quadrille bench ladder`: how many games a second a ladder plays, and what a second worker adds."""

import os
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import cycle, islice
from multiprocessing import get_context
from time import perf_counter

from sqlalchemy.orm import Session, sessionmaker

from deploy.measure.figures import Figure
from deploy.measure.installation import GAME, add_assignment, add_user, games_a_second, installation, programs
from deploy.measure.sandbox import run_on
from deploy.processes.celery import LADDER
from sandbox.choose import open_sandbox
from tournament.games import find_game
from tournament.ladder.ladder import NewEntry, enter
from tournament.play.local import PlayerSpec, play_files
from tournament.store.database import connect, writing
from tournament.store.tables import Player, Tournament

LADDER_S = 12.0
BARE_GAMES = 120
NEVER = 10**9


def measure() -> Iterator[Figure | str]:
    """`ladder.rate`: games a second of a ladder of sandboxed players with one playing process, through Celery and the
    database, beside the same players' games played by one process without either.

    What a second playing process adds: `ladder.two_workers` is two of them beside one, each confined with all that it
    starts to a core of its own. `ladder.two_bare` is the same without Celery and database, which is the most that
    the machine can give. `ladder.two_unconfined` is two workers beside one that may use every core; on two cores this
    says more about the machine, for a worker and its jail keep more than one core busy. The scheduler and this process
    may use every core."""
    sources = [bot.source for bot in find_game(GAME).bots]
    table = list(islice(cycle(sources), find_game(GAME).seats[0]))
    yield "games without Celery and database"
    bare = _bare_rate(table)
    one, two = yield from _one_and_two(table, [])
    yield Figure("ladder.rate", one, "games/s", max(bare, _bare_rate(table)))
    yield Figure("ladder.two_unconfined", two, "games/s", one)
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2:
        return
    one, two = yield from _one_and_two(table, cores)
    yield Figure("ladder.two_workers", two, "games/s", one)
    yield "two processes without Celery and database, on a core each"
    one, two = (max(_bare_rates(table, cores[:number]) for _ in range(2)) for number in (1, 2))
    yield Figure("ladder.two_bare", two, "games/s", one)


def _one_and_two(table: Sequence[bytes], cores: Sequence[int]) -> Generator[str, None, tuple[float, float]]:
    """The rates of one worker and of two."""
    rates = []
    for workers in (1, 2, 2, 1):  # a slow change of the machine's speed affects both alike
        yield f"workers: {workers}{', confined to a core each' * bool(cores)}"
        rates.append(_rate_with(workers, table, cores))
    return max(rates[0], rates[3]), max(rates[1:3])


def _rate_with(workers: int, table: Sequence[bytes], cores: Sequence[int]) -> float:
    with installation() as settings:
        sessions = sessionmaker(connect(settings.database))
        with writing(sessions) as session:
            _enter_all(session, table)
        with programs(settings, *[["worker", LADDER]] * workers, ["scheduler"], cores=cores[:workers]):
            return games_a_second(sessions, LADDER_S)


def _enter_all(session: Session, sources: Sequence[bytes]) -> None:
    """Make a ladder that never rests, with a student for each of the sources."""
    assignment = add_assignment(session)
    tournament = Tournament(assignment_id=assignment, slug="bench", title="Benchmark", game=GAME, target_games=NEVER)
    session.add(tournament)
    session.flush()
    for number, source in enumerate(sources):
        player = Player(sha256=str(number), source=source)
        session.add(player)
        session.flush()
        enter(session, tournament, NewEntry(add_user(session, number), player.id, f"bench {number}"))


def _bare_rates(table: Sequence[bytes], cores: Sequence[int]) -> float:
    """The rate of as many processes as cores, together."""
    with ProcessPoolExecutor(len(cores), get_context("spawn")) as pool:
        return sum(pool.map(_bare_rate_on, cores, [table] * len(cores)))


def _bare_rate_on(core: int, table: Sequence[bytes]) -> float:
    run_on({core})
    return _bare_rate(table)


def _bare_rate(sources: Sequence[bytes]) -> float:
    players = [PlayerSpec(str(number), source) for number, source in enumerate(sources)]
    with open_sandbox() as sandbox:
        started = perf_counter()
        games = sum(1 for _ in play_files(find_game(GAME), players, BARE_GAMES, 1, sandbox, sandbox))
        return games / (perf_counter() - started)
