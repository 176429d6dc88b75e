"""For staff: the students of a course whom they oversee (on the page of an assignment, with their standing in it); the
course's staff; the code to join; and bringing back a removed student."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from flask import Blueprint, Response, flash, request
from sqlalchemy import func, select
from sqlalchemy.orm import Session, contains_eager

from grader.assignment.ladders import ladders
from grader.definition.local_times import LocalTime
from grader.marks.book import tournament_marks
from grader.marks.counted import counted
from grader.store.models import Assignment, Submission
from tournament.final import finals
from tournament.ladder.standings import Standing
from tournament.store.database import now
from tournament.store.mail import failing
from tournament.store.tables import EntryState
from web.overview.standings import board_of
from web.people import members, roster
from web.site import access
from web.site.access import InCourse, member_names
from web.site.auth import user
from web.site.inputs import number
from web.site.models import PARTICULARS, Course, JoinCode, Membership, Role, User, alphabetical
from web.site.pages import page_about, see_other, shown_again, spreadsheet
from web.site.store import read, settings, write


@dataclass(frozen=True, slots=True)
class Student:
    """A line of the list. `stand` is the standing of the latest entry on the assignment's first ladder, `points` those
    of the graded upload that counts, and `mark` the mark of a published final. Each is None if there is none. Without
    an assignment, the uploads are those in the whole course."""

    id: int
    login: str
    name: str
    pseudonym: str
    signed_in_at: datetime | None
    uploads: int
    last_upload: datetime | None
    qualified: bool
    stand: Standing | None
    points: float | None
    mark: float | None
    student_number: str = ""
    email: str = ""
    section: str = ""
    group: str = ""

    @property
    def searched(self) -> str:
        """The text that a search looks through."""
        shown = (self.name, self.login, self.pseudonym, self.student_number, self.email, self.section, self.group)
        return "\n".join(shown).casefold()

    @property
    def unseen(self) -> bool:
        """Whether the student has never signed in. An upload also proves a sign-in, since early sign-ins were not
        recorded."""
        return self.signed_in_at is None and not self.uploads

    @property
    def out(self) -> bool:
        """Whether the student's latest entry is disqualified."""
        return self.stand is not None and self.stand.state is EntryState.OUT

    @property
    def playing(self) -> bool:
        """Whether the student is on the ladder."""
        return self.stand is not None and not self.out

    @property
    def rank(self) -> int | None:
        """The student's rank on the ladder; None before they are ranked."""
        return self.stand.rank if self.stand else None

    @property
    def tied(self) -> bool:
        """Whether the student cannot yet be separated from a neighbour in the standings."""
        return bool(self.stand and self.stand.tied and self.stand.tied[0] != self.stand.tied[1])


FILTERS: Mapping[str, tuple[str, Callable[[Student], bool]]] = {
    "": ("students", lambda each: True),
    "unseen": ("never signed in", lambda each: each.unseen),
    "none": ("nothing uploaded", lambda each: not each.uploads),
    "unqualified": ("uploaded, not qualified", lambda each: bool(each.uploads) and not each.qualified),
    "playing": ("on the ladder", lambda each: each.playing),
    "out": ("disqualified", lambda each: each.out),
}
"""The filters of the list, with their titles."""

WITHOUT_LADDER = ("", "unseen", "none")
"""The filters that make sense without a ladder."""

WITHOUT_ASSIGNMENT = ("", "unseen")

SORTS: Mapping[str, Callable[[Student], tuple[Any, ...]]] = {
    "name": lambda each: (),
    "login": lambda each: (each.login.casefold(),),
    "pseudonym": lambda each: (each.pseudonym.casefold(),),
    "section": lambda each: (each.section.casefold(), each.group.casefold()),
    "upload": lambda each: (each.last_upload is None, -each.last_upload.timestamp() if each.last_upload else 0),
    "qualified": lambda each: (each.qualified, bool(each.uploads)),
    "points": lambda each: (each.points is None, -(each.points or 0)),
    "rank": lambda each: (each.rank is None, each.rank or 0, not each.playing, not each.out),
    "mark": lambda each: (each.mark is None, -(each.mark or 0)),
}
"""The orders of the list; students who are equal in an order are sorted by name. The latest uploads, unqualified
students, and the best points and marks come first."""


def students(session: Session, course_id: int, assignment: Assignment | None) -> list[Student]:
    """Return all students of a course by name, with their standing in an assignment of it, if one is given."""
    uploads = _uploads_by_author(session, course_id, assignment)
    points = counted(session, assignment) if assignment else {}
    board = board_of(session, next(iter(ladders(session, assignment.id)), None) if assignment else None)
    marks = tournament_marks(session, finals.final_of(session, assignment.id)) if assignment else {}
    kept = [getattr(Membership, name) for name in PARTICULARS]
    wanted = select(User.id, User.login, User.name, Membership.pseudonym, User.signed_in_at, *kept).join(Membership)
    wanted = wanted.where(Membership.course_id == course_id, Membership.role == Role.STUDENT)
    found = []
    for id_, login, name, pseudonym, seen_at, *particulars in session.execute(wanted):
        number, last, qualified = uploads.get(id_, (0, None, False))
        stand, score = board.of_author(id_), points[id_].points if id_ in points else None
        found.append(
            Student(
                id_, login, name, pseudonym, seen_at, number, last, qualified, stand, score, marks.get(id_),
                *particulars,
            )
        )  # fmt: skip
    return sorted(found, key=lambda each: (alphabetical(each.name), each.login))


def _uploads_by_author(
    session: Session, course_id: int, assignment: Assignment | None
) -> dict[int, tuple[int, datetime, bool]]:
    """Return the number of uploads, the time of the last one and whether any qualifies, by author."""
    good = func.count().filter(Submission.qualifies.is_(True))
    wanted = select(Submission.author_id, func.count(), func.max(Submission.queued_at), good)
    of_course = select(Assignment.id).where(Assignment.course_id == course_id)
    wanted = wanted.where(Submission.assignment_id.in_([assignment.id] if assignment else of_course))
    wanted = wanted.group_by(Submission.author_id)
    return {author: (number, last, good > 0) for author, number, last, good in session.execute(wanted)}


def chosen(everybody: Sequence[Student], who: str, show: str, sort: str) -> list[Student]:
    """Return the students whose name, login, pseudonym, student number, e-mail, section or group contains `who`,
    filtered and sorted. Unknown filters and orders are ignored."""
    _, keep = FILTERS.get(show, FILTERS[""])
    word = who.strip().casefold()
    found = [each for each in everybody if keep(each) and word in each.searched]
    return sorted(found, key=SORTS.get(sort, SORTS["name"]))


# The pages

page = Blueprint("people", __name__)
IN_COURSE, IN_ASSIGNMENT = "/courses/<course>/people", "/assignments/<int:assignment_id>/people"
"""The two addresses of each page; below an assignment, the page also shows how the students stand in it."""

COLUMNS = ("name", "login", "pseudonym", "signed in")
IN_ONE = ("uploads", "last upload", "qualified", "entry", "rank", "tied", "mark", "points")
"""The columns that only the file of an assignment has."""


@page.get(f"{IN_COURSE}/")
@page.get(f"{IN_ASSIGNMENT}/")
def show(**parent: Any) -> str:
    """Show the page."""
    return _people_page(access.staffed(read(), user().id, parent))


def _people_page(seen: InCourse, problem: str = "") -> str:
    session, course = read(), seen.viewer.course
    everybody = _overseen_people(seen)
    plays = seen.assignment is not None and bool(ladders(session, seen.assignment.id))
    usable = FILTERS if plays else WITHOUT_LADDER if seen.assignment else WITHOUT_ASSIGNMENT
    filters = {key: each for key, each in FILTERS.items() if key in usable}
    staff = select(Membership).join(User).options(contains_eager(Membership.user)).order_by(Membership.role, User.name)
    staff = staff.where(Membership.course_id == course.id, Membership.role != Role.STUDENT)
    return page_about(
        "people/people.html",
        seen,
        assignments=access.assignments(session, seen.viewer),
        counts=[(key, title, sum(map(keep, everybody))) for key, (title, keep) in filters.items()],
        plays=plays,
        rows=_chosen_people(everybody),
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
        unreachable=_unreachable(everybody) if seen.viewer.instructs and settings().mail else [],
    )


def _unreachable(everybody: Sequence[Student]) -> list[Student]:
    """Return the students to whose addresses the mail server refuses to deliver."""
    refused = failing(read(), {each.email for each in everybody})
    return [each for each in everybody if each.email in refused]


def _overseen_people(seen: InCourse) -> list[Student]:
    found = students(read(), seen.viewer.course.id, seen.assignment)
    return [each for each in found if seen.viewer.oversees(each.id)]


def _chosen_people(everybody: list[Student]) -> list[Student]:
    asked = request.args
    return chosen(everybody, asked.get("who", ""), asked.get("show", ""), asked.get("sort", ""))


@page.get(f"{IN_COURSE}/people.csv")
@page.get(f"{IN_ASSIGNMENT}/people.csv")
def file(**parent: Any) -> Response:
    """Download the students in the list as a spreadsheet."""
    seen = access.staffed(read(), user().id, parent)
    zone, one = seen.viewer.course.zone, seen.assignment is not None
    lines = [[*COLUMNS, *(IN_ONE if one else ()), *PARTICULARS]]
    for each in _chosen_people(_overseen_people(seen)):
        who = [each.name, each.login, each.pseudonym, "no" if each.unseen else "yes"]
        kept = [getattr(each, name) for name in PARTICULARS]
        lines.append([*who, *(_standing_of(each, zone) if one else ()), *kept])
    return spreadsheet(lines, seen, "people.csv")


def _standing_of(each: Student, zone: ZoneInfo) -> list[Any]:
    last = LocalTime(each.last_upload, zone).iso if each.last_upload else ""
    entry = each.stand.state.value if each.stand else ""
    mark, points = ("" if number is None else f"{number:g}" for number in (each.mark, each.points))
    qualified, tied = ("yes" if word else "no" for word in (each.qualified, each.tied))
    return [each.uploads, last, qualified, entry, each.rank or "", tied if each.rank else "", mark, points]


@page.post(f"{IN_COURSE}/code")
@page.post(f"{IN_ASSIGNMENT}/code")
def change_code(**parent: Any) -> Any:
    """Create a code with which people join the course, or end the present code."""
    seen, form = access.instructed(read(), user().id, parent), request.form
    with shown_again(lambda why: _people_page(seen, str(why))), write() as session:
        course = session.get_one(Course, seen.viewer.course.id, with_for_update=True)
        if form.get("do") == "end":
            members.end_code(session, course, user().id)
        else:
            days = form.get("days", 0, number)
            domains = form.get("domains", "") if form.get("registers") else None
            members.new_code(session, course, user().id, days, form.get("section", ""), domains)
    flash("The code can no longer be used to join." if form.get("do") == "end" else "The code has been created.")
    return see_other("people.show", **parent)


@page.post(f"{IN_COURSE}/<int:user_id>/bring-back")
@page.post(f"{IN_ASSIGNMENT}/<int:user_id>/bring-back")
def bring_back(user_id: int, **parent: Any) -> Any:
    """Let a removed student back in."""
    seen = access.instructed(read(), user().id, parent)
    with shown_again(lambda why: _people_page(seen, str(why))), write() as session:
        course = session.get_one(Course, seen.viewer.course.id, with_for_update=True)
        roster.bring_back(session, course, user_id)
        login = session.get_one(User, user_id).login
        members.log(session, course, seen.viewer.user_id, login, "removed", "student")
    flash("The student is back in the course.")
    return see_other("people.show", **parent)
