"""A throw-away installation with real processes, for benchmarks."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep

from sqlalchemy.orm import Session

from deploy import courses
from deploy.migrations import migrate
from deploy.processes.celery import declare_queues, make_app
from deploy.processes.supervisor import GRACE_S, PARENT
from deploy.settings import Settings, load
from grader.store.models import Assignment
from sandbox.api import SandboxError
from tournament.play.games import find_game
from tournament.store.database import connect
from web.site.models import ApiToken, Course, Membership, Role, User

GAME = "bo"
POLL_S = 0.01
PATIENCE_S = 60.0


@contextmanager
def installation(database_url: str = "", broker_url: str = "") -> Iterator[Settings]:
    """An empty installation that uses these servers, otherwise SQLite and files, whatever the environment names."""
    with TemporaryDirectory(prefix="quadrille-bench-") as folder:
        servers = {"database_url": database_url, "broker_url": broker_url}
        settings = load(Path(folder)).model_copy(update=servers)
        migrate(connect(settings.database))
        declare_queues(make_app(settings))
        yield settings


@contextmanager
def programs(settings: Settings, *commands: Sequence[str]) -> Iterator[None]:
    """Processes of the installation, each given by its command without `quadrille`."""
    given = {"DATA": str(settings.data), "PORT": str(settings.port), "LOG": "warning"}
    given |= {"DATABASE_URL": settings.database_url, "BROKER_URL": settings.broker_url}
    environment = {**os.environ, **{f"QUADRILLE_{name}": value for name, value in given.items()}}
    environment[PARENT] = str(os.getpid())  # they end with this process, however it ends
    running: list[subprocess.Popen[bytes]] = []
    try:
        for command in commands:
            program = [sys.executable, "-m", "deploy.cli", *command]
            running.append(subprocess.Popen(program, env=environment, start_new_session=True))
        yield
    finally:
        for process in running:
            process.terminate()
        for process in running:
            try:
                process.wait(GRACE_S)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def add_assignment(session: Session) -> int:
    """Add an assignment of the game in a course of its own; return its id."""
    course = Course(slug="bench", title="Benchmark")
    session.add(course)
    session.flush()
    return courses.add_assignment(session, course, find_game(GAME)).id


def add_user(session: Session, number: int) -> int:
    """Add a user; return their id."""
    user = User(login=f"bench{number}", name="", password_hash="")
    session.add(user)
    session.flush()
    return user.id


def add_student(session: Session, assignment: int, number: int) -> str:
    """A student's token for the API. Each upload needs its own student, since a student's uploads are limited."""
    user, token = add_user(session, number), f"bench{number}"
    course = session.get_one(Assignment, assignment).course_id
    session.add(Membership(user_id=user, course_id=course, role=Role.STUDENT, pseudonym=token))
    session.add(ApiToken(user_id=user, label="bench", sha256=sha256(token.encode()).hexdigest()))
    return token


def wait(true: Callable[[], bool], patience_s: float = PATIENCE_S) -> None:
    """Return once the condition is true. Raises SandboxError if that takes too long."""
    deadline = monotonic() + patience_s
    while not true():
        if monotonic() > deadline:
            raise SandboxError(f"the workers did nothing for {patience_s:g} s")
        sleep(POLL_S)
