"""The scheduler process. It sends periodic tasks when they are due. At low priority, it also fits the ratings, looks
for collusion, alerts instructors when grading has stalled, sends e-mail, and forgets people whose time is up. One
scheduler works at a time; others stand by to take its place."""

import logging
import os
import signal
import sys
from collections.abc import Callable
from functools import cached_property, partial
from threading import Thread, get_native_id
from time import monotonic, sleep
from typing import Any, NoReturn

from celery.apps.beat import Beat
from celery.beat import ScheduleEntry, Scheduler, SchedulingError, Service
from kombu import Producer
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import sessionmaker

from deploy.database import install_added_games
from deploy.processes import mail
from deploy.processes.celery import make_app
from deploy.processes.gate import Obstacle, halt, wait_until_usable
from deploy.processes.outbox import keep_sending
from deploy.processes.retention import keep_forgetting
from deploy.processes.stall_alert import keep_alert
from deploy.processes.webhooks import keep_calling
from deploy.processes.worker import end, own_name, prepare_for_celery
from deploy.settings import Settings, host_names
from tournament.ladder.rerate import keep_rating
from tournament.store.database import SILENCE_S, WORKER_THREADS, Sessions, connect, in_a_line, reading
from tournament.watch.watches import keep_watching
from tournament.work.workers import SCHEDULER, Presence, bury_dead, schedulers

log = logging.getLogger(__name__)

LOWEST = 19
"""The niceness of all work except sending, such as fitting ratings and looking for collusion."""

QUIET_S = 30.0
"""A scheduler that has sent nothing for this many seconds counts as not working, since something is due every two
seconds."""

STAND_BY_S = 1.0
"""The seconds after which a standby scheduler checks again."""


def run_scheduler(settings: Settings) -> None:
    """Run the scheduler process until SIGTERM."""
    prepare_for_celery()
    sessions = sessionmaker(connect(settings.database, SILENCE_S, WORKER_THREADS))
    install_added_games(settings, sessions)
    wait_until_usable(sessions)
    with Presence(sessions, own_name(), SCHEDULER) as presence:
        stand_by(sessions, own_name())
        log.info("sending what is due")
        sending = Sending()
        presence.look = sending.trouble
        work = {"ratings": keep_rating, "watch": keep_watching, "stall alert": partial(keep_alert, settings)}
        work["retention"] = partial(keep_forgetting, settings)
        work["webhooks"] = partial(keep_calling, settings)
        if mail.is_set_up(settings):
            work["mail"] = partial(keep_sending, settings)
            if settings.mail_bounces:
                from deploy.processes import bounces  # imported here, so that other sites do not load what it needs

                work["bounces"] = partial(bounces.keep_looking, settings)
        if settings.lti:
            from web.lti import scores  # imported here, so that other sites do not load what it needs

            work["lti"] = partial(scores.keep_up, host_names(settings.internal_hosts))
        for name, keep in work.items():
            Thread(target=beside, args=[sessions, keep], name=name, daemon=True).start()
        EndingBeat(app=make_app(settings), quiet=True, scheduler_cls=partial(Timetable, sending)).run()


class EndingBeat(Beat):  # type: ignore[misc]  # celery is not typed
    """Celery's beat with a reliable way to end: beat itself ends only through an exception, which gets lost inside the
    Redis client."""

    def install_sync_handler(self, service: Service) -> None:
        """End the process on a signal: at once if possible, otherwise after the current message."""

        def stop(*_: object) -> NoReturn:
            service.stop()
            end()

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, stop)


class Sending:
    """Remembers when this process last sent a due task, and whether it can send."""

    def __init__(self) -> None:
        self._at, self._fails = monotonic(), False

    def done(self) -> None:
        """Note that something was sent."""
        if self._fails:
            log.info("sending again")
        self._at, self._fails = monotonic(), False

    def failed(self, error: Exception) -> None:
        """Note that something could not be sent. Only the first failure is logged, since due tasks are soon sent
        again."""
        if not self._fails:
            log.error("nothing can be sent, trying again: %s", error)
        self._fails = True

    def trouble(self) -> str:
        """Return the reason why this scheduler does not work, or "" if it does."""
        quiet = monotonic() - self._at
        return f"it has sent nothing for {quiet:.0f} s; does the broker answer?" if quiet > QUIET_S else ""


class Timetable(Scheduler):  # type: ignore[misc]  # celery is not typed
    """A scheduler that keeps no file, since all intervals are short. Celery's own would log a traceback for each
    message that it cannot send, and would wait for the broker without limit."""

    def __init__(self, sending: Sending, **rest: Any) -> None:
        self._sending = sending
        super().__init__(**rest)

    @cached_property
    def producer(self) -> Producer:
        """A producer, which connects when something is sent."""
        return self.Producer(self.connection, auto_declare=False)

    def apply_entry(self, entry: ScheduleEntry, producer: Any = None) -> None:
        """Send a task that is due."""
        try:
            self.apply_async(entry, producer=producer, advance=False)
        except SchedulingError as error:
            self._sending.failed(error)
        else:
            self._sending.done()


def beside(sessions: Sessions, keep: Callable[..., None]) -> None:
    """Run `keep`, which never returns, at low priority."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, get_native_id(), LOWEST)  # on Linux, this is the priority of the thread
    keep(sessions, partial(rest_while_halted, sessions))


def rest_while_halted(sessions: Sessions, seconds: float) -> None:
    """Sleep for `seconds`, and then until the database may be used. Ends the process cleanly, as `WorkGate` does, if
    another version of Quadrille has upgraded the database."""
    sleep(seconds)
    while found := halt(sessions):
        if found.kind is Obstacle.SCHEMA:
            log.warning("ending: %s", found.reason)
            os.kill(os.getpid(), signal.SIGTERM)
        sleep(STAND_BY_S)


def stand_by(sessions: Sessions, name: str, rest: Callable[[float], None] = sleep) -> None:
    """Wait until no earlier scheduler is alive. If two schedulers work at once after a network split, the only effect
    is that messages are sent twice."""
    told = ""
    while (other := _first_scheduler(sessions)) not in (name, ""):
        if other != told:
            log.warning("another scheduler is at work, %s; this one stands by and takes its place when it ends", other)
        told = other
        rest(STAND_BY_S)


def _first_scheduler(sessions: Sessions) -> str:
    """Return the name of the scheduler that should work now, or "" if the database does not answer."""
    try:
        bury_dead(sessions)
        with reading(sessions) as session:
            found = schedulers(session)
    except SQLAlchemyError as error:
        log.warning("cannot find out whether another scheduler is at work: %s", in_a_line(error))
        return ""
    return found[0].name if found else ""
