"""The scheduler process: sends what is due periodically. One does so at a time; others stand by to take its place."""

import logging
import signal
from collections.abc import Callable
from time import sleep

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import sessionmaker

import web.models  # noqa: F401  # tables that others refer to
from deploy.celery import make_app
from deploy.gate import wait_until_fitting
from deploy.settings import Settings
from deploy.worker import end, keep_our_logging, own_name
from tournament.db import Sessions, connect, reading
from tournament.workers import SCHEDULER, Presence, bury_dead, schedulers

log = logging.getLogger(__name__)

STAND_BY_S = 3.0
"""After so many seconds one that stands by looks again."""


def run_scheduler(settings: Settings) -> None:
    """Send what is due periodically, until SIGTERM."""
    keep_our_logging()
    signal.signal(signal.SIGTERM, end)  # until Celery takes it
    sessions = sessionmaker(connect(settings.database))
    wait_until_fitting(sessions)
    with Presence(sessions, own_name(), SCHEDULER):
        stand_by(sessions, own_name())
        log.info("sending what is due")
        make_app(settings).Beat(quiet=True).run()


def stand_by(sessions: Sessions, name: str, rest: Callable[[float], None] = sleep) -> None:
    """Return when it is this scheduler's turn: no other that came before it gives signs.

    Two at once, after a split or a long silence, do no harm: each message is only sent twice."""
    told = ""
    while (other := _first(sessions)) not in (name, ""):
        if other != told:
            log.warning("another scheduler is at work, %s; this one stands by and takes its place when it ends", other)
        told = other
        rest(STAND_BY_S)


def _first(sessions: Sessions) -> str:
    """The scheduler whose turn it is; "" if the database does not tell."""
    try:
        bury_dead(sessions)
        with reading(sessions) as session:
            found = schedulers(session)
    except SQLAlchemyError as error:
        log.warning("whether there is another scheduler cannot be told: %s", error)
        return ""
    return found[0].name if found else ""
