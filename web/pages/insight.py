"""Insight: pictures of a class and an assignment for its staff, and the list behind each part of a picture."""

from typing import Any

from flask import Blueprint, Response, url_for
from sqlalchemy import select
from werkzeug.exceptions import NotFound

from grader.models import Submission
from grader.submissions import WITH_OUTCOMES
from web.insight.facts import Facts, facts_of, leaders_of
from web.insight.parts import PARTS, keyed
from web.insight.pictures import all_parts, pictures_of
from web.models import User
from web.site import access
from web.site.access import Seen
from web.site.auth import user
from web.site.downloads import spreadsheet
from web.site.pages import page_about
from web.site.store import read

page = Blueprint("insight", __name__, url_prefix="/assignments/<int:assignment_id>/insight")
TITLES = {
    "uploads": "Uploads per hour",
    "funnel": "From enrolment to tournament",
    "questions": "Pass rate of each question",
    "points": "Points",
    "waits": "From upload to report",
    "risk": "Students at risk",
}


def _facts(assignment_id: int) -> tuple[Seen, Facts]:
    seen = access.taught(read(), user().id, assignment_id)
    if not seen.assignment.version:
        raise NotFound("This assignment has not been published, so there is nothing to count.")
    return seen, facts_of(read(), seen, url_for("insight.show", assignment_id=assignment_id))


@page.get("/")
def show(assignment_id: int) -> str:
    """The pictures, and the students at risk."""
    seen, facts = _facts(assignment_id)
    parts = all_parts(facts)
    pictures = pictures_of(facts, parts, leaders_of(read(), facts), url_for("entry.show", entry_id=0))
    return page_about("insight.html", seen, pictures=pictures, risks=parts["risk"], facts=facts)


@page.get("/<name>.csv")
def picture_file(assignment_id: int, name: str) -> Response:
    """The figures of a picture, for a spreadsheet."""
    seen, facts = _facts(assignment_id)
    made = pictures_of(facts, all_parts(facts), leaders_of(read(), facts), url_for("entry.show", entry_id=0))
    found = next((each for each in made if each.name == name), None)
    if found is None:
        raise NotFound("There is no such picture, or nothing to draw in it yet.")
    return spreadsheet([found.headers, *found.rows], seen, f"insight-{name}.csv")


@page.get("/<name>/<int:number>/")
def listed(assignment_id: int, name: str, number: int) -> str:
    """The submissions or the students that a part of a picture counts."""
    seen, facts = _facts(assignment_id)
    part = keyed(PARTS[name](facts)).get(number) if name in PARTS else None
    if part is None:
        raise NotFound("No picture has such a part, or what it counted has changed.")
    rows: Any = []
    if part.submissions:
        wanted = select(Submission, User).join(User, Submission.author_id == User.id).order_by(Submission.id.desc())
        wanted = wanted.options(WITH_OUTCOMES).where(Submission.id.in_(part.submissions))
        rows = read().execute(wanted).all()
    people = read().scalars(select(User).where(User.id.in_(part.students)).order_by(User.name)).all()
    return page_about("insight_list.html", seen, title=TITLES[name], part=part, rows=rows, people=people)
