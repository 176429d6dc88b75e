"""A student's versions side by side: each upload, and what its entries earned."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session, undefer

from grader.grading.report import Report, unpack
from grader.store.models import Submission
from grader.submissions.submit import WITH_OUTCOMES
from tournament.ladder.past_games import win_sums
from tournament.ladder.rank_history import Ranked, ranks_of
from tournament.ranking.intervals import share_intervals
from tournament.store.tables import Entry, EntryState

LATEST = 30


@dataclass(frozen=True, slots=True)
class EnteredVersion:
    """An entry of an upload. `low` and `high`: the interval of its win rate; `rank`: the last one that was noted, which
    is the one with which it was replaced, or its present one; None if none was."""

    entry: Entry
    low: float
    high: float
    rank: Ranked | None


@dataclass(frozen=True, slots=True)
class Version:
    """An upload; its report is None until it has been graded. `comparable`: it can be compared with an active entry."""

    submission: Submission
    report: Report | None
    entered: Sequence[EnteredVersion]
    comparable: Sequence[Entry]


def versions_of(session: Session, assignment_id: int, author_id: int) -> list[Version]:
    """A student's latest uploads, the latest first. The number of queries does not grow with them."""
    own = select(Submission).where(Submission.assignment_id == assignment_id, Submission.author_id == author_id)
    shown = own.options(WITH_OUTCOMES, undefer(Submission.report)).order_by(Submission.id.desc()).limit(LATEST)
    submissions = session.scalars(shown).all()
    entries = {each.entry.id: each.entry for row in submissions for each in row.outcomes if each.entry}
    entered = _entered(session, list(entries.values()))
    active = [each for each in entries.values() if each.state is EntryState.ACTIVE]
    return [_version(row, entered, active) for row in submissions]


def _entered(session: Session, entries: Sequence[Entry]) -> Mapping[int, EnteredVersion]:
    if not entries:
        return {}
    ranks = {each.entry_id: each for each in ranks_of(session, [each.id for each in entries])}
    low, high = share_intervals(win_sums(entries))
    return {
        each.id: EnteredVersion(each, below, above, ranks.get(each.id))
        for each, below, above in zip(entries, low.tolist(), high.tolist(), strict=True)
    }


def _version(row: Submission, entered: Mapping[int, EnteredVersion], active: Sequence[Entry]) -> Version:
    own = [entered[each.entry_id] for each in row.outcomes if each.entry_id is not None and each.entry_id in entered]
    comparable = [each for each in active if row.qualifies and each.player_id != row.player_id]
    return Version(row, unpack(row.report) if row.report else None, own, comparable)
