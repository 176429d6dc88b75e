"""Custom games in batches: the same players with several deals, and what came of them.

A batch costs its asker's quota as many games as it has, since they cost the workers as much; a game that is cancelled
before it is played costs nothing. It makes nobody wait: its second game comes after everybody's first, its third after
everybody's second, and comparisons have their turns between them (`tournament.playing`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from sqlalchemy import select, update
from sqlalchemy.orm import Session, selectinload

from tournament.play.seeds import block_seed
from tournament.practice.custom_games import GameRequest, check_request, seats_at, seed_of
from tournament.practice.quota import BadDeals, check_quota
from tournament.ranking.intervals import interval_of_share
from tournament.store.database import changed, now
from tournament.store.jobs import JobState, ended
from tournament.store.tables import CustomBatch, CustomGame, CustomSeat

MOST_DEALS = 20
CANCELLED = "You cancelled it before it was played. It does not use up your quota."
GAMES = selectinload(CustomBatch.games).selectinload(CustomGame.seats)


def ask(
    session: Session, request: GameRequest, deals: int, rotates: bool, quota: int, at: datetime | None = None
) -> CustomBatch:
    """Queue a batch; as `tournament.practice.custom_games.ask`, and raises BadDeals."""
    at = at or now()
    if request.key:
        same = (CustomBatch.asker_id == request.asker_id, CustomBatch.request_key == request.key)
        if former := session.scalar(select(CustomBatch).where(*same)):
            return former
    if not 1 <= deals <= MOST_DEALS:
        raise BadDeals(f"From 1 to {MOST_DEALS} deals can be played at once.")
    check_request(request)
    check_quota(session, request.tournament, request.asker_id, quota, at, deals)
    where, seed = {"tournament_id": request.tournament.id, "asker_id": request.asker_id}, seed_of(request)
    batch = CustomBatch(**where, seed=seed, rotates=rotates, asked_at=at, request_key=request.key)
    batch.games = [
        CustomGame(
            **where,
            number=number,
            seed=block_seed(seed, number),
            queued_at=at,
            seats=seats_at(request.table, number if rotates else 0),
        )
        for number in range(deals)
    ]
    session.add(batch)
    session.flush()
    return batch


def cancel(session: Session, batch_id: int) -> int:
    """Cancel the games of a batch that nobody is playing yet; returns how many there were."""
    waiting = update(CustomGame).where(CustomGame.batch_id == batch_id, CustomGame.state == JobState.QUEUED)
    return changed(session, waiting.values(ended(JobState.CANCELLED, CANCELLED)))


def batches_asked(session: Session, tournament_id: int, asker_id: int, limit: int = 20) -> Sequence[CustomBatch]:
    """Somebody's batches, the latest first."""
    wanted = select(CustomBatch).where(CustomBatch.tournament_id == tournament_id, CustomBatch.asker_id == asker_id)
    return session.scalars(wanted.options(GAMES).order_by(CustomBatch.id.desc()).limit(limit)).all()


@dataclass(frozen=True, slots=True)
class PlayerResult:
    """What a player of a batch did in the `games` that say something of it: those without a fault, and those with a
    fault of its own, which are lost. `low` and `high` are the 95% interval of its share of wins. `seats`: its seat in
    each game of the batch, played or not."""

    label: str
    author_id: int | None
    games: int
    wins: int
    faults: int
    low: float
    high: float
    mean_place: float | None
    mean_points: float | None
    seats: Sequence[CustomSeat]


def results(batch: CustomBatch) -> list[PlayerResult]:
    """The results so far, player by player as they were chosen."""
    size = len(batch.games[0].seats)
    return [_result(batch, player, size) for player in range(size)]


def _result(batch: CustomBatch, player: int, size: int) -> PlayerResult:
    seats = [game.seats[(player - game.number * batch.rotates) % size] for game in batch.games]
    spoilt = [any(seat.verdict for seat in game.seats) for game in batch.games]
    counted = [
        seat
        for seat, fault in zip(seats, spoilt, strict=True)
        if seat.place is not None and (seat.verdict or not fault)
    ]
    faults = sum(seat.verdict is not None for seat in counted)
    wins = sum(seat.place == 1 and not seat.verdict for seat in counted)
    low, high = interval_of_share(wins, len(counted))
    places, points = [each.place or 0 for each in counted], [each.points or 0.0 for each in counted]
    mean_place, mean_points = (float(np.mean(each)) if each else None for each in (places, points))
    first = seats[0]
    return PlayerResult(
        *(first.label, first.author_id, len(counted), wins, faults, low, high, mean_place, mean_points), seats
    )
