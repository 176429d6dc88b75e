"""What to do next in the user's assignments, by deadline, and the courses that they teach."""

from dataclasses import dataclass
from datetime import UTC, datetime

from flask import Blueprint, render_template
from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from grader.authoring.versions import definition_of
from grader.definition.sections import OwnDates, plain
from grader.marks.counted import counted
from grader.marks.requests import open_numbers
from grader.store.models import Assignment, Submission
from grader.submissions.submit import OUTCOMES_ALONG
from web.assignment.next_step import NextStep, StudentWork, next_step
from web.assignment.overview import Stand, deadline_of, stands, waiting
from web.assignment.settings.section_dates import of_sections
from web.site import access
from web.site.auth import user
from web.site.store import read

page = Blueprint("home", __name__)
NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class StudentCard:
    """An assignment that the user works on."""

    viewer: access.Viewer
    work: StudentWork
    step: NextStep

    @property
    def due_at(self) -> datetime:
        """By which the cards are sorted."""
        return self.work.deadline.at or NEVER


@dataclass(frozen=True, slots=True)
class TaughtCard:
    """An assignment of a course whose work the user sees. `requests`: how many of their students' are open."""

    assignment: Assignment
    stands: list[Stand]
    waiting: int
    requests: int
    section_dates: list[tuple[str, OwnDates]]


@page.get("/")
def show() -> str:
    """The page."""
    session, own, taught = read(), list[StudentCard](), []
    courses = access.courses(session, user().id)
    for viewer in courses:
        found = access.assignments(session, viewer)
        if viewer.staff:
            asked = open_numbers(session, viewer.course.id, viewer.pupils)
            taught.append((viewer, [_taught(session, viewer, each, asked.get(each.id, 0)) for each in found]))
        else:
            own += [_card(session, viewer, each) for each in found]
    due = sorted(own, key=lambda card: card.due_at)
    return render_template(
        "own/home.html",
        courses=courses,
        studied=[(each, sum(card.viewer is each for card in own)) for each in courses if not each.staff],
        taught=taught,
        open=[card for card in due if not card.work.deadline.over],
        past=[card for card in reversed(due) if card.work.deadline.over],
    )


_LATEST = (
    select(Submission)
    .where(Submission.assignment_id == bindparam("assignment"), Submission.author_id == bindparam("author"))
    .order_by(Submission.id.desc())
    .limit(1)
    .options(OUTCOMES_ALONG)
)
"""Made once: that saves 7% of the page."""


def _card(session: Session, viewer: access.Viewer, assignment: Assignment) -> StudentCard:
    standing, own, most = stands(session, assignment, viewer.user_id), None, 0.0
    if not standing:
        own = counted(session, assignment, viewer.user_id).get(viewer.user_id)
        most = definition_of(session, assignment).max_points
    work = StudentWork(
        assignment,
        viewer.course.slug,
        standing,
        session.scalars(_LATEST, {"assignment": assignment.id, "author": viewer.user_id}).unique().one_or_none(),
        deadline_of(session, assignment, viewer.user_id),
        own.points if own else None,
        most,
    )
    return StudentCard(viewer, work, next_step(work))


def _taught(session: Session, viewer: access.Viewer, assignment: Assignment, asked: int) -> TaughtCard:
    dates = [each for each in of_sections(assignment) if not viewer.sections or plain(each[0]) in viewer.sections]
    standing = stands(session, assignment, viewer.user_id)
    return TaughtCard(assignment, standing, waiting(session, assignment), asked, dates)
