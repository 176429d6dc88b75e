"""A worker process. It does one task at a time (Celery's `solo` pool), and `quadrille serve` starts as many workers as
the settings say. Killing a worker therefore leaves the others no half-read pipe and no held lock."""

import gc
import logging
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from time import sleep
from typing import NoReturn, TypeVar

from celery.signals import setup_logging
from sqlalchemy import exists, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import sessionmaker

from deploy.database import install_added_games
from deploy.processes.celery import KINDS, LADDER, App, counter, make_app, sender
from deploy.processes.gate import Obstacle, WorkGate, wait_until_usable
from deploy.settings import Settings
from grader.authoring.papers import paper_for
from grader.authoring.versions import definition_of
from grader.programs.grading import offered
from grader.store.models import Assignment, Submission
from grader.store.queue import GRADING, anything_due
from sandbox import signs
from sandbox.api import SandboxUnavailable
from sandbox.choose import open_program_sandbox, open_sandbox, open_tested, open_tested_programs
from tournament.store.database import SILENCE_S, WORKER_THREADS, connect, in_a_line, reading, storing
from tournament.work.services import Services
from tournament.work.tally import DEATHS, Tallying
from tournament.work.workers import Presence, bury

log = logging.getLogger(__name__)

Opened = TypeVar("Opened")

PLAYERS_NICENESS = 10
"""The niceness of players in games, since games can wait: they get a ninth of the processor time of others. The worker
itself keeps the usual priority, so that it never waits for a processor while it blocks the database."""

FIRST_RETRY_S, RETRY_S = 1.0, 30.0
"""The seconds after which a worker that is out of service tests its sandbox again: the first and the longest such
interval. The first is short, since a runner may be starting."""


def own_name(pid: int = 0) -> str:
    """Return the name of this process, or of another process on this machine, unique in the installation."""
    return f"{socket.gethostname()}:{pid or os.getpid()}"


def part_with(settings: Settings, kind: str, pid: int, hung: bool) -> None:
    """Park the jobs of a worker that `hung`, or release those of one that died, and count its death. If the database
    does not answer, the leases on the jobs run out instead."""
    sessions = sessionmaker(connect(settings.database, SILENCE_S, WORKER_THREADS))
    try:
        with Tallying(sessions):
            DEATHS.labels(kind).inc()
        storing(sessions, partial(bury, name=own_name(pid), hung=hung))
    except SQLAlchemyError as error:
        log.error("what %s held waits until its lease runs out: %s", own_name(pid), in_a_line(error))


@contextmanager
def services_of(settings: Settings, app: App, niceness: int) -> Iterator[Services]:
    """Yield the services of a worker process, which are given to the application and closed at the end. Sandboxes open
    on first use. The sandbox for students is tested each time it opens, and its players run at the given niceness."""
    sessions = sessionmaker(connect(settings.database, SILENCE_S, WORKER_THREADS))
    install_added_games(settings, sessions)
    where = settings.sandbox, settings.runner, niceness
    app.services = Services(
        sessions=sessions,
        send=sender(app),
        open_sandbox=partial(open_tested, partial(open_sandbox, *where)),
        open_trusted=partial(open_sandbox, "trusted"),
        open_programs=partial(open_tested_programs, partial(open_program_sandbox, *where)),
        worker=own_name(),
        limits=settings.limits,
        unread=counter(app),
    )
    try:
        yield app.services
    finally:
        app.services.close_sandboxes()


def run_worker(settings: Settings, kind: str) -> int:
    """Do work of the given kind until SIGTERM, then finish the present task and return the exit code. While the sandbox
    does not open or fails its self-test, or `deploy.processes.gate` finds an obstacle, the worker takes no work, and
    shows the reason in the log and to instructors."""
    prepare_for_celery()
    app = make_app(settings)
    with services_of(settings, app, PLAYERS_NICENESS if kind == LADDER else 0) as services:
        wait_until_usable(services.sessions, {Obstacle.DATABASE, Obstacle.SCHEMA})
        with Presence(services.sessions, services.worker, kind) as presence, Tallying(services.sessions):
            return _take_tasks(app, kind, services, presence)


def _take_tasks(app: App, kind: str, services: Services, presence: Presence) -> int:
    wait_until_fit(services, presence)
    if kind == GRADING:
        services.offers = presence.offers = offered(lambda: services.programs)
        services.open_programs = partial(open_or_leave, services.open_programs, presence)
        presence.tell()
    if kind != LADDER:
        with signs.working():
            warm_up(services)
    app.may_work = WorkGate(services.sessions, presence.tell).is_open
    services.open_sandbox = partial(open_or_leave, services.open_sandbox, presence)
    worker = app.Worker(
        pool="solo",
        queues=list(KINDS[kind]),
        hostname=f"{kind}-{os.getpid()}@{socket.gethostname()}",
        quiet=True,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    log.info("waiting for tasks")
    gc.collect()
    gc.freeze()  # each search for cycles among all loaded modules takes as long as a dozen games
    worker.start()
    return int(worker.exitcode or 0)


def end(*_: object) -> NoReturn:
    """End this process cleanly, on a signal."""
    raise SystemExit(0)


def wait_until_fit(services: Services, presence: Presence) -> None:
    """Wait until the sandbox is open and has passed its self-test; until then this worker is out of service."""
    delay = FIRST_RETRY_S
    while True:
        try:
            _ = services.sandbox
        except SandboxUnavailable as error:
            log.error("out of service: %s", error)
            presence.tell(str(error))
            sleep(delay)
            delay = min(2 * delay, RETRY_S)
        else:
            presence.tell("")
            return


def open_or_leave(open_: Callable[[], Opened], presence: Presence) -> Opened:
    """Open the sandbox again after a failure. If that fails, end this process cleanly. Its successor, which `serve`
    starts, is out of service and takes no messages until its own sandbox works."""
    try:
        return open_()
    except SandboxUnavailable as error:
        presence.tell(str(error))
        signal.raise_signal(signal.SIGTERM)
        raise


def warm_up(services: Services) -> None:
    """Load the papers of the assignments that have uploads, so that no later upload has to wait for one. Stop as soon
    as an upload is waiting, since it needs only one paper."""
    uploaded = exists().where(Submission.assignment_id == Assignment.id)
    with reading(services.sessions) as session:
        assignments = session.scalars(select(Assignment).where(uploaded, Assignment.version > 0)).all()
        definitions = [definition_of(session, each) for each in assignments]
    for definition in definitions:
        with reading(services.sessions) as session:
            if anything_due(session) or anything_due(session, programs=True):
                return
        try:
            paper_for(services, definition)
        except Exception:  # a mistake in this assignment: the others can still be graded
            log.exception("the cases of %s cannot be made", definition.title)


def prepare_for_celery() -> None:
    """End cleanly on SIGTERM until Celery handles that signal; also keep Celery from configuring logging."""
    signal.signal(signal.SIGTERM, end)
    setup_logging.connect(lambda **_: None, weak=False)  # Celery configures logging unless this signal has a receiver
