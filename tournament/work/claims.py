"""A claimed job in the hands of the worker that plays it: its lease is renewed, and what fails is given back."""

import logging
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any

from sqlalchemy.orm import Session

from sandbox import signs
from tournament.store import jobs
from tournament.store.database import storing
from tournament.store.jobs import LEASE_S, Claim
from tournament.work.counters import INTERNAL_ERRORS
from tournament.work.services import Services

log = logging.getLogger(__name__)

PLAY = "tournament.play"
ANSWER = "tournament.answer"
"""The tasks that play what is due; the second only games by hand, in which somebody waits for an answer."""

REST_S = 5.0
"""Seconds for which a block is left alone after an internal error."""

SWEPT_BLOCKS = 64
"""The most messages that a sweep leaves in the queue: what playing workers take until the next sweep."""


class ClaimLost(Exception):
    """The lease ran out and another worker has the job, or it was cancelled."""


class Heartbeat:
    """Gives the signs of a worker that has a job: called after every play, case or step. It renews the lease and stores
    the columns that `more` returns, at most every `every_s` seconds. (While the worker waits for a jail, its `Presence`
    renews the lease.)"""

    def __init__(
        self,
        services: Services,
        claim: Claim,
        kind: type[Any],
        every_s: float = LEASE_S / 4,
        more: Callable[[], Mapping[str, Any]] = dict,
    ) -> None:
        self._services, self._claim, self._kind = services, claim, kind
        self._every_s, self._more = every_s, more
        self._due = monotonic() + every_s

    def __call__(self) -> None:
        """Give a sign. Raises ClaimLost."""
        signs.give()
        if monotonic() < self._due:
            return
        more = self._more()
        if not storing(self._services.sessions, lambda session: jobs.renew(session, self._kind, self._claim, **more)):
            raise ClaimLost
        self._due = monotonic() + self._every_s


def failed(services: Services, claim: Claim, trouble: Exception, phase: str, kind: type[Any]) -> None:
    """Log and count an internal error, and give the job back."""
    log.error("%s %d failed by an internal error", kind.__tablename__, claim.id)
    INTERNAL_ERRORS.labels(phase).inc()
    give_back(services, claim, f"{type(trouble).__name__}: {trouble}", kind)


def give_back(services: Services, claim: Claim, trouble: str, kind: type[Any]) -> None:
    """Return a job after an internal error, to be played later or parked; the next one opens new sandboxes."""

    def fail(session: Session) -> None:
        job = jobs.held(session, kind, claim)
        if job is not None:
            jobs.fail(job, trouble, REST_S)

    services.close_sandboxes()
    storing(services.sessions, fail)


def put_aside(services: Services, claim: Claim, why: str, kind: type[Any]) -> None:
    """Return a job that this process cannot do at present, such as one whose game it cannot load, or whose game failed;
    it is tried again later, and not counted as a failure."""
    log.error("%s %d waits: %s", kind.__tablename__, claim.id, why)

    def postpone(session: Session) -> None:
        job = jobs.held(session, kind, claim)
        if job is not None:
            job.was_cut_off(why)
            jobs.postpone(job, why)

    storing(services.sessions, postpone)


def remind(services: Services, due: int) -> None:
    """Send the messages that are missing for `due` jobs, one at least: those in the queue may be for another task."""
    if due:
        for _ in range(max(1, min(due, SWEPT_BLOCKS) - services.unread())):
            services.send(PLAY)
