"""What `quadrille bench` measures of the whole ladder, and the throw-away installation that such figures need."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, perf_counter, sleep

from sqlalchemy import func, select
from sqlalchemy.orm import Session, sessionmaker

from deploy.celery import LADDER, declare_queues, make_app
from deploy.migrations import migrate
from deploy.settings import Settings, load
from deploy.worker import give_way
from grader.models import Assignment
from sandbox.api import SandboxError
from sandbox.choose import open_sandbox
from sandbox.figures import Figure
from tournament import ladder as ladders
from tournament.db import Sessions, connect, reading, writing
from tournament.games import find_game
from tournament.local import PlayerSpec, play_files
from tournament.models import PlayedGame, Player, Tournament
from web.models import Course, User

GAME = "bo"
LADDER_S = 12.0
BARE_GAMES = 120
POLL_S = 0.01
PATIENCE_S = 60.0


def ladder() -> Iterator[Figure]:
    """`ladder.rate`: games a second of a ladder of sandboxed players with one playing process, through Celery and the
    database, beside the same players' games played by one process without either. `ladder.two_workers`: the same with
    two playing processes, beside one.

    All of it at the priority of playing, which this process keeps."""
    give_way()
    sources = [bot.source for bot in find_game(GAME).bots]
    table = list(islice(cycle(sources), find_game(GAME).seats[0]))
    bare = _bare_rate(table)
    rates = [_rate_with(workers, table) for workers in (1, 2, 2, 1)]  # what changes slowly is fair to both
    bare = max(bare, _bare_rate(table))
    one, two = max(rates[0], rates[3]), max(rates[1:3])
    yield Figure("ladder.rate", one, "games/s", bare)
    yield Figure("ladder.two_workers", two, "games/s", one)


def _rate_with(workers: int, table: Sequence[bytes]) -> float:
    with installation() as settings:
        sessions = sessionmaker(connect(settings.database))
        with writing(sessions) as session:
            _enter_all(session, table)
        with processes(settings, LADDER, workers):
            return _ladder_rate(sessions)


def _ladder_rate(sessions: Sessions) -> float:
    wait(lambda: _games(sessions) > 0)
    first, started = _games(sessions), monotonic()
    sleep(LADDER_S)
    return (_games(sessions) - first) / (monotonic() - started)


def _games(sessions: Sessions) -> int:
    with reading(sessions) as session:
        return session.scalar(select(func.count(PlayedGame.id))) or 0


def _bare_rate(sources: Sequence[bytes]) -> float:
    players = [PlayerSpec(str(number), source) for number, source in enumerate(sources)]
    with open_sandbox() as sandbox:
        started = perf_counter()
        games = sum(1 for _ in play_files(find_game(GAME), players, BARE_GAMES, 1, sandbox, sandbox))
        return games / (perf_counter() - started)


# A throw-away installation


@contextmanager
def installation() -> Iterator[Settings]:
    """An empty one."""
    with TemporaryDirectory(prefix="quadrille-bench-") as folder:
        settings = load(Path(folder))
        migrate(connect(settings.database))
        declare_queues(make_app(settings))
        yield settings


@contextmanager
def processes(settings: Settings, queue: str, workers: int = 1) -> Iterator[None]:
    """Workers of the queue, and the scheduler."""
    with programs(settings, *[["worker", queue]] * workers, ["scheduler"]):
        yield


@contextmanager
def programs(settings: Settings, *commands: Sequence[str]) -> Iterator[None]:
    """Processes of the installation: each command without `quadrille`."""
    said = {"DATA": str(settings.data), "PORT": str(settings.port), "LOG": "warning"}
    environment = {**os.environ, **{f"QUADRILLE_{name}": value for name, value in said.items()}}
    with ExitStack() as running:
        for command in commands:
            process = subprocess.Popen([sys.executable, "-m", "deploy.cli", *command], env=environment)  # noqa: S603
            running.callback(process.wait)
            running.callback(process.terminate)
        yield


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
        ladders.enter(session, tournament, add_user(session, number), player.id, f"bench {number}")


def wait(true: Callable[[], bool], patience_s: float = PATIENCE_S) -> None:
    """Return once it is true; raises SandboxError if that takes too long."""
    deadline = monotonic() + patience_s
    while not true():
        if monotonic() > deadline:
            raise SandboxError(f"the workers did nothing for {patience_s:g} s")
        sleep(POLL_S)
