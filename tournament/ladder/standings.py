"""The leaderboard of a ladder, the games of an entry, and the ranks of entries over time, read from the database."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Integer, Select, and_, bindparam, func, insert, select
from sqlalchemy.orm import Session, aliased

from tournament.ladder.results import PRODUCT_COLUMNS
from tournament.ranking.ranks import Rating, Tally, rate, shared_ranks, worth
from tournament.store.database import columns
from tournament.store.tables import Entry, EntryState, PlayedGame, RankSample, Seat, Tournament

AT_TABLE = (Entry.name, Entry.author_id, Entry.bot, Entry.player_id)
"""The columns of each entry that the pages of a game need."""


@dataclass(frozen=True, slots=True)
class ListedEntry:
    """The columns of an entry that a leaderboard shows, see `tournament.store.tables.Entry`."""

    id: int
    author_id: int | None
    bot: str | None
    name: str
    version: int
    state: EntryState
    entered_at: datetime
    faults: int
    rating: float | None
    form: str


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of the leaderboard. `win_rate`, `low` and `high` (its 95% interval) are 0 to 1. `value` is the figure by
    which the tournament ranks, with its 95% interval, infinite where nothing is known yet. `rank`, `rank_interval`,
    `tied` and `group` come from `RankPosition`, and are None for an entry without one. `rating` is the Plackett–Luce
    rating, None before it is first fitted."""

    entry: ListedEntry
    rank: int | None
    games: int
    wins: int
    win_rate: float
    low: float
    high: float
    faults: int
    state: EntryState
    provisional: bool
    tied: tuple[int, int] | None
    rank_interval: tuple[int, int] | None
    group: int | None
    value: float
    value_low: float
    value_high: float
    rating: float | None

    @property
    def house(self) -> bool:
        """Whether this is a house bot."""
        return self.entry.bot is not None


def standings(session: Session, tournament: Tournament) -> list[Standing]:
    """Return the ranked entries, with house bots at the positions that they would have, then entries without games,
    then entries that were put out."""
    entries = on_board(session, tournament.id)
    ratings = rate([tally for _, tally in entries], tournament.ranking)
    lines = sorted(
        zip(entries, ratings, strict=True),
        key=lambda line: (line[0][0].state == EntryState.OUT, -worth(line[0][1], tournament.ranking), line[0][0].id),
    )
    return [_standing(entry, tally, rating) for (entry, tally), rating in lines]


ENTRY_COLUMNS = tuple(getattr(Entry, each.name) for each in fields(ListedEntry))
TALLY_COLUMNS = (Entry.games, Entry.wins, Entry.places, Entry.points, Entry.blocks)
_NOT_REPLACED = (
    select(*ENTRY_COLUMNS, *TALLY_COLUMNS, *(getattr(Entry, each) for each in PRODUCT_COLUMNS))
    .where(Entry.tournament_id == bindparam("tournament"), Entry.state != EntryState.REPLACED)
    .order_by(Entry.id)
)
"""Selects plain rows instead of objects, because a class may have a thousand entries, and its leaderboard is calculated
every few seconds."""


def on_board(session: Session, tournament_id: int) -> list[tuple[ListedEntry, Tally]]:
    """Return the active entries, house bots included, and each student's latest entry if it was put out."""
    rows = []
    for row in session.execute(_NOT_REPLACED, {"tournament": tournament_id}):
        entry = ListedEntry(*row[: len(ENTRY_COLUMNS)])
        games, wins, places, points, blocks, *products = row[len(ENTRY_COLUMNS) :]
        ranked = entry.bot is None and entry.state == EntryState.ACTIVE
        by_name = dict(zip(PRODUCT_COLUMNS, products, strict=True))
        rows.append((entry, Tally(games, wins, places, points, ranked, blocks, by_name)))
    latest = {(entry.author_id, entry.bot): entry.id for entry, _ in rows}
    return [
        (entry, tally)
        for entry, tally in rows
        if entry.state == EntryState.ACTIVE
        or (entry.state == EntryState.OUT and latest[entry.author_id, entry.bot] == entry.id)
    ]


def _standing(entry: ListedEntry, tally: Tally, rating: Rating) -> Standing:
    position = rating.position
    return Standing(
        entry=entry,
        rank=position.rank if position else None,
        games=tally.games,
        wins=tally.wins,
        win_rate=rating.win_rate,
        low=rating.low,
        high=rating.high,
        faults=entry.faults,
        state=entry.state,
        provisional=rating.provisional,
        tied=position.tied if position else None,
        rank_interval=position.interval if position else None,
        group=position.group if position else None,
        value=rating.value,
        value_low=rating.value_low,
        value_high=rating.value_high,
        rating=entry.rating,
    )


class ListedSeat(NamedTuple):
    """A seat of a listed game, see `tournament.store.tables.Seat`; `name` and `author_id` are its entry's."""

    seat: int
    entry_id: int
    place: int
    points: float
    counts: bool
    verdict: str | None
    rule: str
    message: str
    name: str
    author_id: int | None


@dataclass(frozen=True, slots=True)
class ListedGame:
    """A game without its record, see `tournament.store.tables.PlayedGame`."""

    id: int
    ended: str
    plays: int
    played_at: datetime
    seats: Sequence[ListedSeat]


def games_of(
    session: Session, entry_id: int, limit: int = 50, before: int | None = None, among: Collection[int] | None = None
) -> Sequence[ListedGame]:
    """Return the entry's games, latest first; `before` is the id of the last game on the previous page. Games that do
    not count are included, and marked in their seats. `among`: only games with these ids."""
    which: dict[str, Any] = {"entry": entry_id, "limit": limit} | ({} if before is None else {"before": before})
    if among is not None:
        which["among"] = sorted((each for each in among if before is None or each < before), reverse=True)[:limit]
    rows: Sequence[Any] = columns(session, _seats_listed(before is not None, among is not None), which).all()
    found = []
    for _, seats in groupby(rows, key=itemgetter(0)):
        (id_, ended, plays, played_at, *_), *_ = of_game = [*seats]
        listed = [ListedSeat._make(row[len(GAME_COLUMNS) :]) for row in of_game]
        found.append(ListedGame(id_, ended, plays, played_at, listed))
    return found


GAME_COLUMNS = (PlayedGame.id, PlayedGame.ended, PlayedGame.plays, PlayedGame.played_at)
SEAT_COLUMNS = tuple(getattr(Seat, each) for each in ListedSeat._fields[:-2])


@cache
def _seats_listed(further: bool, chosen: bool) -> Select[*tuple[Any, ...]]:
    """Return a query for plain rows, one for each seat: a page shows two hundred seats. It is built only once, because
    building it takes as long as running it."""
    ids = select(Seat.game_id).where(Seat.entry_id == bindparam("entry"))
    ids = ids.where(Seat.game_id < bindparam("before")) if further else ids
    ids = ids.where(Seat.game_id.in_(bindparam("among", expanding=True))) if chosen else ids
    latest = ids.order_by(Seat.game_id.desc()).limit(bindparam("limit", type_=Integer)).subquery()
    shown = (*GAME_COLUMNS, *SEAT_COLUMNS, Entry.name, Entry.author_id)
    seats = select(*shown).join(Seat.game).join(Seat.entry).where(Seat.game_id.in_(select(latest.c.game_id)))
    return seats.order_by(Seat.game_id.desc(), Seat.seat)


# Ranks over time are sampled, because calculating a former rank from the log would mean adding up all games of all
# entries again. A rank is stored when it has changed and the entry has played a tenth more games, or an hour has passed
# since the last sample. So an entry has a few dozen samples, and at most 24 a day on which its rank changes.


class Ranked(NamedTuple):
    """A rank sample, see `tournament.store.tables.RankSample`."""

    entry_id: int
    at: datetime
    rank: int
    ranked: int
    games: int


SAMPLE_COLUMNS = tuple(getattr(RankSample, each) for each in Ranked._fields)
_OF_ENTRIES = (
    select(*SAMPLE_COLUMNS)
    .where(RankSample.entry_id.in_(bindparam("entries", expanding=True)))
    .order_by(RankSample.at, RankSample.entry_id)
)


def sample_ranks(session: Session, tournament: Tournament, at: datetime) -> int:
    """Store the ranks that are due for a sample; return their number."""
    other = aliased(RankSample)
    newest = select(func.max(other.at)).where(other.entry_id == Entry.id).correlate(Entry).scalar_subquery()
    samples = select(*SAMPLE_COLUMNS).join(Entry, and_(Entry.id == RankSample.entry_id, RankSample.at == newest))
    rows = session.execute(samples.where(Entry.tournament_id == tournament.id))
    last = {row.entry_id: Ranked._make(row) for row in rows}
    ranked = [(entry.id, tally) for entry, tally in on_board(session, tournament.id) if tally.ranked and tally.games]
    ranks = shared_ranks(np.array([worth(tally, tournament.ranking) for _, tally in ranked])).tolist()
    present = [Ranked(id_, at, rank, len(ranked), each.games) for (id_, each), rank in zip(ranked, ranks, strict=True)]
    due = [each for each in present if is_due(each, last.get(each.entry_id))]
    if due:
        session.execute(insert(RankSample), [each._asdict() for each in due])
    return len(due)


def is_due(present: Ranked, last: Ranked | None) -> bool:
    """Whether a rank is due to be stored, given the entry's `last` sample."""
    if last is None:
        return True
    much = 10 * present.games >= 11 * last.games or present.at - last.at >= timedelta(hours=1)
    return much and present.at > last.at and (present.rank, present.ranked) != (last.rank, last.ranked)


def ranks_of(session: Session, entry_ids: Sequence[int]) -> Sequence[Ranked]:
    """Return the samples of some entries, the oldest first."""
    return [Ranked._make(row) for row in columns(session, _OF_ENTRIES, {"entries": entry_ids})]


def thinned_ranks_of(session: Session, entry_ids: Sequence[int], most: int) -> Sequence[Ranked]:
    """Return at most `most` samples of each entry, the oldest first: evenly spaced, and including the last one."""
    of_entry: dict[str, Any] = {"partition_by": RankSample.entry_id}
    later = func.row_number().over(order_by=RankSample.at.desc(), **of_entry) - 1
    numbered = select(*SAMPLE_COLUMNS, later.label("later"), func.count().over(**of_entry).label("number"))
    own = numbered.where(RankSample.entry_id.in_(entry_ids)).subquery().c
    wanted = select(own.entry_id, own.at, own.rank, own.ranked, own.games)
    wanted = wanted.where(own.later % ((own.number + most - 1) // most) == 0)
    return [Ranked._make(row) for row in session.execute(wanted.order_by(own.at, own.entry_id))]


def sampled(session: Session, entry_ids: Sequence[int]) -> tuple[int, datetime | None]:
    """Return the number of samples of these entries, and the time at which the last one was stored. The result changes
    with every sample."""
    wanted = select(func.count(), func.max(RankSample.at)).where(RankSample.entry_id.in_(entry_ids))
    number, last = session.execute(wanted).one()
    return number, last
