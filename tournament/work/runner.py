"""The runner of all background work: it claims the first job that is due, runs it, and handles errors.

Each kind of work is a `JobKind`: it defines what is read before the claim, and what is done afterwards. While a job is
being done, `job.beat` renews the lease, and `job.store` stores results if the claim is still valid. Only claiming and
storing take a transaction. A worker can be killed at any point: the lease of its job then runs out, or the watch of its
process ends the lease.

Errors here are never a student's: a player's mistakes are part of the result. After an internal error, the job is
returned at once, and is tried again or, after the last attempt, parked (`tournament.store.jobs` counts the attempts). A
job is put aside if NotNow is raised, if its game is missing, or if its worker is stopped; this does not count as an
attempt.

Every line of the log about an upload contains the upload's trace id, up to its last game. The id is stored with the
submission and its entries, and sent in the headers of messages. Code that works on any of these declares it: `with
following(trace): …`.
"""

import logging
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from time import monotonic
from typing import Any, Generic, TypeVar

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import Session
from structlog.contextvars import bound_contextvars, get_contextvars

from sandbox import signs
from tournament.games.options import UnknownGame
from tournament.store import jobs
from tournament.store.database import now, reading, storing
from tournament.store.jobs import LEASE, POSTPONED_S, Claim, JobState
from tournament.work.services import Services
from tournament.work.tally import INTERNAL_ERRORS

log = logging.getLogger(__name__)

GRADE = "grader.grade"
"""The task that does the grader's work, including the processing of finished trial games."""

PLAY = "tournament.play"
ANSWER = "tournament.answer"
"""The tasks that play games that are due. The second task plays only games by hand in which a person waits for an
answer."""

TRACE = "trace"
"""The name of the trace ids in the log. Its value is a list, since a block of games has several players."""

REST_S = 5.0
"""The time, in seconds, for which a job rests after an internal error."""

LONGEST_TROUBLE = 1000
"""The number of characters of an error that are stored with its job."""

STOPPED = "its worker was stopped before it had finished"

SWEPT = 64
"""The maximum number of messages that a sweep leaves in the queue: about as many as playing workers process before the
next sweep."""

Content = TypeVar("Content")
Answer = TypeVar("Answer")


class ClaimLost(Exception):
    """The lease ran out and another worker has the job, or the job was cancelled."""


@dataclass(frozen=True, slots=True)
class JobPlan(Generic[Content]):
    """The data read about a job before it is claimed: the `content` that its work needs, and labels for metrics and the
    log. `phase` names the job in metrics. All lines of the log about the job contain `traces`, the trace ids of its
    uploads, and `labels`."""

    content: Content
    phase: str
    traces: Sequence[str | None] = ()
    labels: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class JobKind(Generic[Content]):
    """A kind of work on the rows of a `table`. `plan` reads a row, by its id, while nothing is locked; it can raise
    NotNow. `work` does the job and stores its results. `sandboxes`: the sandboxes of `Services` that the work needs.
    """

    table: type[Any]
    plan: Callable[[Services, Session, int], JobPlan[Content]]
    work: Callable[["HeldJob[Content]"], None]
    sandboxes: Sequence[str] = ("sandbox", "trusted")


class HeldJob(Generic[Content]):
    """A job that this worker has claimed. `over`: whether this worker no longer holds the job, after the last
    `store`."""

    def __init__(self, services: Services, kind: JobKind[Content], claim: Claim, plan: JobPlan[Content]) -> None:
        self.services, self.kind, self.claim, self.plan = services, kind, claim, plan
        self.over = False
        self._name = f"{kind.table.__tablename__} {claim.id}"
        self.show_progress(dict, LEASE.total_seconds() / 4)

    @property
    def content(self) -> Content:
        """The content that was read before the claim."""
        return self.plan.content

    def show_progress(self, columns: Callable[[], Mapping[str, Any]], every_s: float) -> None:
        """Have `beat` store these columns of the job too, at most every `every_s` seconds."""
        self._columns, self._every_s = columns, every_s
        self.next_sign = monotonic() + every_s

    def beat(self) -> None:
        """Give a sign of life. This is called after every play, case or step, and renews the lease from time to time.
        (While the worker waits for a jail, its `Presence` renews it.) Raises ClaimLost."""
        signs.give()
        if monotonic() < self.next_sign:
            return
        renewed = partial(jobs.renew, kind=self.kind.table, claim=self.claim, **self._columns())
        if not storing(self.services.sessions, renewed):
            raise ClaimLost
        self.next_sign = monotonic() + self._every_s

    def store(self, act: Callable[[Session, Any], Answer]) -> Answer:
        """Run `act` in a transaction in which the job's row is locked, and return its answer. Raises ClaimLost, and
        stores nothing, if the claim is no longer valid."""

        def act_if_held(session: Session) -> tuple[Answer, int, bool]:
            row = jobs.held(session, self.kind.table, self.claim)
            if row is None:
                raise ClaimLost
            answer = act(session, row)
            return answer, row.attempts, row.state is not JobState.RUNNING

        answer, attempts, self.over = storing(self.services.sessions, act_if_held)
        self.claim = replace(self.claim, attempt=attempts)
        return answer

    def run(self) -> None:
        """Do the job. Its errors are handled here; only exceptions that stop the worker are raised."""
        labels = {self.kind.table.__tablename__: self.claim.id, **self.plan.labels}
        with following(*self.plan.traces, **labels):
            try:
                self.kind.work(self)
            except ClaimLost:
                log.warning("%s was cancelled, or took too long and is done elsewhere", self._name)
            except (UnknownGame, jobs.NotNow) as error:  # the operator's mistake, not a student's
                self._put_aside(str(error), POSTPONED_S)
            except (KeyboardInterrupt, SystemExit):
                self._put_aside(STOPPED, REST_S)
                raise
            except Exception as error:  # any error here is an internal error
                log.exception("%s failed by an internal error", self._name)
                INTERNAL_ERRORS.labels(self.plan.phase).inc()
                self.give_back(f"{type(error).__name__}: {error}"[:LONGEST_TROUBLE])

    def give_back(self, trouble: str) -> None:
        """Return the job after an internal error, to be retried or parked. The next job opens new sandboxes."""
        self.services.close_sandboxes()
        self._end(lambda row: jobs.fail(row, trouble, REST_S))

    def _put_aside(self, why: str, rest_s: float) -> None:
        """Return a job that this process cannot do at present. This does not count as a failure."""
        log.error("%s waits: %s", self._name, why)

        def postpone(row: Any) -> None:
            row.was_cut_off(why)
            jobs.postpone(row, why, rest_s)

        self._end(postpone)

    def _end(self, act: Callable[[Any], None]) -> None:
        with suppress(ClaimLost):
            self.store(lambda _, row: act(row))


def claim_first(services: Services, kind: JobKind[Content], order: Select[int]) -> HeldJob[Content] | None:
    """Claim the first job of a kind that is due, in this order of ids; None if none is due. Raises SandboxUnavailable,
    before anything is claimed, if this worker lacks a sandbox."""
    for name in kind.sandboxes:
        getattr(services, name)
    found = jobs.claim_first(services.sessions, kind.table, order, services.worker, partial(kind.plan, services))
    return HeldJob(services, kind, *found) if found else None


def do_first(services: Services, kind: JobKind[Any], order: Select[int]) -> bool:
    """Claim and do the first due job of a kind. Returns False if none is. Raises the same errors as `claim_first`."""
    job = claim_first(services, kind, order)
    if job is not None:
        job.run()
    return job is not None


def sweep(services: Services, table: type[Any], *conditions: ColumnElement[bool]) -> int:
    """Send new messages for due jobs of playing workers whose messages may be lost. Returns the number of such jobs. If
    there are any, at least one message is sent, since the messages in the queue may be for another task."""
    at = now()
    lost = select(func.count()).select_from(table).where(jobs.claimable(table, at), jobs.overdue(table, at))
    with reading(services.sessions) as session:
        found = session.scalar(lost.where(*conditions)) or 0
    if found:
        for _ in range(max(1, min(found, SWEPT) - services.unread())):
            services.send(PLAY)
    return found


def new_trace() -> str:
    """Return an id for an upload: 12 hexadecimal digits."""
    return secrets.token_hex(6)


@contextmanager
def following(*traces: str | None, **more: Any) -> Iterator[None]:
    """Add these ids, in place of earlier ones, and the values of `more` to all lines that are logged in this
    context."""
    with bound_contextvars(**{TRACE: [trace for trace in traces if trace]}, **more):
        yield


def followed() -> list[str]:
    """Return the ids that `following` adds to the log now."""
    found: list[str] = get_contextvars().get(TRACE, [])
    return found
