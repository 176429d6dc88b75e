"""Recomputes a tournament from its log: standings from the stored games, ratings from the finishing orders, and how
often each leader finished ahead of each other leader.

Standings are updated with every result, so recomputing them only proves that they are right. Ratings depend on all
games at once, so they are fitted again from time to time, in parallel with all other work.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import isclose
from time import monotonic, sleep
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Table, and_, bindparam, case, func, select, update
from sqlalchemy.orm import Session

from tournament.ladder.results import BLOCK_SUMS, FORM_GAMES, PRODUCTS, SUMS, letter, lock_entries
from tournament.ladder.standings import on_board, sample_ranks
from tournament.ranking.plackett_luce import PlayedBlock, finish_of, ratings
from tournament.ranking.ranks import worth
from tournament.store.database import Sessions, changed, now, reading, writing
from tournament.store.jobs import JobState
from tournament.store.tables import Block, Entry, EntryState, Matchups, PlayedGame, Seat, Tournament

log = logging.getLogger(__name__)

EVERY_S = 60.0
"""The pause between two fits of the ratings."""

ROWS_AT_A_TIME = 10_000

ENTRIES_AT_A_TIME = 250
"""The number of ratings stored in one transaction. It is limited because, on SQLite, nobody else can write in the
meantime."""

_ENTRY = cast("Table", Entry.__table__)
RATED = update(_ENTRY).where(_ENTRY.c.id == bindparam("entry_id")).values(rating=bindparam("fitted"))

LEADERS = 12
"""The number of leaders whose results against each other are counted. A sum for each pair of a thousand entries would
be a million rows, written with every game. The fit of the ratings reads all results anyway, so the leaders are
counted then."""

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Discrepancies:
    """Stored data that is wrong: the ids of entries with wrong `standings` or `ratings`, and of blocks with wrong
    finishing `orders`. `blocks_behind`: the number of blocks played since the ratings were last fitted; ratings are
    compared only if it is 0."""

    standings: Sequence[int]
    ratings: Sequence[int]
    orders: Sequence[int]
    blocks_behind: int

    @property
    def right(self) -> bool:
        """Whether everything stored agrees with the log."""
        return not (self.standings or self.ratings or self.orders)


def rate_all(sessions: Sessions) -> int:
    """Fit the ratings of all tournaments in which blocks were played since the last fit; return the number of
    tournaments."""
    with reading(sessions) as session:
        due = [tournament.id for tournament in session.scalars(select(Tournament)) if _behind(session, tournament)]
    for tournament_id in due:
        rate_one(sessions, tournament_id)
    return len(due)


def keep_rating(sessions: Sessions, rest: Callable[[float], object] = sleep) -> None:
    """Fit ratings from time to time, in an endless loop. Fitting takes up at most a tenth of the time, however many
    games there are."""
    took = 0.0
    while True:
        rest(max(EVERY_S, 9 * took))
        started = monotonic()
        try:
            rate_all(sessions)
        except Exception:  # any error: the next attempt may succeed, and nothing else depends on this
            log.exception("the ratings were not fitted")
        took = monotonic() - started


def rate_one(sessions: Sessions, tournament_id: int) -> None:
    """Fit a tournament's ratings, count its leaders' matchups and sample its ranks. Results can be stored in the
    meantime."""
    with reading(sessions) as session:
        blocks = list(played_blocks(session, tournament_id))
    fitted = ratings(blocks)
    with reading(sessions) as session:
        changes = _changed_ratings(session, tournament_id, fitted)
        matchups = matchups_of(session, session.get_one(Tournament, tournament_id), blocks)
    for start in range(0, len(changes), ENTRIES_AT_A_TIME):
        with writing(sessions) as session:
            _store_ratings(session, changes[start : start + ENTRIES_AT_A_TIME])
    # Stored last: if this process is killed earlier, the ratings are fitted again
    with writing(sessions) as session:
        _rated(session, tournament_id, len(blocks))
        session.merge(matchups)
        sample_ranks(session, session.get_one(Tournament, tournament_id), now())


def played_blocks(session: Session, tournament_id: int) -> Iterator[PlayedBlock]:
    """Return the finishing orders that were stored with the results, in the order of the blocks."""
    wanted = select(Block.id, Block.entries, Block.finish).where(
        Block.tournament_id == tournament_id, Block.state == JobState.DONE
    )
    rows = session.execute(wanted.order_by(Block.id).execution_options(yield_per=ROWS_AT_A_TIME))
    return (PlayedBlock(id_, tuple(entries), finish) for id_, entries, finish in rows)


def logged_blocks(session: Session, tournament_id: int) -> Iterator[PlayedBlock]:
    """Yield the finishing orders from the games themselves, which is slower."""
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
    """Recompute standings and ratings from the stored games, and store the differences."""
    wrong = recompute_standings(session, tournament)  # locks the entries, so that nothing else is stored until the end
    session.refresh(tournament)
    behind = _behind(session, tournament)
    stored = {block.id: block for block in played_blocks(session, tournament.id)}
    logged = {block.id: block for block in logged_blocks(session, tournament.id)}
    orders = sorted(id_ for id_ in stored.keys() | logged.keys() if stored.get(id_) != logged.get(id_))
    for id_ in orders:
        session.get_one(Block, id_).finish = logged[id_].finish if id_ in logged else ""
    changes = _changed_ratings(session, tournament.id, ratings(logged.values()))
    _store_ratings(session, changes)
    _rated(session, tournament.id, len(logged))
    session.merge(matchups_of(session, tournament, logged.values()))
    return Discrepancies(wrong, [] if behind else [id_ for id_, _ in changes], orders, behind)


def _behind(session: Session, tournament: Tournament) -> int:
    played = select(func.count()).where(Block.tournament_id == tournament.id, Block.state == JobState.DONE)
    return (session.scalar(played) or 0) - tournament.rated_blocks


def _changed_ratings(
    session: Session, tournament_id: int, fitted: Mapping[int, float]
) -> list[tuple[int, float | None]]:
    """Return the ids of the entries whose rating changes, each with the new rating."""
    stored = session.execute(select(Entry.id, Entry.rating).where(Entry.tournament_id == tournament_id))
    return sorted((id_, fitted.get(id_)) for id_, rating in stored if rating != fitted.get(id_))


def _store_ratings(session: Session, changes: Sequence[tuple[int, float | None]]) -> None:
    """Store ratings. Rows are locked in the order of their ids, as in `tournament.ladder.results`."""
    if changes:
        session.execute(RATED, [{"entry_id": id_, "fitted": rating} for id_, rating in changes])
        session.expire_all()


def _rated(session: Session, tournament_id: int, blocks: int) -> None:
    changed(session, update(Tournament).where(Tournament.id == tournament_id).values(rated_blocks=blocks))


# Standings


def recompute_standings(session: Session, tournament: Tournament) -> list[int]:
    """Rebuild the standings from the stored games; returns the ids of the entries whose sums were wrong."""
    ids = session.scalars(select(Entry.id).where(Entry.tournament_id == tournament.id)).all()
    entries = lock_entries(session, ids)  # locked first: a result stored after the games were added up would be lost
    sums, forms = _summed_seats(session, tournament), _latest_forms(session, tournament)
    seats = select(Seat.entry_id, func.count()).join(Seat.game).where(PlayedGame.tournament_id == tournament.id)
    seated = dict(session.execute(seats.group_by(Seat.entry_id)).all())
    wrong = []
    for id_, entry in entries.items():
        right = dict(zip(SUMS, sums.get(id_, (0,) * len(SUMS)), strict=True)) | {"seated": seated.get(id_, 0)}
        alike = all(isclose(value, getattr(entry, column)) for column, value in right.items())
        if not alike or entry.form != forms.get(id_, ""):
            wrong.append(id_)  # sums of fractions depend on the order of adding, so `!=` cannot compare them
        entry.form = forms.get(id_, "")
        for column, value in right.items():
            setattr(entry, column, value)
    session.flush()
    return wrong


def _summed_seats(session: Session, tournament: Tournament) -> dict[int, tuple[float, ...]]:
    """Return the sums over the seats that count, in the order of SUMS, by entry id."""
    fault = case((Seat.verdict.is_not(None), 1), else_=0)
    win = case((and_(Seat.verdict.is_(None), Seat.place == 1), 1), else_=0)
    what = zip(BLOCK_SUMS, (1, win, fault, Seat.place, Seat.points), strict=True)
    block = (
        select(Seat.entry_id, *(func.sum(column).label(name) for name, column in what))
        .join(Seat.game)
        .where(PlayedGame.tournament_id == tournament.id, Seat.counts)
        .group_by(Seat.entry_id, PlayedGame.block_id)
        .subquery()
    )
    products = [block.c[one] * block.c[other] for one, other in PRODUCTS]
    columns = [func.sum(block.c[column]) for column in BLOCK_SUMS]
    summed: list[Any] = [*columns, func.count(), *map(func.sum, products)]  # in the order of SUMS
    rows = session.execute(select(block.c.entry_id, *summed).group_by(block.c.entry_id))
    return {id_: tuple(sums) for id_, *sums in rows}


def _latest_forms(session: Session, tournament: Tournament) -> dict[int, str]:
    """Return the `form` of each entry that has one, by its id."""
    counting = (
        select(
            Seat.entry_id,
            Seat.game_id,
            Seat.place,
            Seat.verdict,
            func.row_number().over(partition_by=Seat.entry_id, order_by=Seat.game_id.desc()).label("age"),
        )
        .join(Seat.game)
        .where(PlayedGame.tournament_id == tournament.id, Seat.counts)
        .subquery()
    )
    latest = select(counting).where(counting.c.age <= FORM_GAMES).order_by(counting.c.entry_id, counting.c.game_id)
    forms: dict[int, str] = {}
    for row in session.execute(latest):
        forms[row.entry_id] = forms.get(row.entry_id, "") + letter(row.place, row.verdict is not None)
    return forms


# Matchups between the leaders


def count_matchups(blocks: Iterable[PlayedBlock], leaders: Sequence[int]) -> tuple[Counts, Counts]:
    """Return two tables with a row and a column for each leader: the number of games in which one of the two finished
    ahead of the other, and the number in which the row's leader did. A game that ended in a fault is lost by those
    at fault; it decides nothing between the others."""
    row_of = {id_: row for row, id_ in enumerate(leaders)}
    ahead = np.zeros((len(leaders), len(leaders)), np.int64)
    for block in blocks:
        seated = [(at, row_of[id_]) for at, id_ in enumerate(block.entries) if id_ in row_of]
        if len(seated) < 2:
            continue
        orders = [block.finish[at :: len(block.entries)] for at, _ in seated]
        for one, (_, row) in enumerate(seated):
            for other, (_, column) in enumerate(seated):
                ahead[row, column] += sum(a < b for a, b in zip(orders[one], orders[other], strict=True))
    return ahead + ahead.T, ahead


def matchups_of(session: Session, tournament: Tournament, blocks: Iterable[PlayedBlock]) -> Matchups:
    """Return the present leaders' results against each other in all these blocks, as a row to be stored."""
    ranked = [(entry.id, tally) for entry, tally in on_board(session, tournament.id) if tally.ranked and tally.games]
    best = sorted(ranked, key=lambda each: (-worth(each[1], tournament.ranking), each[0]))[:LEADERS]
    leaders = [id_ for id_, _ in best]
    games, ahead = (each.tolist() for each in count_matchups(blocks, leaders))
    return Matchups(tournament_id=tournament.id, at=now(), entries=leaders, games=games, ahead=ahead)


def leaders_of(session: Session, tournament_id: int) -> tuple[Matchups | None, dict[int, str]]:
    """Return a ladder's matchups (None before its first ratings), and the names of the leaders that still play, by
    id."""
    found = session.get(Matchups, tournament_id)
    if found is None:
        return None, {}
    wanted = select(Entry.id, Entry.name).where(Entry.state == EntryState.ACTIVE, Entry.id.in_(found.entries))
    return found, dict(session.execute(wanted).all())
