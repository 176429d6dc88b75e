"""What the pages say about an assignment as a whole: its ladder, the viewer's entry in it, and the countdown."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from grader.models import Assignment, Submission
from tournament.db import now
from tournament.jobs import JobState
from tournament.ladder import Standing, exclusion_ends
from tournament.models import Tournament
from web.models import Membership, User

WAITING = (JobState.QUEUED, JobState.RUNNING)


def own_standing(rows: Sequence[Standing], user_id: int) -> Standing | None:
    """The row of the user's present entry."""
    return next((row for row in rows if row.entry.author_id == user_id), None)


def seconds_excluded(session: Session, tournament: Tournament | None, user_id: int) -> int:
    """How long the user may not enter again; 0 when they may."""
    if tournament is None:
        return 0
    at = now()
    ends = exclusion_ends(session, tournament.id, user_id, at)
    return max(0, ceil((ends - at).total_seconds())) if ends else 0


def waiting(session: Session, assignment: Assignment) -> int:
    """How many submissions are queued or being graded."""
    wanted = select(func.count()).where(Submission.assignment_id == assignment.id, Submission.state.in_(WAITING))
    return session.scalar(wanted) or 0


def real_names(session: Session, course_id: int) -> dict[int, User]:
    """The members of a course by id, for its instructors."""
    members = select(User).join(Membership).where(Membership.course_id == course_id)
    return {user.id: user for user in session.scalars(members)}


@dataclass(frozen=True, slots=True)
class Trust:
    """How far the ranks can be trusted so far: with `games` games a rank is about ± `places`."""

    games: int
    places: int


def trust(rows: Sequence[Standing]) -> Trust | None:
    """The median number of games, and half the median number of other entries whose win rate lies within an entry's
    interval. None while there are too few entries with games to say anything."""
    ranked = sorted((row for row in rows if row.rank is not None and row.games), key=lambda row: row.games)
    if len(ranked) < 3:
        return None
    games = ranked[len(ranked) // 2].games
    near = sorted(sum(row.low <= other.win_rate <= row.high for other in ranked) for row in ranked)
    return Trust(games, round((near[len(near) // 2] - 1) / 2))
