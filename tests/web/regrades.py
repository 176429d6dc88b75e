"""Submissions that are graded again, for the tests of pages."""

from sqlalchemy import select

from grader.grading.report import Report
from grader.regrade.batches import ask, end_batches, store_regrade
from grader.store.models import Regrade, Submission
from grader.store.queue import regrade_order
from tests.tournament.factory import claim_next
from tests.web.school import School
from tournament.store.jobs import held

WHY = "Case <7> of Q1 was wrong."


def to_grade_again(school: School, *submissions: int) -> int:
    """Ines asks for these; the batch's id."""
    wanted = select(Submission.id).where(Submission.id.in_(submissions))
    with school.write() as session:
        return ask(session, school.sent.append, school.assignment, wanted, WHY, school.people["ines"]).id


def grade_one_again(school: School, found: Report) -> int:
    """The next one, with this result; the regrade's id."""
    claim = claim_next(school.sessions, Regrade, regrade_order())
    assert claim
    with school.write() as session:
        regrade = held(session, Regrade, claim)
        assert regrade
        store_regrade(session, school.sent.append, regrade, found)
        end_batches(session)
        return claim.id


def graded_again(school: School, submission: int, found: Report) -> tuple[int, int]:
    """A submission with a new report; the ids of the batch and of the regrade."""
    batch = to_grade_again(school, submission)
    return batch, grade_one_again(school, found)
