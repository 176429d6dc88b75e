"""A worker's turn with a job of one student: trial games, a custom game, or a comparison. The worker claims the job
that has waited longest, plays its games for a while, and returns it. `tournament.work.turns` decides whose turn it
is."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any, Generic, TypeVar

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from tournament.games.api import Game
from tournament.play.contestants import count_games, counting_starts
from tournament.play.table import GameTable, play_tables
from tournament.store import jobs
from tournament.work.backlog import phase_of
from tournament.work.runner import PLAY, HeldJob, JobKind, JobPlan
from tournament.work.services import Services

log = logging.getLogger(__name__)

T = TypeVar("T")

TURN_S = 2.0
"""How long one job is played before other jobs get their turn."""


@dataclass(frozen=True, slots=True)
class Draw(Generic[T]):
    """The game that a student's player plays: the deal's seed, the player's seat, and the players in the other seats,
    in order."""

    seed: int
    seat: int
    opponents: tuple[T, ...]


@dataclass(frozen=True, slots=True)
class NextGames:
    """The next games of a job, which are stored together. `store` is called with a session, the job's row and
    `records`."""

    game: Game[Any]
    tables: Sequence[GameTable]
    store: Callable[..., None]


def in_turns(table: type[Any], next_games: Callable[[Session, Services, Any], NextGames | None]) -> JobKind[None]:
    """Return a kind of work in which a job's games are played for a while. `next_games` is called with the job's row;
    if no game is left, it ends the job and returns None."""

    def plan(services: Services, session: Session, id_: int) -> JobPlan[None]:
        return JobPlan(None, phase_of(table), session.get_one(table, id_).traces)

    return JobKind(table, plan, partial(_play_for_a_while, next_games=next_games))


def _play_for_a_while(job: HeldJob[None], next_games: Callable[[Session, Services, Any], NextGames | None]) -> None:
    services, games, until = job.services, 0, monotonic() + TURN_S
    try:
        while not job.over and (coming := job.store(lambda session, row: next_games(session, services, row))):
            records = list(play_tables(coming.game, counting_starts(coming.tables), services.limits, job.beat))
            job.store(partial(coming.store, records=records))
            games += len(records)
            count_games(job.plan.phase, records)
            if not job.over and monotonic() > until:
                job.store(lambda _, row: jobs.queue_last(row))
                services.send(PLAY)
    finally:
        if games:
            log.info("stored", extra={"games": games})


def longest_waiting(table: type[Any]) -> Select[int]:
    """Return the jobs of a kind, beginning with those that have waited longest."""
    return select(table.id).order_by(table.queued_at, table.id)
