"""Recomputing a tournament from its log: standings from the stored games, ratings from the finishing orders.

Standings are updated with every result, so recomputing them only proves that they are right. Ratings depend on all
games at once, so they are fitted again from time to time, in parallel with all other work.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from time import monotonic, sleep
from typing import cast

from sqlalchemy import Table, bindparam, func, select, update
from sqlalchemy.orm import Session

from tournament.ladder.matchups import matchups_of
from tournament.ladder.rank_history import sample_ranks
from tournament.ladder.recompute import recompute
from tournament.ranking.plackett_luce import PlayedBlock, finish_of, ratings
from tournament.store.database import Sessions, changed, now, reading, writing
from tournament.store.jobs import JobState
from tournament.store.tables import Block, Entry, PlayedGame, Seat, Tournament

log = logging.getLogger(__name__)

EVERY_S = 60.0
"""The pause between two fits of the ratings."""

ROWS_AT_A_TIME = 10_000

ENTRIES_AT_A_TIME = 250
"""Ratings that are stored in one transaction: on SQLite nobody else can write in the meantime."""

_ENTRY = cast("Table", Entry.__table__)
RATED = update(_ENTRY).where(_ENTRY.c.id == bindparam("entry_id")).values(rating=bindparam("fitted"))


@dataclass(frozen=True, slots=True)
class Discrepancies:
    """What was stored wrongly: ids of entries, and of blocks for the finishing orders. `blocks_behind`: the blocks
    played since the ratings were last fitted; ratings are compared only if there are none."""

    standings: Sequence[int]
    ratings: Sequence[int]
    orders: Sequence[int]
    blocks_behind: int

    @property
    def right(self) -> bool:
        """Whether everything stored agrees with the log."""
        return not (self.standings or self.ratings or self.orders)


def rate_all(sessions: Sessions) -> int:
    """Fit the ratings of every tournament in which blocks were played since the last time; returns how many there
    were."""
    with reading(sessions) as session:
        due = [tournament.id for tournament in session.scalars(select(Tournament)) if _behind(session, tournament)]
    for tournament_id in due:
        rate_one(sessions, tournament_id)
    return len(due)


def keep_rating(sessions: Sessions, rest: Callable[[float], object] = sleep) -> None:
    """Fit ratings from time to time, for ever; it takes at most a tenth of the time, however many games there are."""
    took = 0.0
    while True:
        rest(max(EVERY_S, 9 * took))
        started = monotonic()
        try:
            rate_all(sessions)
        except Exception:  # whatever it is: the next time may succeed, and nothing else depends on it
            log.exception("the ratings were not fitted")
        took = monotonic() - started


def rate_one(sessions: Sessions, tournament_id: int) -> None:
    """Fit a tournament's ratings, count the matchups of its leaders, and sample its ranks. Nothing is locked meanwhile,
    so results can be stored."""
    with reading(sessions) as session:
        blocks = list(played_blocks(session, tournament_id))
    fitted = ratings(blocks)
    with reading(sessions) as session:
        changes = _changes(session, tournament_id, fitted)
        matchups = matchups_of(session, session.get_one(Tournament, tournament_id), blocks)
    for start in range(0, len(changes), ENTRIES_AT_A_TIME):
        with writing(sessions) as session:
            _store(session, changes[start : start + ENTRIES_AT_A_TIME])
    with writing(sessions) as session:  # last: a process that is killed before this fits them again
        _rated(session, tournament_id, len(blocks))
        session.merge(matchups)
        sample_ranks(session, session.get_one(Tournament, tournament_id), now())


def played_blocks(session: Session, tournament_id: int) -> Iterator[PlayedBlock]:
    """The finishing orders that were stored with the results, in the order of the blocks."""
    wanted = select(Block.id, Block.entries, Block.finish).where(
        Block.tournament_id == tournament_id, Block.state == JobState.DONE
    )
    rows = session.execute(wanted.order_by(Block.id).execution_options(yield_per=ROWS_AT_A_TIME))
    return (PlayedBlock(id_, tuple(entries), finish) for id_, entries, finish in rows)


def logged_blocks(session: Session, tournament_id: int) -> Iterator[PlayedBlock]:
    """The finishing orders from the games themselves, which takes longer."""
    entries = {block.id: block.entries for block in played_blocks(session, tournament_id)}
    wanted = (
        select(PlayedGame.block_id, PlayedGame.seating, Seat.entry_id, Seat.place, Seat.verdict, Seat.counts)
        .join(Seat.game)
        .where(PlayedGame.tournament_id == tournament_id)
        .order_by(PlayedGame.block_id, PlayedGame.seating)
    )
    rows = session.execute(wanted.execution_options(yield_per=ROWS_AT_A_TIME))
    for block_id, seats in groupby(rows, lambda row: row.block_id):
        table = entries[block_id]
        finish = ""
        for _, game in groupby(seats, lambda row: row.seating):
            seat = {row.entry_id: row for row in game}
            ordered = [seat[id_] for id_ in table]
            at_fault = [row.verdict is not None for row in ordered]
            finish += finish_of([row.place for row in ordered], at_fault, any(row.counts for row in ordered))
        yield PlayedBlock(block_id, table, finish)


def rerate(session: Session, tournament: Tournament) -> Discrepancies:
    """Recompute standings and ratings from the stored games, and store what differs."""
    wrong = recompute(session, tournament)  # locks the entries: until the end nothing else is stored
    session.refresh(tournament)
    behind = _behind(session, tournament)
    stored = {block.id: block for block in played_blocks(session, tournament.id)}
    logged = {block.id: block for block in logged_blocks(session, tournament.id)}
    orders = sorted(id_ for id_ in stored.keys() | logged.keys() if stored.get(id_) != logged.get(id_))
    for id_ in orders:
        session.get_one(Block, id_).finish = logged[id_].finish if id_ in logged else ""
    changes = _changes(session, tournament.id, ratings(logged.values()))
    _store(session, changes)
    _rated(session, tournament.id, len(logged))
    session.merge(matchups_of(session, tournament, logged.values()))
    return Discrepancies(wrong, [] if behind else [id_ for id_, _ in changes], orders, behind)


def _behind(session: Session, tournament: Tournament) -> int:
    played = select(func.count()).where(Block.tournament_id == tournament.id, Block.state == JobState.DONE)
    return (session.scalar(played) or 0) - tournament.rated_blocks


def _changes(session: Session, tournament_id: int, fitted: Mapping[int, float]) -> list[tuple[int, float | None]]:
    """The entries whose rating changes, by id, each with the new one."""
    stored = session.execute(select(Entry.id, Entry.rating).where(Entry.tournament_id == tournament_id))
    return sorted((id_, fitted.get(id_)) for id_, rating in stored if rating != fitted.get(id_))


def _store(session: Session, changes: Sequence[tuple[int, float | None]]) -> None:
    """Store ratings. Rows are locked in the order of their ids, as in `tournament.ladder.results`."""
    if changes:
        session.execute(RATED, [{"entry_id": id_, "fitted": rating} for id_, rating in changes])
        session.expire_all()


def _rated(session: Session, tournament_id: int, blocks: int) -> None:
    changed(session, update(Tournament).where(Tournament.id == tournament_id).values(rated_blocks=blocks))
