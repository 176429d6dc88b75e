"""Decide who may see what. This module finds the objects that a person may see; `web.site.roles` says what each role
may do with them.

People outside a course get 404 for everything in it. Students in the course see the published assignments, every
leaderboard and every game, with opponents' pseudonyms. They see submissions, reports and fault details only for their
own players (403 otherwise). Instructors see everything in their course, and only they can change its settings. Tutors
see the reports, files, replays and names of the students in their sections, or of all students if they have no section.
Observers see the same for all students, but cannot change anything.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

from flask import g, request
from sqlalchemy import Select, String, and_, bindparam, cast, or_, select
from sqlalchemy.orm import Session, contains_eager, defaultload, joinedload, undefer
from sqlalchemy.orm.interfaces import ORMOption
from werkzeug.exceptions import Forbidden, NotFound

from grader.marks.comments import CodeComment
from grader.marks.requests import ReviewRequest
from grader.store.models import Assignment, Outcome, RegradeBatch, Submission, sections
from tournament.ladder.standings import AT_TABLE
from tournament.store.database import Base, now
from tournament.store.tables import (
    CustomBatch,
    CustomGame,
    Entry,
    Final,
    FinalPhase,
    HandGame,
    PlayedGame,
    Seat,
    Tournament,
    TournamentKind,
    VersionComparison,
)
from web.site import languages
from web.site.auth import viewing
from web.site.models import Course, Membership, Role, User, alphabetical
from web.site.roles import InCourse, Seen, Viewer, missing, see, staff, teaching, teaching_course
from web.site.store import READING

__all__ = ["InCourse", "Seen", "Viewer"]
"""Re-exported from `web.site.roles`, because nearly every function here returns one of these classes."""

OPENED = "opened"
"""The key in `g` under which a request records whose work staff have opened."""

Row = TypeVar("Row", bound=Base)
Said = TypeVar("Said", CodeComment, ReviewRequest)

# Building these statements only once saves 6% of the time for the home page and 10% for the leaderboard.
_ALONG: Mapping[type[Base], Sequence[ORMOption]] = {
    Entry: [contains_eager(Entry.tournament)],
    PlayedGame: [
        joinedload(PlayedGame.seats).joinedload(Seat.entry).load_only(*AT_TABLE),
        undefer(PlayedGame.record),
    ],
}
"""The related objects to load with each kind of tournament row."""

_OF_SECTIONS = cast(Assignment.section_dates, String) != "{}"  # `_released` checks these assignments afterwards
_PUBLIC = and_(
    Assignment.version > 0,
    Assignment.archived.is_(False),
    or_(Assignment.visible_from.is_(None), Assignment.visible_from <= bindparam("at"), _OF_SECTIONS),
)
_FOR_STAFF = and_(Membership.role != Role.STUDENT, Assignment.version > 0, Assignment.archived.is_(False))
_IN_COURSE = (
    select(Assignment, Course, Membership.role, Membership.pseudonym, Membership.section)
    .join(Membership, Membership.course_id == Assignment.course_id)
    .join(Membership.course)
    .where(Membership.user_id == bindparam("user"), or_(Membership.role == Role.INSTRUCTOR, _FOR_STAFF, _PUBLIC))
)
_BY_ID = _IN_COURSE.where(Assignment.id == bindparam("id"))
_NAMED = _IN_COURSE.where(Course.slug == bindparam("course"), Assignment.slug == bindparam("slug"))
_SUBMISSION = (
    _IN_COURSE.add_columns(Submission)
    .join(Submission, Submission.assignment_id == Assignment.id)
    .where(Submission.id == bindparam("submission"))
    .options(undefer(Submission.report), defaultload(Submission.outcomes).joinedload(Outcome.entry))
)
_ASSIGNMENTS = select(Assignment).where(Assignment.course_id == bindparam("course")).order_by(Assignment.id)
_LISTED: Mapping[Role, Select[Assignment]] = {
    Role.INSTRUCTOR: _ASSIGNMENTS,
    Role.STUDENT: _ASSIGNMENTS.where(_PUBLIC),
    **dict.fromkeys(
        (Role.TUTOR, Role.OBSERVER), _ASSIGNMENTS.where(Assignment.version > 0, Assignment.archived.is_(False))
    ),
}


@cache
def _in_tournament(kind: Any) -> Select[*tuple[Any, ...]]:
    """Select a tournament, or a row that belongs to one, by its `id`."""
    whole = _IN_COURSE.add_columns(Tournament).join(Tournament, Tournament.assignment_id == Assignment.id)
    if kind is not Tournament:
        whole = whole.add_columns(kind).join(kind, kind.tournament_id == Tournament.id)
    return whole.where(kind.id == bindparam("id")).options(*_ALONG.get(kind, ()))


_COURSES = (
    select(Membership)
    .join(Membership.course)
    .options(contains_eager(Membership.course))
    .where(Membership.user_id == bindparam("user"))
    .order_by(Course.title)
)


def courses(session: Session, user_id: int) -> list[Viewer]:
    """The user's courses, sorted by title."""
    found = session.scalars(_COURSES, {"user": user_id}).all()
    return [
        _viewer_of(session, user_id, each.course, each.role, each.pseudonym, each.section)
        for each in found
        if _open(each.course)
    ]


def course(session: Session, user_id: int, slug: str) -> Viewer:
    """One of the user's courses, found by its slug."""
    for viewer in courses(session, user_id):
        if viewer.course.slug == slug:
            return _acting_in(viewer)
    raise NotFound("You have no such course.")


def students(session: Session, course_id: int) -> list[Membership]:
    """The students of a course, sorted by name, for its instructors."""
    members = select(Membership).join(User).where(Membership.course_id == course_id, Membership.role == Role.STUDENT)
    found = session.scalars(members.order_by(User.id).options(contains_eager(Membership.user)))
    return sorted(found, key=lambda each: alphabetical(each.user.name))


def _viewer_of(session: Session, user_id: int, course: Course, role: Role, pseudonym: str, section: str) -> Viewer:
    """Create the viewer for a member of a course from the columns of their membership."""
    own = sections(section) if section else frozenset()
    return Viewer(user_id, pseudonym, role, course, _pupils(session, course, role, own), own)


def _pupils(session: Session, course: Course, role: Role, own: frozenset[str]) -> frozenset[int] | None:
    """The ids of the students whom a member oversees; None means all students."""
    if role is Role.STUDENT:
        return frozenset()
    if role is not Role.TUTOR or not own:
        return None
    students = select(Membership.user_id, Membership.section)
    students = students.where(Membership.course_id == course.id, Membership.role == Role.STUDENT)
    return frozenset(id_ for id_, section in session.execute(students) if own & sections(section))


def _acting_in(viewer: Viewer) -> Viewer:
    """Refuse observers who send a form, and instructors who are viewing another course as one of its students."""
    languages.of_course(viewer.course.language)
    if not _open(viewer.course):
        raise NotFound("You are viewing another course as one of its students. Leave that view first.")
    if viewer.role is Role.OBSERVER and request.method not in READING:
        raise Forbidden("You are an observer in this course: you can see what its staff see, but cannot change it.")
    return viewer


def _open(course: Course) -> bool:
    """Whether this course is visible now. While an instructor views a course as a student, no other course is."""
    viewed = viewing()
    return viewed is None or viewed.course.id == course.id


def assignment(session: Session, user_id: int, id_: int) -> Seen:
    """An assignment of one of the user's courses."""
    return _first(session, user_id, _BY_ID, {"id": id_}, "assignment")[0]


def assignment_named(session: Session, user_id: int, course: str, slug: str) -> Seen:
    """An assignment of one of the user's courses, found by the course and assignment names in its address."""
    return _first(session, user_id, _NAMED, {"course": course, "slug": slug}, "assignment")[0]


def assignments(session: Session, viewer: Viewer) -> Sequence[Assignment]:
    """The assignments of a course that a member may see. Students see published assignments that are visible and not
    archived; tutors and observers also see them before they become visible."""
    found = session.scalars(_LISTED[viewer.role], {"course": viewer.course.id, "at": now()}).all()
    return [each for each in found if _released(each, viewer)]


def _released(assignment: Assignment, viewer: Viewer) -> bool:
    """Whether the assignment is visible to the viewer, by the dates of their sections."""
    return viewer.staff or not assignment.section_dates or assignment.is_public(now(), viewer.sections)


def _first(
    session: Session, user_id: int, wanted: Select[*tuple[Any, ...]], values: Mapping[str, Any], what: str
) -> tuple[Seen, Sequence[Any]]:
    """Execute `wanted` and use its first row. Return the assignment in that row, as the viewer sees it, and the values
    that `wanted` selects in addition to those of _IN_COURSE."""
    row = session.execute(wanted, {"user": user_id, "at": now(), **values}).unique().first()
    if row is None:
        raise NotFound(missing(what))
    assignment, course, role, pseudonym, section, *more = row
    seen = Seen(assignment, _acting_in(_viewer_of(session, user_id, course, role, pseudonym, section)))
    if not _released(assignment, seen.viewer):
        raise NotFound(missing(what))
    return seen, more


def _see(viewer: Viewer, author_id: int | None, what: str, whose: str = "belongs to another student") -> None:
    see(viewer, author_id, what, whose)
    note_opening(viewer, author_id, what)


def note_opening(viewer: Viewer, author_id: int | None, what: str) -> None:
    """Note that a staff member opens somebody else's work, for `web.privacy.access_log`."""
    if viewer.staff and author_id not in (None, viewer.user_id):
        g.setdefault(OPENED, set()).add((viewer.course.id, viewer.user_id, author_id, what))


def submission(session: Session, user_id: int, id_: int) -> tuple[Submission, Seen]:
    """A submission by the user, or by a student whom they oversee."""
    seen, (found,) = _first(session, user_id, _SUBMISSION, {"submission": id_}, "submission")
    _see(seen.viewer, found.author_id, "submission")
    return found, seen


def review_request(session: Session, user_id: int, id_: int) -> tuple[ReviewRequest, Seen]:
    """A review request about a submission that the user may see."""
    return _of_submission(session, user_id, ReviewRequest, id_, "request")


def code_comment(session: Session, user_id: int, id_: int) -> tuple[CodeComment, Seen]:
    """A comment on a submission that the user may see, even if the comment has been deleted."""
    return _of_submission(session, user_id, CodeComment, id_, "comment")


def _of_submission(session: Session, user_id: int, kind: type[Said], id_: int, what: str) -> tuple[Said, Seen]:
    found = session.get(kind, id_)
    if found is None:
        raise NotFound(missing(what))
    try:
        return found, submission(session, user_id, found.submission_id)[1]
    except NotFound:
        raise NotFound(missing(what)) from None


def comparison(session: Session, user_id: int, id_: int) -> tuple[VersionComparison, Seen]:
    """A comparison by the user, or by a student whom they oversee."""
    found, seen = _of_tournament(session, user_id, VersionComparison, id_, "comparison")
    _see(seen.viewer, found.author_id, "comparison")
    return found, seen


def regrade_batch(session: Session, user_id: int, id_: int) -> tuple[RegradeBatch, Seen]:
    """A batch of regraded submissions, in a course that the user teaches."""
    found = session.get(RegradeBatch, id_)
    if found is None:
        raise NotFound(missing("page"))
    return found, taught(session, user_id, found.assignment_id)


def custom_game(session: Session, user_id: int, id_: int) -> tuple[CustomGame, Seen]:
    """A custom game requested by the user, or by a student whom they oversee."""
    found, seen = _of_tournament(session, user_id, CustomGame, id_, "game")
    _see(seen.viewer, found.asker_id, "game", "belongs to another student, who can share its replay")
    return found, seen


def custom_batch(session: Session, user_id: int, id_: int) -> tuple[CustomBatch, Seen]:
    """A batch of custom games requested by the user, or by a student whom they oversee."""
    found, seen = _of_tournament(session, user_id, CustomBatch, id_, "batch of games")
    _see(seen.viewer, found.asker_id, "batch of games")
    return found, seen


def hand_game(session: Session, user_id: int, id_: int) -> tuple[HandGame, Seen]:
    """A game by hand of the user, or of a student whom they oversee."""
    wanted = _IN_COURSE.add_columns(HandGame).join(HandGame, HandGame.assignment_id == Assignment.id)
    seen, (found,) = _first(session, user_id, wanted.where(HandGame.id == bindparam("id")), {"id": id_}, "game")
    _see(seen.viewer, found.person_id, "game", "is played by somebody else")
    return found, seen


def tournament(session: Session, user_id: int, id_: int) -> tuple[Tournament, Seen]:
    """A tournament of one of the user's courses."""
    return _of_tournament(session, user_id, Tournament, id_, "tournament")


def _of_tournament(session: Session, user_id: int, kind: type[Row], id_: int, what: str) -> tuple[Row, Seen]:
    """A tournament, or a row that belongs to one, with its assignment and the viewer. One query loads all three,
    because most requests begin with this query."""
    seen, found = _first(session, user_id, _in_tournament(kind), {"id": id_}, what)
    if not seen.viewer.instructs and unpublished(session, found[0]):
        raise NotFound(missing(what))
    return found[-1], seen


def unpublished(session: Session, tournament: Tournament) -> bool:
    """Whether a tournament is a final whose marks are not published yet. Students cannot see such a final."""
    if tournament.kind is not TournamentKind.FINAL:
        return False
    return session.get_one(Final, tournament.id).phase is not FinalPhase.PUBLISHED


def entry(session: Session, user_id: int, id_: int) -> tuple[Entry, Seen]:
    """An entry in a tournament of one of the user's courses."""
    return _of_tournament(session, user_id, Entry, id_, "entry")


def game(session: Session, user_id: int, id_: int) -> tuple[PlayedGame, Seen]:
    """A game of a tournament of one of the user's courses."""
    return _of_tournament(session, user_id, PlayedGame, id_, "game")


def taught(session: Session, user_id: int, id_: int) -> Seen:
    """An assignment of a course that the user teaches."""
    return teaching(assignment(session, user_id, id_))


def mark(session: Session, user_id: int, id_: int, of: int) -> Seen:
    """An assignment in which the user may see this student's mark, as the student or as staff who oversee the
    student."""
    seen = assignment(session, user_id, id_)
    _see(seen.viewer, of, "mark")
    return seen


def marking(session: Session, user_id: int, id_: int, of: int) -> Seen:
    """An assignment in which the user may enter marks for this student."""
    seen = overseeing(session, user_id, id_)
    _see(seen.viewer, of, "mark")
    return seen


def person(session: Session, user_id: int, id_: int, of: int) -> tuple[Membership, Seen]:
    """A member of an assignment's course: the user, or a student whom they oversee."""
    seen = assignment(session, user_id, id_)
    _see(seen.viewer, of, "page")
    found = session.get(Membership, (of, seen.viewer.course.id))
    if found is None:
        raise NotFound(missing("person"))
    return found, seen


def taught_tournament(session: Session, user_id: int, id_: int) -> tuple[Tournament, Seen]:
    """A tournament of a course that the user teaches."""
    found, seen = tournament(session, user_id, id_)
    return found, teaching(seen)


def overseeing(session: Session, user_id: int, id_: int) -> Seen:
    """An assignment of a course in which the user is staff and sees the work of the students whom they oversee."""
    seen = assignment(session, user_id, id_)
    staff(seen.viewer)
    return seen


def attended(session: Session, user_id: int, parent: Mapping[str, Any]) -> InCourse:
    """One of the user's courses, or an assignment in it. `parent` contains the address's `course` or
    `assignment_id`."""
    if "course" in parent:
        return InCourse(None, course(session, user_id, parent["course"]))
    return assignment(session, user_id, parent["assignment_id"])


def staffed(session: Session, user_id: int, parent: Mapping[str, Any]) -> InCourse:
    """A course in which the user is staff, or one of its assignments, found by `parent` as in `attended`."""
    seen = attended(session, user_id, parent)
    staff(seen.viewer)
    return seen


def instructed(session: Session, user_id: int, parent: Mapping[str, Any]) -> InCourse:
    """A course that the user teaches, or one of its assignments, found by `parent` as in `attended`."""
    seen = attended(session, user_id, parent)
    teaching_course(seen.viewer)
    return seen


def real_names(session: Session, course_id: int) -> dict[int, User]:
    """All members of a course by id, for its instructors."""
    members = select(User).join(Membership).where(Membership.course_id == course_id)
    return {user.id: user for user in session.scalars(members)}


def seen_people(session: Session, viewer: Viewer) -> dict[int, User]:
    """The members of a course whose names the viewer may see, by id."""
    people = real_names(session, viewer.course.id) if viewer.staff else {}
    return {id_: person for id_, person in people.items() if viewer.oversees(id_)}


def seen_names(session: Session, viewer: Viewer) -> dict[int, str]:
    """The names of the people in `seen_people`, by id; cheaper than loading the people."""
    people = member_names(session, viewer.course.id) if viewer.staff else {}
    return {id_: name for id_, name in people.items() if viewer.oversees(id_)}


def member_names(session: Session, course_id: int) -> dict[int, str]:
    """The names of the members of a course, by id; cheaper than `real_names`."""
    members = select(User.id, User.name).join(Membership).where(Membership.course_id == course_id)
    return dict(session.execute(members).all())
