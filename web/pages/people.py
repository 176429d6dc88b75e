"""For instructors: the people of a course, how the students stand, and bringing back a removed student."""

from typing import Any
from zoneinfo import ZoneInfo

from flask import Blueprint, Response, flash, request
from sqlalchemy import select
from sqlalchemy.orm import contains_eager

from grader.dates import LocalTime
from grader.ladders import ladders
from grader.models import Assignment
from web.assignment.overview import names
from web.models import PARTICULARS, Course, Membership, Role, User
from web.people import members, roster
from web.people.class_list import FILTERS, SORTS, WITHOUT_LADDER, Student, chosen, students
from web.site import access
from web.site.access import Seen
from web.site.auth import user
from web.site.downloads import spreadsheet
from web.site.pages import page_about, see_other
from web.site.store import read, write

page = Blueprint("people", __name__, url_prefix="/assignments/<int:assignment_id>/people")
COLUMNS = (
    *("name", "login", "pseudonym", "signed in", "uploads", "last upload", "qualified", "entry"),
    *("rank", "tied", "mark", "points", *PARTICULARS),
)


@page.get("/")
def show(assignment_id: int) -> str:
    """The page."""
    return _page(access.taught(read(), user().id, assignment_id))


def _page(seen: Seen, problem: str = "") -> str:
    session, course = read(), seen.viewer.course
    everybody = students(session, seen.assignment)
    plays = bool(ladders(session, seen.assignment.id))
    filters = {key: each for key, each in FILTERS.items() if plays or key in WITHOUT_LADDER}
    instructors = select(Membership).join(User).options(contains_eager(Membership.user)).order_by(User.name)
    instructors = instructors.where(Membership.course_id == course.id, Membership.role == Role.INSTRUCTOR)
    return page_about(
        "people.html",
        seen,
        assignments=session.scalars(select(Assignment).where(Assignment.course_id == course.id)).all(),
        counts=[(key, title, sum(map(keep, everybody))) for key, (title, keep) in filters.items()],
        plays=plays,
        rows=_chosen(everybody),
        marked=any(each.mark is not None for each in everybody),
        asked={name: request.args.get(name, "") for name in ("who", "show", "sort")},
        sorts=SORTS,
        instructors=session.scalars(instructors).all(),
        former=roster.former_members(session, course.id),
        people=names(session, course.id),
        problem=problem,
    )


def _chosen(everybody: list[Student]) -> list[Student]:
    asked = request.args
    return chosen(everybody, asked.get("who", ""), asked.get("show", ""), asked.get("sort", ""))


@page.get("/people.csv")
def file(assignment_id: int) -> Response:
    """The students that the list shows, for a spreadsheet."""
    seen = access.taught(read(), user().id, assignment_id)
    zone = seen.viewer.course.zone
    lines = [_line(each, zone) for each in _chosen(students(read(), seen.assignment))]
    return spreadsheet([COLUMNS, *lines], seen, "people.csv")


def _line(each: Student, zone: ZoneInfo) -> list[Any]:
    who = [each.name, each.login, each.pseudonym, "no" if each.unseen else "yes"]
    last = LocalTime(each.last_upload, zone).iso if each.last_upload else ""
    entry = each.stand.state.value if each.stand else ""
    mark, points = ("" if number is None else f"{number:g}" for number in (each.mark, each.points))
    qualified, tied = ("yes" if word else "no" for word in (each.qualified, each.tied))
    kept = [getattr(each, name) for name in PARTICULARS]
    return [*who, each.uploads, last, qualified, entry, each.rank or "", tied if each.rank else "", mark, points, *kept]


@page.post("/<int:user_id>/bring-back")
def bring_back(assignment_id: int, user_id: int) -> Any:
    """Let a removed student in again."""
    seen = access.taught(read(), user().id, assignment_id)
    try:
        with write() as session:
            course = session.get_one(Course, seen.viewer.course.id, with_for_update=True)
            roster.bring_back(session, course, user_id)
            login = session.get_one(User, user_id).login
            members.log(session, course, seen.viewer.user_id, login, "removed", "student")
    except roster.RosterError as error:
        return _page(seen, str(error)), 409
    flash("The student is back in the course.")
    return see_other("people.show", assignment_id=assignment_id)
