"""Ranks over time, sampled: to work out former ranks from the log would mean to add up all games of all entries again
for each moment.

A rank is stored when it has changed and the entry has played a tenth more games or an hour has passed since the last
sample. So an entry has a few dozen samples, and at most 24 for each day on which its rank changes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, cast

import numpy as np
from sqlalchemy import Table, and_, bindparam, func, insert, select
from sqlalchemy.orm import Session, aliased

from tournament.ladder.standings import on_board
from tournament.ranking.ratings import shared_ranks, worth
from tournament.store.database import columns
from tournament.store.tables import Entry, RankSample, Tournament

COLUMNS = tuple(getattr(RankSample, name) for name in ("entry_id", "at", "rank", "ranked", "games"))
_SAMPLE = cast("Table", RankSample.__table__).c
_OF_ENTRIES = (
    select(*(_SAMPLE[column.key] for column in COLUMNS))
    .where(_SAMPLE.entry_id.in_(bindparam("entries", expanding=True)))
    .order_by(_SAMPLE.at, _SAMPLE.entry_id)
)
LONGEST = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A sample, see `tournament.store.tables.RankSample`."""

    entry_id: int
    at: datetime
    rank: int
    ranked: int
    games: int


def sample_ranks(session: Session, tournament: Tournament, at: datetime) -> int:
    """Store the ranks that are due for a sample; returns how many there were."""
    last = {each.entry_id: each for each in _last_samples(session, tournament.id)}
    due = [each for each in _present(session, tournament, at) if is_due(each, last.get(each.entry_id))]
    if due:
        session.execute(insert(RankSample), [asdict(each) for each in due])
    return len(due)


def is_due(present: Ranked, last: Ranked | None) -> bool:
    """Whether a rank is to be stored, if `last` is the entry's last sample."""
    if last is None:
        return True
    much = 10 * present.games >= 11 * last.games or present.at - last.at >= LONGEST
    return much and present.at > last.at and (present.rank, present.ranked) != (last.rank, last.ranked)


def ranks_of(session: Session, entry_ids: Sequence[int]) -> Sequence[Ranked]:
    """The samples of some entries, the oldest first."""
    return [Ranked(*row) for row in columns(session, _OF_ENTRIES, {"entries": entry_ids})]


def thinned_ranks_of(session: Session, entry_ids: Sequence[int], most: int) -> Sequence[Ranked]:
    """At most so many samples of each of some entries, evenly and the last one among them, the oldest first."""
    of_entry: dict[str, Any] = {"partition_by": RankSample.entry_id}
    later = func.row_number().over(order_by=RankSample.at.desc(), **of_entry) - 1
    numbered = select(*COLUMNS, later.label("later"), func.count().over(**of_entry).label("number"))
    own = numbered.where(RankSample.entry_id.in_(entry_ids)).subquery().c
    wanted = select(own.entry_id, own.at, own.rank, own.ranked, own.games)
    wanted = wanted.where(own.later % ((own.number + most - 1) // most) == 0)
    return [Ranked(*row) for row in session.execute(wanted.order_by(own.at, own.entry_id))]


def sampled(session: Session, entry_ids: Sequence[int]) -> tuple[int, datetime | None]:
    """How many samples there are of some entries, and when the last one was stored: that changes with every one."""
    wanted = select(func.count(), func.max(RankSample.at)).where(RankSample.entry_id.in_(entry_ids))
    number, last = session.execute(wanted).one()
    return number, last


def _present(session: Session, tournament: Tournament, at: datetime) -> Iterator[Ranked]:
    ranked = [(entry, tally) for entry, tally in on_board(session, tournament.id) if tally.ranked and tally.games]
    ranks = shared_ranks(np.array([worth(tally, tournament.ranking) for _, tally in ranked]))
    for (entry, tally), rank in zip(ranked, ranks.tolist(), strict=True):
        yield Ranked(entry.id, at, rank, len(ranked), tally.games)


def _last_samples(session: Session, tournament_id: int) -> Iterator[Ranked]:
    other = aliased(RankSample)
    last = select(func.max(other.at)).where(other.entry_id == Entry.id).correlate(Entry).scalar_subquery()
    found = select(*COLUMNS).join(Entry, and_(Entry.id == RankSample.entry_id, RankSample.at == last))
    return (Ranked(*row) for row in session.execute(found.where(Entry.tournament_id == tournament_id)))
