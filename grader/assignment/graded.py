"""Uploads with their reports, and what was read of these, kept in the process."""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import NamedTuple, TypeVar

from sqlalchemy.orm import Session

from tournament.store.recent import Recent

MOST = 20_000
"""The number of uploads to an assignment of which something is kept."""

Value = TypeVar("Value")


class ReportedUpload(NamedTuple):
    """An upload with its report. What was read of it holds until it is graded again: a report is never changed in any
    other way."""

    id: int
    regraded_at: datetime | None


def read_each(
    known: Recent[Mapping[ReportedUpload, Value]],
    session: Session,
    assignment_id: int,
    wanted: frozenset[ReportedUpload],
    read: Callable[[Collection[int]], Mapping[int, Value]],
) -> Mapping[ReportedUpload, Value]:
    """What `read` finds of these uploads, by their ids. Only those that were not known yet are read."""
    former = known.get(session, assignment_id, dict)
    missing = wanted - former.keys()
    if missing:
        found = read([each.id for each in missing])
        new = {each: found[each.id] for each in missing if each.id in found}
        kept = former if len(former) < MOST else {each: former[each] for each in wanted - missing}
        former = {**kept, **new}
        known.put(session, assignment_id, former)
    return {each: former[each] for each in wanted if each in former}
