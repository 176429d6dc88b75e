"""What several pages say about an assignment: the countdown, the queue, and the names of the class."""

from math import ceil

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from grader.models import Assignment, Submission
from tournament.db import now
from tournament.jobs import JobState
from tournament.ladder import exclusion_ends
from tournament.models import Tournament
from web.models import Membership, User

WAITING = (JobState.QUEUED, JobState.RUNNING)


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
