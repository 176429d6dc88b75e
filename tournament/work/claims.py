"""Background work of any kind: a worker claims the first job that is due, works on it while its lease is renewed, and
stores what came of it; or gives it back.

Only the claim and the storing hold a transaction. A worker may be killed at any point: the lease of its job then runs
out, or the watch of its process ends it. A worker that has lost its claim stores nothing.

Every line of the log about an upload carries its id, up to its last game. It is kept with the submission and with its
entries, and travels in the headers of messages. Code that works on any of them says so: `with following(trace): …`.
"""

import logging
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Any

from sqlalchemy.orm import Session
from structlog.contextvars import bound_contextvars, get_contextvars

from sandbox import signs
from tournament.games.options import UnknownGame
from tournament.store import jobs
from tournament.store.database import storing
from tournament.store.jobs import LEASE_S, POSTPONED_S, Claim
from tournament.work.counters import INTERNAL_ERRORS
from tournament.work.services import Services

log = logging.getLogger(__name__)

GRADE = "grader.grade"
"""The task that does what the grader has to do: also what follows from trial games that are over."""

PLAY = "tournament.play"
ANSWER = "tournament.answer"
"""The tasks that play what is due; the second only games by hand, in which somebody waits for an answer."""

REST_S = 5.0
"""Seconds for which a job is left alone after an internal error."""

LONGEST_TROUBLE = 1000
"""Characters of an error that are kept with its job."""

STOPPED = "its worker was stopped before it was over"

SWEPT_BLOCKS = 64
"""The most messages that a sweep leaves in the queue: what playing workers take until the next sweep."""


TRACE = "trace"
"""The name in the log: a list, for a block of games has several players'."""


def new_trace() -> str:
    """An id for an upload: 12 hexadecimal digits."""
    return secrets.token_hex(6)


@contextmanager
def following(*traces: str | None, **more: Any) -> Iterator[None]:
    """Add these ids, in place of others, and the values of `more` to all lines that are logged in this context."""
    with bound_contextvars(**{TRACE: [trace for trace in traces if trace]}, **more):
        yield


def followed() -> list[str]:
    """The ids that are being followed now."""
    found: list[str] = get_contextvars().get(TRACE, [])
    return found


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


@contextmanager
def working_on(
    services: Services, kind: type[Any], claim: Claim, phase: str, traces: Sequence[str | None] = (), **more: Any
) -> Iterator[None]:
    """Where a worker works on a claimed job and stores what came of it; all lines of the log about it carry the traces
    of its uploads, its id and the values of `more`.

    Errors end here, and none is charged to a player. After an internal error the job is given back at once, and is
    tried again or, after the last attempt, parked. A job that is NotNow, or whose game is not there, is put aside, and
    so is the job of a worker that is stopped. If the claim was lost, there is nothing left to do.
    """
    with following(*traces, **{kind.__tablename__: claim.id, **more}):
        try:
            yield
        except ClaimLost:
            log.warning("%s %d was cancelled, or took too long and is done elsewhere", kind.__tablename__, claim.id)
        except (UnknownGame, jobs.NotNow) as error:  # the operator's mistake, not a student's
            put_aside(services, claim, str(error), kind)
        except (KeyboardInterrupt, SystemExit):
            put_aside(services, claim, STOPPED, kind, REST_S)
            raise
        except Exception as error:  # of any kind: nobody is to blame for it but us
            log.exception("%s %d failed by an internal error", kind.__tablename__, claim.id)
            INTERNAL_ERRORS.labels(phase).inc()
            give_back(services, claim, f"{type(error).__name__}: {error}"[:LONGEST_TROUBLE], kind)


def give_back(services: Services, claim: Claim, trouble: str, kind: type[Any]) -> None:
    """Return a job after an internal error, to be played later or parked; the next one opens new sandboxes."""

    def fail(session: Session) -> None:
        job = jobs.held(session, kind, claim)
        if job is not None:
            jobs.fail(job, trouble, REST_S)

    services.close_sandboxes()
    storing(services.sessions, fail)


def put_aside(services: Services, claim: Claim, why: str, kind: type[Any], rest_s: float = POSTPONED_S) -> None:
    """Return a job that this process cannot do at present, such as one whose game it cannot load, or whose game failed;
    it is tried again later, and not counted as a failure."""
    log.error("%s %d waits: %s", kind.__tablename__, claim.id, why)

    def postpone(session: Session) -> None:
        job = jobs.held(session, kind, claim)
        if job is not None:
            job.was_cut_off(why)
            jobs.postpone(job, why, rest_s)

    storing(services.sessions, postpone)


def remind(services: Services, due: int) -> None:
    """Send the messages that are missing for `due` jobs, one at least: those in the queue may be for another task."""
    if due:
        for _ in range(max(1, min(due, SWEPT_BLOCKS) - services.unread())):
            services.send(PLAY)
