"""Who may see what, decided in this one place.

For people outside a course nothing in it exists (404). Inside it a student sees the published assignments, every
leaderboard and every game, with opponents' pseudonyms; submissions, reports and the insides of a fault only of their
own players (403 otherwise). Instructors see everything in their course, and alone change its settings. Tutors see the
reports, files, replays and names of the students in their sections, or of all students; observers those of all, and
change nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from flask import request
from sqlalchemy import Select, and_, bindparam, or_, select
from sqlalchemy.orm import Session, contains_eager, joinedload, object_session, undefer
from sqlalchemy.orm.interfaces import ORMOption
from werkzeug.exceptions import Forbidden, NotFound

from grader.code_comments import CodeComment
from grader.models import Assignment, RegradeBatch, Submission
from grader.review_requests import ReviewRequest
from tournament.ladder.ladder import AT_TABLE, ListedSeat
from tournament.store.database import Base, now
from tournament.store.tables import (
    CustomBatch,
    CustomGame,
    CustomSeat,
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
from web.models import Course, Membership, Role, User
from web.site.viewing import READING, viewing

Row = TypeVar("Row", bound=Base)

ALONG: Mapping[type[Base], Sequence[ORMOption]] = {
    Entry: [contains_eager(Entry.tournament)],
    PlayedGame: [
        joinedload(PlayedGame.seats).joinedload(Seat.entry).load_only(*AT_TABLE),
        undefer(PlayedGame.record),
    ],
}
"""What is loaded along with a row of a tournament."""

_COURSES = (
    select(Membership)
    .join(Membership.course)
    .options(contains_eager(Membership.course))
    .where(Membership.user_id == bindparam("user"))
    .order_by(Course.title)
)
_PUBLIC = and_(
    Assignment.version > 0,
    Assignment.archived.is_(False),
    or_(Assignment.visible_from.is_(None), Assignment.visible_from <= bindparam("at")),
)
_FOR_STAFF = and_(Membership.role != Role.STUDENT, Assignment.version > 0, Assignment.archived.is_(False))
_IN_COURSE = (
    select(Assignment, Membership)
    .join(Membership, Membership.course_id == Assignment.course_id)
    .join(Membership.course)
    .options(contains_eager(Membership.course))
    .where(Membership.user_id == bindparam("user"), or_(Membership.role == Role.INSTRUCTOR, _FOR_STAFF, _PUBLIC))
)
_NAMED = _IN_COURSE.where(Course.slug == bindparam("course"), Assignment.slug == bindparam("slug"))
_SUBMISSION = (
    _IN_COURSE.add_columns(Submission)
    .join(Submission, Submission.assignment_id == Assignment.id)
    .where(Submission.id == bindparam("submission"))
)
_ASSIGNMENTS = select(Assignment).where(Assignment.course_id == bindparam("course")).order_by(Assignment.id)
_LISTED: Mapping[Role, Select[Assignment]] = {
    Role.INSTRUCTOR: _ASSIGNMENTS,
    Role.STUDENT: _ASSIGNMENTS.where(_PUBLIC),
    **dict.fromkeys(
        (Role.TUTOR, Role.OBSERVER), _ASSIGNMENTS.where(Assignment.version > 0, Assignment.archived.is_(False))
    ),
}
ALL = "all"


@dataclass(frozen=True, slots=True)
class Viewer:
    """A member of a course, looking at something in it. `pupils` are the students whose names and work they see beside
    their own; None: everybody's."""

    user_id: int
    pseudonym: str
    role: Role
    course: Course
    pupils: frozenset[int] | None

    @property
    def instructs(self) -> bool:
        """Whether they teach the course."""
        return self.role is Role.INSTRUCTOR

    @property
    def staff(self) -> bool:
        """Whether they see the work of others: as an instructor, a tutor or an observer."""
        return self.role is not Role.STUDENT

    @property
    def answers(self) -> bool:
        """Whether they answer students and mark their work."""
        return self.role in (Role.INSTRUCTOR, Role.TUTOR)

    def oversees(self, user_id: int | None) -> bool:
        """Whether they see the name and the work of somebody else; None is nobody, as the author of a house bot."""
        return self.pupils is None or user_id in self.pupils

    def sees(self, author_id: int | None) -> bool:
        """Whether they see the insides of what this person has made: their own, or as staff."""
        return author_id == self.user_id or self.oversees(author_id)


@dataclass(frozen=True, slots=True)
class Seen:
    """An assignment and the member who looks at it."""

    assignment: Assignment
    viewer: Viewer


def courses(session: Session, user_id: int) -> list[Viewer]:
    """The user's courses, by title."""
    found = session.scalars(_COURSES, {"user": user_id}).all()
    return [_viewer(member) for member in found if _open(member.course)]


def course(session: Session, user_id: int, slug: str) -> Viewer:
    """One of the user's courses."""
    for viewer in courses(session, user_id):
        if viewer.course.slug == slug:
            return _acting_in(viewer)
    raise NotFound("There is no such course among yours.")


def teaching_course(viewer: Viewer) -> Viewer:
    """Allow only the course's instructors."""
    if not viewer.instructs:
        raise Forbidden("Only the instructors of this course can see this page.")
    return viewer


def students(session: Session, course_id: int) -> list[Membership]:
    """The students of a course by name, for its instructors."""
    members = select(Membership).join(User).where(Membership.course_id == course_id, Membership.role == Role.STUDENT)
    return list(session.scalars(members.order_by(User.name).options(contains_eager(Membership.user))))


def assignment(session: Session, user_id: int, id_: int) -> Seen:
    """An assignment of one of the user's courses."""
    return _assignment(session, user_id, _IN_COURSE.where(Assignment.id == id_), {})


def assignment_named(session: Session, user_id: int, course: str, slug: str) -> Seen:
    """The same, by the names in its address."""
    return _assignment(session, user_id, _NAMED, {"course": course, "slug": slug})


def assignments(session: Session, viewer: Viewer) -> Sequence[Assignment]:
    """The assignments of a course that its member sees: for students those that are published, visible by now and not
    archived; tutors and observers see them before they are visible."""
    return session.scalars(_LISTED[viewer.role], {"course": viewer.course.id, "at": now()}).all()


def _assignment(
    session: Session, user_id: int, wanted: Select[Assignment, Membership], values: Mapping[str, str]
) -> Seen:
    row = session.execute(wanted, {"user": user_id, "at": now(), **values}).first()
    if row is None:
        raise NotFound("There is no such assignment in your courses.")
    found, member = row
    return Seen(found, _acting_in(_viewer(member)))


def submission(session: Session, user_id: int, id_: int) -> tuple[Submission, Seen]:
    """A submission of the user's own, or of a student whom they oversee."""
    row = session.execute(_SUBMISSION, {"user": user_id, "submission": id_, "at": now()}).first()
    if row is None:
        raise NotFound("There is no such submission in your courses.")
    assignment, member, found = row
    seen = Seen(assignment, _acting_in(_viewer(member)))
    _see(seen.viewer, found.author_id, "This submission belongs")
    return found, seen


def review_request(session: Session, user_id: int, id_: int) -> tuple[ReviewRequest, Seen]:
    """A request about a submission that the user may see."""
    found = session.get(ReviewRequest, id_)
    if found is None:
        raise NotFound("There is no such request in your courses.")
    return found, submission(session, user_id, found.submission_id)[1]


def code_comment(session: Session, user_id: int, id_: int) -> tuple[CodeComment, Seen]:
    """A comment on a submission that the user may see; it may be deleted."""
    found = session.get(CodeComment, id_)
    if found is None:
        raise NotFound("There is no such comment in your courses.")
    return found, submission(session, user_id, found.submission_id)[1]


def may_edit(seen: Seen, comment: CodeComment) -> bool:
    """Whether they may change a comment: instructors, and whoever wrote it."""
    return seen.viewer.instructs or (seen.viewer.answers and comment.written_by == seen.viewer.user_id)


def editing(seen: Seen, comment: CodeComment) -> None:
    """Allow only those who may change a comment."""
    if not may_edit(seen, comment):
        raise Forbidden("Only whoever wrote this comment, and the instructors, can change it.")


def answering(seen: Seen, author_id: int) -> None:
    """Allow only the instructors, and the tutors of this student, to answer."""
    if not (seen.viewer.answers and seen.viewer.oversees(author_id)):
        raise Forbidden("Only the instructors, and the tutors of this student, can answer.")


def own(work: Submission | VersionComparison, user_id: int) -> None:
    """Allow only the author of a submission or a comparison."""
    if work.author_id != user_id:
        raise Forbidden("Only the author of this submission can do that.")


def comparison(session: Session, user_id: int, id_: int) -> tuple[VersionComparison, Seen]:
    """A comparison of the user's own, or of a student whom they oversee."""
    found, seen = _of_tournament(session, user_id, VersionComparison, id_, "comparison")
    _see(seen.viewer, found.author_id, "This comparison belongs")
    return found, seen


def regrade_batch(session: Session, user_id: int, id_: int) -> tuple[RegradeBatch, Seen]:
    """Submissions that were graded again, in a course that the user teaches."""
    found = session.get(RegradeBatch, id_)
    if found is None:
        raise NotFound("There is no such page in your courses.")
    return found, taught(session, user_id, found.assignment_id)


def plays_custom_games(tournament: Tournament) -> None:
    """Allow only ladders, which alone have custom games."""
    if tournament.kind is not TournamentKind.LADDER:
        raise NotFound("Custom games need a ladder, and this tournament is not a ladder.")


def custom_game(session: Session, user_id: int, id_: int) -> tuple[CustomGame, Seen]:
    """A custom game that the user asked for, or a student whom they oversee."""
    found, seen = _of_tournament(session, user_id, CustomGame, id_, "game")
    _see(seen.viewer, found.asker_id, "This game, of which its owner can share the replay, belongs")
    return found, seen


def custom_batch(session: Session, user_id: int, id_: int) -> tuple[CustomBatch, Seen]:
    """A batch of custom games that the user asked for, or a student whom they oversee."""
    found, seen = _of_tournament(session, user_id, CustomBatch, id_, "batch of games")
    _see(seen.viewer, found.asker_id, "This batch of games belongs")
    return found, seen


def asked_for(game: CustomGame | CustomBatch, user_id: int) -> None:
    """Allow only the person who asked for a custom game or a batch."""
    if game.asker_id != user_id:
        raise Forbidden("Only the person who asked for this can do that.")


def own_seats(viewer: Viewer, game: CustomGame) -> dict[int, CustomSeat]:
    """The seats of a custom game whose insides the viewer may see, by their numbers."""
    return {seat.seat: seat for seat in game.seats if viewer.sees(seat.author_id)}


def hand_game(session: Session, user_id: int, id_: int) -> tuple[HandGame, Seen]:
    """A game that the user plays by hand, or a student whom they oversee."""
    wanted = _IN_COURSE.add_columns(HandGame).join(HandGame, HandGame.assignment_id == Assignment.id)
    row = session.execute(wanted.where(HandGame.id == id_), {"user": user_id, "at": now()}).first()
    if row is None:
        raise NotFound("There is no such game in your courses.")
    assignment, member, found = row
    seen = Seen(assignment, _acting_in(_viewer(member)))
    if not seen.viewer.sees(found.person_id):
        raise Forbidden("Somebody else plays this game.")
    return found, seen


def plays_by_hand(game: HandGame, user_id: int) -> None:
    """Allow only the person who plays a game by hand."""
    if game.person_id != user_id:
        raise Forbidden("Only the person who plays this game can do that.")


def tournament(session: Session, user_id: int, id_: int) -> tuple[Tournament, Seen]:
    """A tournament of one of the user's courses."""
    return _of_tournament(session, user_id, Tournament, id_, "tournament")


def _of_tournament(session: Session, user_id: int, kind: type[Row], id_: int, what: str) -> tuple[Row, Seen]:
    """A tournament, or something in it, with the assignment and the viewer, in one query; most requests begin so."""
    row = session.execute(_wanted(kind), {"user": user_id, "id": id_, "at": now()}).unique().first()
    if row is None:
        raise NotFound(f"There is no such {what} in your courses.")
    assignment, member, tournament, *within = row
    seen = Seen(assignment, _acting_in(_viewer(member)))
    if not seen.viewer.instructs and unpublished(session, tournament):
        raise NotFound(f"There is no such {what} in your courses.")
    return (within or row)[-1], seen


@cache
def _wanted(kind: Any) -> Select[*tuple[Any, ...]]:
    """Made once: the statements made once here save 6% of the home page and 10% of the leaderboard."""
    whole = _IN_COURSE.add_columns(Tournament).join(Tournament, Tournament.assignment_id == Assignment.id)
    if kind is not Tournament:
        whole = whole.add_columns(kind).join(kind, kind.tournament_id == Tournament.id)
    return whole.where(kind.id == bindparam("id")).options(*ALONG.get(kind, ()))


def unpublished(session: Session, tournament: Tournament) -> bool:
    """Whether it is a final whose marks are unpublished: until then it does not exist for students."""
    if tournament.kind is not TournamentKind.FINAL:
        return False
    return session.get_one(Final, tournament.id).phase is not FinalPhase.PUBLISHED


def entry(session: Session, user_id: int, id_: int) -> tuple[Entry, Seen]:
    """An entry in a tournament of one of the user's courses."""
    return _of_tournament(session, user_id, Entry, id_, "entry")


def game(session: Session, user_id: int, id_: int) -> tuple[PlayedGame, Seen]:
    """A game of a tournament of one of the user's courses."""
    return _of_tournament(session, user_id, PlayedGame, id_, "game")


def teaching(seen: Seen) -> Seen:
    """Allow only the course's instructors."""
    if not seen.viewer.instructs:
        raise Forbidden("Only the instructors of this course can see this page.")
    return seen


def taught(session: Session, user_id: int, id_: int) -> Seen:
    """An assignment of a course that the user teaches."""
    return teaching(assignment(session, user_id, id_))


def marking(session: Session, user_id: int, id_: int) -> Seen:
    """An assignment of which the user sees and enters everybody's marks."""
    return taught(session, user_id, id_)


def mark(session: Session, user_id: int, id_: int, of: int) -> Seen:
    """An assignment in which the user may see the mark of a student: their own, or as somebody who marks."""
    seen = assignment(session, user_id, id_)
    if of != user_id:
        teaching(seen)
    return seen


def person(session: Session, user_id: int, id_: int, of: int) -> tuple[Membership, Seen]:
    """A member of an assignment's course: the user, or a student whom they oversee."""
    seen = assignment(session, user_id, id_)
    _see(seen.viewer, of, "This page belongs")
    found = session.get(Membership, (of, seen.viewer.course.id))
    if found is None:
        raise NotFound("There is no such person in this course.")
    return found, seen


def taught_tournament(session: Session, user_id: int, id_: int) -> tuple[Tournament, Seen]:
    """A tournament of a course that the user teaches."""
    found, seen = tournament(session, user_id, id_)
    return found, teaching(seen)


def sees_inside(viewer: Viewer, entry: Entry | ListedSeat) -> bool:
    """Whether the viewer sees tracebacks, output and whatever else reveals the source of this entry's player."""
    return viewer.sees(entry.author_id)


def sat_in(viewer: Viewer, game: PlayedGame) -> None:
    """Allow only those who sat in a game, and the instructors, to make it public."""
    if not viewer.instructs and all(seat.entry.author_id != viewer.user_id for seat in game.seats):
        raise Forbidden("Only those whose players sat in this game, and the instructors, can share it.")


def acting(viewer: Viewer, entry: Entry) -> None:
    """Allow only the author of an entry and the instructors to withdraw or reinstate it."""
    if not may_act(viewer, entry):
        raise Forbidden("Only the author of this entry and the instructors can do that.")


def may_act(viewer: Viewer, entry: Entry) -> bool:
    """Whether they may withdraw and reinstate an entry."""
    return viewer.instructs or entry.author_id == viewer.user_id


def overseeing(session: Session, user_id: int, id_: int) -> Seen:
    """An assignment in which the user sees the work of others: of those whom they oversee."""
    seen = assignment(session, user_id, id_)
    if not seen.viewer.staff:
        raise Forbidden("Only the instructors, tutors and observers of this course can see this page.")
    return seen


def sections(written: str) -> frozenset[str]:
    """The sections that are written in a member's `section`, in small letters; empty for “all”, as for none."""
    named = {" ".join(name.casefold().split()) for name in written.split(";")}
    return frozenset() if ALL in named else frozenset(named - {""})


def _see(viewer: Viewer, author_id: int, whose: str) -> None:
    if not viewer.sees(author_id):
        student = "a student who is not in your sections" if viewer.staff else "another student"
        raise Forbidden(f"{whose} to {student}.")


def _acting_in(viewer: Viewer) -> Viewer:
    """Refuse an observer who sends something, and whoever views another course as its student."""
    if not _open(viewer.course):
        raise NotFound("You view another course as one of its students. Leave that view first.")
    if viewer.role is Role.OBSERVER and request.method not in READING:
        raise Forbidden("You observe this course: you see what its staff see, and change nothing.")
    return viewer


def _open(course: Course) -> bool:
    """Whether this course exists at present: while an instructor views one as its student, there is no other."""
    viewed = viewing()
    return viewed is None or viewed.course.id == course.id


def _viewer(member: Membership) -> Viewer:
    return Viewer(member.user_id, member.pseudonym, member.role, member.course, _pupils(member))


def _pupils(member: Membership) -> frozenset[int] | None:
    """The students whom a member oversees; None: everybody."""
    if member.role is Role.STUDENT:
        return frozenset()
    own, session = sections(member.section), object_session(member)
    if member.role is not Role.TUTOR or not own or session is None:
        return None
    students = select(Membership.user_id, Membership.section)
    students = students.where(Membership.course_id == member.course_id, Membership.role == Role.STUDENT)
    return frozenset(id_ for id_, section in session.execute(students) if own & sections(section))
