"""Publishing the marks of a class, and taking them back, for the page and the API."""

from sqlalchemy.orm import Session

from grader.marks import publishing
from grader.marks.book import MarkBook, mark_book, why_missing
from grader.marks.publishing import NotPublishable
from grader.store.models import Assignment
from tournament.store.database import now
from web.gradebook.table import Enrolled, enrolled
from web.site.access import Seen
from web.site.store import write


def seen_book(session: Session, seen: Seen) -> tuple[list[Enrolled], MarkBook]:
    """The students whom the viewer oversees, and their marks."""
    students = enrolled(session, seen.assignment.course_id, seen.viewer.pupils)
    assignment = session.get_one(Assignment, seen.assignment.id)
    return students, mark_book(session, assignment, [each.id for each in students])


def publish(seen: Seen, confirmed: bool) -> int:
    """Publish the marks of the whole class; incomplete ones only if that is `confirmed`. Returns how many. Raises
    NotPublishable."""
    with write() as session:
        session.get_one(Assignment, seen.assignment.id, with_for_update=True)
        _, book = seen_book(session, seen)
        if not confirmed and why_missing(session, book):
            raise NotPublishable("Nothing was published: some marks are incomplete. Confirm that you want that.")
        return publishing.publish(session, book, seen.viewer.user_id, now(), seen.viewer.course.zone)


def withdraw(seen: Seen) -> None:
    """Hide the marks from the students again. Raises NotPublishable if there are none."""
    with write() as session:
        assignment = session.get_one(Assignment, seen.assignment.id, with_for_update=True)
        publishing.unpublish(session, assignment, seen.viewer.user_id, now())
