"""For staff: the people of a course whom they oversee, how the students stand, and bringing back a removed student."""

from typing import Any
from zoneinfo import ZoneInfo

from flask import Blueprint, Response, flash, request
from sqlalchemy import select
from sqlalchemy.orm import contains_eager

from grader.assignment.ladders import ladders
from grader.definition.local_times import LocalTime
from tournament.store.database import now
from web.models import PARTICULARS, Course, JoinCode, Membership, Role, User
from web.overview.overview import member_names
from web.people import members, roster
from web.people.class_list import FILTERS, SORTS, WITHOUT_LADDER, Student, chosen, students
from web.site import access
from web.site.access import Seen
from web.site.auth import user
from web.site.downloads import spreadsheet
from web.site.inputs import number
from web.site.pages import page_about, see_other, shown_again
from web.site.store import read, write

page = Blueprint("people", __name__, url_prefix="/assignments/<int:assignment_id>/people")
COLUMNS = (
    *("name", "login", "pseudonym", "signed in", "uploads", "last upload", "qualified", "entry"),
    *("rank", "tied", "mark", "points", *PARTICULARS),
)


@page.get("/")
def show(assignment_id: int) -> str:
    """The page."""
    return _page(access.overseeing(read(), user().id, assignment_id))


def _page(seen: Seen, problem: str = "") -> str:
    session, course = read(), seen.viewer.course
    everybody = _overseen(seen)
    plays = bool(ladders(session, seen.assignment.id))
    filters = {key: each for key, each in FILTERS.items() if plays or key in WITHOUT_LADDER}
    staff = select(Membership).join(User).options(contains_eager(Membership.user)).order_by(Membership.role, User.name)
    staff = staff.where(Membership.course_id == course.id, Membership.role != Role.STUDENT)
    return page_about(
        "people/people.html",
        seen,
        assignments=access.assignments(session, seen.viewer),
        counts=[(key, title, sum(map(keep, everybody))) for key, (title, keep) in filters.items()],
        plays=plays,
        rows=_chosen(everybody),
        marked=any(each.mark is not None for each in everybody),
        asked={name: request.args.get(name, "") for name in ("who", "show", "sort")},
        sorts=SORTS,
        staff=session.scalars(staff).all(),
        former=roster.former_members(session, course.id) if seen.viewer.instructs else [],
        code=session.get(JoinCode, course.id) if seen.viewer.instructs else None,
        days=members.DAYS,
        at=now(),
        people=member_names(session, course.id),
        problem=problem,
    )


def _overseen(seen: Seen) -> list[Student]:
    return [each for each in students(read(), seen.assignment) if seen.viewer.oversees(each.id)]


def _chosen(everybody: list[Student]) -> list[Student]:
    asked = request.args
    return chosen(everybody, asked.get("who", ""), asked.get("show", ""), asked.get("sort", ""))


@page.get("/people.csv")
def file(assignment_id: int) -> Response:
    """The students that the list shows, for a spreadsheet."""
    seen = access.overseeing(read(), user().id, assignment_id)
    zone = seen.viewer.course.zone
    lines = [_line(each, zone) for each in _chosen(_overseen(seen))]
    return spreadsheet([COLUMNS, *lines], seen, "people.csv")


def _line(each: Student, zone: ZoneInfo) -> list[Any]:
    who = [each.name, each.login, each.pseudonym, "no" if each.unseen else "yes"]
    last = LocalTime(each.last_upload, zone).iso if each.last_upload else ""
    entry = each.stand.state.value if each.stand else ""
    mark, points = ("" if number is None else f"{number:g}" for number in (each.mark, each.points))
    qualified, tied = ("yes" if word else "no" for word in (each.qualified, each.tied))
    kept = [getattr(each, name) for name in PARTICULARS]
    return [*who, each.uploads, last, qualified, entry, each.rank or "", tied if each.rank else "", mark, points, *kept]


@page.post("/code")
def change_code(assignment_id: int) -> Any:
    """Make a code with which people join the course, or end the present one."""
    seen, form = access.taught(read(), user().id, assignment_id), request.form
    with shown_again(lambda why: _page(seen, str(why))), write() as session:
        course = session.get_one(Course, seen.viewer.course.id, with_for_update=True)
        if form.get("do") == "end":
            members.end_code(session, course, user().id)
        else:
            days = form.get("days", 0, number)
            members.new_code(session, course, user().id, days, form.get("section", ""))
    flash("Nobody can join with the code any more." if form.get("do") == "end" else "The code is made.")
    return see_other("people.show", assignment_id=assignment_id)


@page.post("/<int:user_id>/bring-back")
def bring_back(assignment_id: int, user_id: int) -> Any:
    """Let a removed student in again."""
    seen = access.taught(read(), user().id, assignment_id)
    with shown_again(lambda why: _page(seen, str(why))), write() as session:
        course = session.get_one(Course, seen.viewer.course.id, with_for_update=True)
        roster.bring_back(session, course, user_id)
        login = session.get_one(User, user_id).login
        members.log(session, course, seen.viewer.user_id, login, "removed", "student")
    flash("The student is back in the course.")
    return see_other("people.show", assignment_id=assignment_id)
