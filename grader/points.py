"""The points of an assignment: each student's last upload before their own deadline, or the best one, as it is set.

They are the marks of an assignment without a game; where there is a ladder, a final decides instead.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.deadline import extensions, last_moment
from grader.definition.model import Counts
from grader.models import Assignment, Submission
from grader.publishing.versions import definition_of


@dataclass(frozen=True, slots=True)
class CountedUpload:
    """The upload that counts for a student."""

    submission_id: int
    points: float


def counted(session: Session, assignment: Assignment, author_id: int | None = None) -> Mapping[int, CountedUpload]:
    """The upload that counts, by author; with `author_id`, only theirs. Uploads that are not graded yet do not count.
    Of several equally good ones, the first counts."""
    if not assignment.version:
        return {}
    best = definition_of(session, assignment).counts is Counts.BEST
    wanted = select(Submission.author_id, Submission.id, Submission.points, Submission.queued_at)
    wanted = wanted.where(Submission.assignment_id == assignment.id, Submission.points.is_not(None))
    if author_id is not None:
        wanted = wanted.where(Submission.author_id == author_id)
    extended = extensions(session, assignment)
    found: dict[int, CountedUpload] = {}
    for author, id_, points, uploaded_at in session.execute(wanted.order_by(Submission.id)):
        ends = last_moment(assignment.due_at, extended.get(author))
        former = found.get(author)
        if points is None or (ends and uploaded_at > ends) or (best and former and points <= former.points):
            continue
        found[author] = CountedUpload(id_, points)
    return found
