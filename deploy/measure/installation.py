"""What `quadrille bench` measures of the whole ladder, and the throw-away installation that such figures need."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from itertools import cycle, islice
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, perf_counter, sleep

from sqlalchemy import func, select
from sqlalchemy.orm import Session, sessionmaker

from deploy.measure.figures import Figure
from deploy.measure.sandbox import run_on
from deploy.migrations import migrate
from deploy.processes.celery import LADDER, declare_queues, make_app
from deploy.processes.supervisor import GRACE_S, PARENT
from deploy.settings import Settings, load
from grader.models import Assignment
from sandbox.api import SandboxError
from sandbox.choose import open_sandbox
from tournament.games import find_game
from tournament.ladder import ladder as ladders
from tournament.play.local import PlayerSpec, play_files
from tournament.store.database import Sessions, connect, reading, writing
from tournament.store.tables import PlayedGame, Player, Tournament
from web.models import Course, User

GAME = "bo"
LADDER_S = 12.0
BARE_GAMES = 120
POLL_S = 0.01
PATIENCE_S = 60.0


def ladder() -> Iterator[Figure | str]:
    """`ladder.rate`: games a second of a ladder of sandboxed players with one playing process, through Celery and the
    database, beside the same players' games played by one process without either.

    What a second playing process adds: `ladder.two_workers`, two of them beside one, each confined to a core of its own
    with all that it starts; `ladder.two_bare`, the same of processes without Celery and database, which is what the
    machine has to give; `ladder.two_unconfined`, two workers beside one that may use every core: where there are two
    cores this tells of the machine, for a worker and its jail keep more than one busy. The scheduler, and this process,
    are confined nowhere."""
    sources = [bot.source for bot in find_game(GAME).bots]
    table = list(islice(cycle(sources), find_game(GAME).seats[0]))
    yield "games without Celery and database"
    bare = _bare_rate(table)
    one, two = yield from _one_and_two(table, [])
    bare = max(bare, _bare_rate(table))
    yield Figure("ladder.rate", one, "games/s", bare)
    yield Figure("ladder.two_unconfined", two, "games/s", one)
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) == 2:
        yield from _confined(table, cores)


def _confined(table: Sequence[bytes], cores: Sequence[int]) -> Iterator[Figure | str]:
    one, two = yield from _one_and_two(table, cores)
    yield Figure("ladder.two_workers", two, "games/s", one)
    yield "two processes without Celery and database, on a core each"
    one, two = (max(_bare_rates(table, cores[:number]) for _ in range(2)) for number in (1, 2))
    yield Figure("ladder.two_bare", two, "games/s", one)


def _one_and_two(table: Sequence[bytes], cores: Sequence[int]) -> Generator[str, None, tuple[float, float]]:
    """The rates of one worker and of two."""
    rates = []
    for workers in (1, 2, 2, 1):  # what changes slowly is fair to both
        yield f"workers: {workers}{', confined to a core each' * bool(cores)}"
        rates.append(_rate_with(workers, table, cores))
    return max(rates[0], rates[3]), max(rates[1:3])


def _rate_with(workers: int, table: Sequence[bytes], cores: Sequence[int]) -> float:
    with installation() as settings:
        sessions = sessionmaker(connect(settings.database))
        with writing(sessions) as session:
            _enter_all(session, table)
        with processes(settings, LADDER, workers, cores):
            return _ladder_rate(sessions)


def _ladder_rate(sessions: Sessions) -> float:
    wait(lambda: _games(sessions) > 0)
    first, started = _games(sessions), monotonic()
    sleep(LADDER_S)
    return (_games(sessions) - first) / (monotonic() - started)


def _games(sessions: Sessions) -> int:
    with reading(sessions) as session:
        return session.scalar(select(func.count(PlayedGame.id))) or 0


def _bare_rates(table: Sequence[bytes], cores: Sequence[int]) -> float:
    """Of as many processes as cores, together."""
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


# A throw-away installation


@contextmanager
def installation() -> Iterator[Settings]:
    """An empty one, with nothing of the servers that the environment may name."""
    with TemporaryDirectory(prefix="quadrille-bench-") as folder:
        settings = load(Path(folder)).model_copy(update={"database_url": "", "broker_url": ""})
        migrate(connect(settings.database))
        declare_queues(make_app(settings))
        yield settings


@contextmanager
def processes(settings: Settings, queue: str, workers: int = 1, cores: Sequence[int] = ()) -> Iterator[None]:
    """Workers of the queue, each with all that it starts on one of the cores if these are given, and the scheduler."""
    with programs(settings, *[["worker", queue]] * workers, ["scheduler"], cores=cores[:workers]):
        yield


@contextmanager
def programs(settings: Settings, *commands: Sequence[str], cores: Sequence[int] = ()) -> Iterator[None]:
    """Processes of the installation: each command without `quadrille`. The first are confined to a core each, as far as
    `cores` goes."""
    said = {"DATA": str(settings.data), "PORT": str(settings.port), "LOG": "warning"}
    said |= {"DATABASE_URL": settings.database_url, "BROKER_URL": settings.broker_url}
    environment = {**os.environ, **{f"QUADRILLE_{name}": value for name, value in said.items()}}
    environment[PARENT] = str(os.getpid())  # they do not outlive this process, however it ends
    running: list[subprocess.Popen[bytes]] = []
    try:
        for command in commands:
            program = [sys.executable, "-m", "deploy.cli", *command]
            running.append(subprocess.Popen(program, env=environment, start_new_session=True))  # noqa: S603
        for process, core in zip(running, cores, strict=False):
            os.sched_setaffinity(process.pid, {core})  # before it starts a thread or a child: they inherit it
        yield
    finally:
        _end(running)


def _end(running: Sequence["subprocess.Popen[bytes]"]) -> None:
    """Let them finish what is at hand, for a while."""
    for process in running:
        process.terminate()
    for process in running:
        try:
            process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def add_assignment(session: Session) -> int:
    """An assignment in a course of its own; its id."""
    course = Course(slug="bench", title="Benchmark")
    session.add(course)
    session.flush()
    assignment = Assignment(course_id=course.id, slug=GAME, title=GAME, game=GAME)
    session.add(assignment)
    session.flush()
    return assignment.id


def add_user(session: Session, number: int) -> int:
    """Somebody; their id."""
    user = User(login=f"bench{number}", name="", password_hash="")
    session.add(user)
    session.flush()
    return user.id


def _enter_all(session: Session, sources: Sequence[bytes]) -> None:
    """A ladder that never rests, of students who each entered one of the sources."""
    tournament = Tournament(
        assignment_id=add_assignment(session), slug="bench", title="Benchmark", game=GAME, target_games=10**9
    )
    session.add(tournament)
    session.flush()
    for number, source in enumerate(sources):
        player = Player(sha256=str(number), source=source)
        session.add(player)
        session.flush()
        ladders.enter(session, tournament, ladders.NewEntry(add_user(session, number), player.id, f"bench {number}"))


def wait(true: Callable[[], bool], patience_s: float = PATIENCE_S) -> None:
    """Return once it is true; raises SandboxError if that takes too long."""
    deadline = monotonic() + patience_s
    while not true():
        if monotonic() > deadline:
            raise SandboxError(f"the workers did nothing for {patience_s:g} s")
        sleep(POLL_S)
