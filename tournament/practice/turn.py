"""A worker's turn with a job of one student: trial games, a custom game, or a comparison. The worker claims the job
that has waited longest, plays games of it for a while, and gives it back. Whose turn it is: `tournament.work.turns`.

As in `tournament.blocks`, only the claim and the storing hold a transaction, and a claim that was lost stores nothing.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from time import monotonic
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from tournament.games.api import Game
from tournament.play.contestants import count_games, counting_starts
from tournament.play.table import GameTable, play_tables
from tournament.store import jobs
from tournament.store.database import now, reading, storing
from tournament.store.jobs import Claim
from tournament.work.backlog import phase_of
from tournament.work.claims import PLAY, ClaimLost, Heartbeat, remind, working_on
from tournament.work.services import Services

log = logging.getLogger(__name__)

TURN_S = 2.0
"""How long one job is played before others have their turn."""


@dataclass(frozen=True, slots=True)
class NextGames:
    """The games of a claimed job that are played next, and stored together.

    `store` returns the claim that holds from then on; if the claim was lost it stores nothing and returns None.
    """

    game: Game[Any]
    tables: Sequence[GameTable]
    store: Callable[..., Claim | None]  # called with the session, `claim` and `records`


def play_turn(
    services: Services, kind: type[Any], next_games: Callable[..., NextGames | None], order: Select[int] | None = None
) -> bool:
    """Play games of the job of a kind that has waited longest, or that is first in that `order`; False if none is
    waiting. `next_games` is called with the session, `services` and `claim`; it returns None once the job is over or
    the claim is lost.

    Raises SandboxUnavailable, before anything is claimed, if this worker has no sandbox.
    """
    _ = services.sandbox, services.trusted
    found = claim_longest_waiting(services, kind, order)
    if found is None:
        return False
    claim, traces = found
    games, until = 0, monotonic() + TURN_S
    with working_on(services, kind, claim, phase_of(kind), traces):
        try:
            while coming := storing(services.sessions, partial(next_games, services=services, claim=claim)):
                beat = Heartbeat(services, claim, kind)
                records = list(play_tables(coming.game, counting_starts(coming.tables), services.limits, beat))
                kept = storing(services.sessions, partial(coming.store, claim=claim, records=records))
                if kept is None:
                    raise ClaimLost
                claim, games = kept, games + len(records)
                count_games(phase_of(kind), records)
                if monotonic() > until:
                    if storing(services.sessions, partial(_queue_last, kind=kind, claim=claim)):
                        services.send(PLAY)
                    break
        finally:
            if games:
                log.info("stored", extra={"games": games})
    return True


def claim_longest_waiting(
    services: Services, kind: type[Any], order: Select[int] | None = None
) -> tuple[Claim, Sequence[str | None]] | None:
    """Claim the job of a kind that has waited longest, or that is first in that `order`; with the traces of
    the uploads that it plays."""

    def traces(session: Session, id_: int) -> Sequence[str | None]:
        found: Sequence[str | None] = session.get_one(kind, id_).traces
        return found

    if order is None:
        order = _longest_waiting(kind)  # type: ignore[arg-type]  # a class can be hashed
    return jobs.claim_first(services.sessions, kind, order, services.worker, traces)


@cache
def _longest_waiting(kind: type[Any]) -> Select[int]:
    return select(kind.id).order_by(kind.queued_at, kind.id)


def _queue_last(session: Session, kind: type[Any], claim: Claim) -> bool:
    """Put a job that is not over behind those that wait, with all its attempts; False if it is not held any more."""
    job = jobs.held(session, kind, claim)
    if job is not None:
        jobs.queue_last(job)
    return job is not None


def due(services: Services, kind: type[Any], *conditions: Any) -> int:
    """The number of jobs of this kind that could be claimed."""
    with reading(services.sessions) as session:
        waiting = select(func.count()).select_from(kind).where(jobs.claimable(kind, now()), *conditions)
        return session.scalar(waiting) or 0


def sweep(services: Services, kind: type[Any]) -> None:
    """Send a message for every job of a kind that is due and has perhaps lost its own."""
    remind(services, due(services, kind, jobs.overdue(kind, now())))
