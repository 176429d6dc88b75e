"""The players whose games were cut off, and how often, for instructors.

Workers die by chance, so everybody's games are cut off about equally often. If one player's games are cut off far more
often than others', its file may be what makes workers fail.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from tournament.store.tables import Block, Entry, Tournament, VoidAttempt

COUNTED = 1000
"""The number of latest attempts that are counted."""

SHOWN = 10


@dataclass(frozen=True, slots=True)
class CutOff:
    """An entry, and how many attempts at its blocks were cut off; `reason` and `at` are those of the latest."""

    entry: Entry
    attempts: int
    reason: str
    at: datetime


def cut_off(session: Session, assignment_id: int) -> Sequence[CutOff]:
    """The entries of an assignment's tournaments whose games were cut off most often, without house bots."""
    own = select(Tournament.id).where(Tournament.assignment_id == assignment_id)
    of = select(Block.tournament_id).where(Block.id == VoidAttempt.block_id).correlate(VoidAttempt).scalar_subquery()
    wanted = select(VoidAttempt.reason, VoidAttempt.at, Block.entries).join(Block, VoidAttempt.block_id == Block.id)
    wanted = wanted.where(of.in_(own))  # as a join SQLite would begin with all blocks of the tournaments
    rows = session.execute(wanted.order_by(VoidAttempt.at.desc(), VoidAttempt.block_id).limit(COUNTED)).all()
    attempts = Counter(entry for row in rows for entry in row.entries)
    latest = {entry: row for row in reversed(rows) for entry in row.entries}
    students = select(Entry).where(Entry.id.in_(attempts), Entry.author_id.is_not(None))
    found = [
        CutOff(each, attempts[each.id], latest[each.id].reason, latest[each.id].at)
        for each in session.scalars(students)
    ]
    return sorted(found, key=lambda each: (-each.attempts, each.entry.id))[:SHOWN]
