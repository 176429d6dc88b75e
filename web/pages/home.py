"""The user's courses and how they stand in each assignment."""

from dataclasses import dataclass

from flask import Blueprint, render_template
from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.models import Assignment, Submission
from grader.submissions import tournament_of
from tournament.ladder import Standing
from tournament.models import Tournament
from web import access
from web.auth import user
from web.board import board_of
from web.overview import waiting
from web.store import read

page = Blueprint("home", __name__)


@dataclass(frozen=True, slots=True)
class Card:
    """An assignment on the home page."""

    assignment: Assignment
    tournament: Tournament | None
    latest: Submission | None
    entry: Standing | None
    ranked: int
    waiting: int


@page.get("/")
def show() -> str:
    """The page."""
    session, me = read(), user()
    courses = [(viewer, _cards(session, viewer)) for viewer in access.courses(session, me.id)]
    return render_template("home.html", courses=courses)


def _cards(session: Session, viewer: access.Viewer) -> list[Card]:
    wanted = select(Assignment).where(Assignment.course_id == viewer.course.id).order_by(Assignment.id)
    return [_card(session, viewer, assignment) for assignment in session.scalars(wanted)]


def _card(session: Session, viewer: access.Viewer, assignment: Assignment) -> Card:
    tournament = tournament_of(session, assignment.id)
    board = board_of(session, tournament)
    latest = select(Submission).where(Submission.assignment_id == assignment.id, Submission.author_id == viewer.user_id)
    return Card(
        assignment,
        tournament,
        session.scalar(latest.order_by(Submission.id.desc()).limit(1)),
        board.of_author(viewer.user_id),
        board.ranked,
        waiting(session, assignment) if viewer.instructs else 0,
    )
