"""Who may see what, decided in this one place.

For people outside a course nothing in it exists (404). Inside it a student sees the published assignments, every
leaderboard and every game, with opponents' pseudonyms; submissions, reports and the insides of a fault only of their
own players (403 otherwise). Instructors see everything in their course.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import Select, and_, bindparam, or_, select
from sqlalchemy.orm import Session, contains_eager, joinedload, undefer
from sqlalchemy.orm.interfaces import ORMOption
from werkzeug.exceptions import Forbidden, NotFound

from grader.models import Assignment, RegradeBatch, Submission
from tournament.ladder.ladder import AT_TABLE, ListedSeat
from tournament.store.database import Base, now
from tournament.store.tables import (
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
_IN_COURSE = (
    select(Assignment, Membership)
    .join(Membership, Membership.course_id == Assignment.course_id)
    .join(Membership.course)
    .options(contains_eager(Membership.course))
    .where(Membership.user_id == bindparam("user"), or_(Membership.role == Role.INSTRUCTOR, _PUBLIC))
)
_NAMED = _IN_COURSE.where(Course.slug == bindparam("course"), Assignment.slug == bindparam("slug"))
_SUBMISSION = (
    _IN_COURSE.add_columns(Submission)
    .join(Submission, Submission.assignment_id == Assignment.id)
    .where(Submission.id == bindparam("submission"))
)
_ASSIGNMENTS = select(Assignment).where(Assignment.course_id == bindparam("course")).order_by(Assignment.id)
_PUBLIC_ASSIGNMENTS = _ASSIGNMENTS.where(_PUBLIC)


@dataclass(frozen=True, slots=True)
class Viewer:
    """A member of a course, looking at something in it."""

    user_id: int
    pseudonym: str
    role: Role
    course: Course

    @property
    def instructs(self) -> bool:
        """Whether they teach the course."""
        return self.role is Role.INSTRUCTOR


@dataclass(frozen=True, slots=True)
class Seen:
    """An assignment and the member who looks at it."""

    assignment: Assignment
    viewer: Viewer


def courses(session: Session, user_id: int) -> list[Viewer]:
    """The user's courses, by title."""
    return [_viewer(member) for member in session.scalars(_COURSES, {"user": user_id})]


def course(session: Session, user_id: int, slug: str) -> Viewer:
    """One of the user's courses."""
    for viewer in courses(session, user_id):
        if viewer.course.slug == slug:
            return viewer
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
    archived."""
    wanted = _ASSIGNMENTS if viewer.instructs else _PUBLIC_ASSIGNMENTS
    return session.scalars(wanted, {"course": viewer.course.id, "at": now()}).all()


def _assignment(
    session: Session, user_id: int, wanted: Select[Assignment, Membership], values: Mapping[str, str]
) -> Seen:
    row = session.execute(wanted, {"user": user_id, "at": now(), **values}).first()
    if row is None:
        raise NotFound("There is no such assignment in your courses.")
    found, member = row
    return Seen(found, _viewer(member))


def submission(session: Session, user_id: int, id_: int) -> tuple[Submission, Seen]:
    """A submission of the user's own, or of a course that they teach."""
    row = session.execute(_SUBMISSION, {"user": user_id, "submission": id_, "at": now()}).first()
    if row is None:
        raise NotFound("There is no such submission in your courses.")
    assignment, member, found = row
    seen = Seen(assignment, _viewer(member))
    if found.author_id != user_id and not seen.viewer.instructs:
        raise Forbidden("This submission belongs to another student.")
    return found, seen


def own(work: Submission | VersionComparison, user_id: int) -> None:
    """Allow only the author of a submission or a comparison."""
    if work.author_id != user_id:
        raise Forbidden("Only the author of this submission can do that.")


def comparison(session: Session, user_id: int, id_: int) -> tuple[VersionComparison, Seen]:
    """A comparison of the user's own, or of a course that they teach."""
    found, seen = _of_tournament(session, user_id, VersionComparison, id_, "comparison")
    if found.author_id != user_id and not seen.viewer.instructs:
        raise Forbidden("This comparison belongs to another student.")
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
    """A custom game that the user asked for, or of a course that they teach."""
    found, seen = _of_tournament(session, user_id, CustomGame, id_, "game")
    if found.asker_id != user_id and not seen.viewer.instructs:
        raise Forbidden("This game belongs to another student, who can share its replay.")
    return found, seen


def asked_for(game: CustomGame, user_id: int) -> None:
    """Allow only the person who asked for a custom game."""
    if game.asker_id != user_id:
        raise Forbidden("Only the person who asked for this game can share its replay.")


def own_seats(viewer: Viewer, game: CustomGame) -> dict[int, CustomSeat]:
    """The seats of a custom game whose insides the viewer may see, by their numbers."""
    return {seat.seat: seat for seat in game.seats if viewer.instructs or seat.author_id == viewer.user_id}


def hand_game(session: Session, user_id: int, id_: int) -> tuple[HandGame, Seen]:
    """A game that the user plays by hand, or a student of a course that they teach."""
    wanted = _IN_COURSE.add_columns(HandGame).join(HandGame, HandGame.assignment_id == Assignment.id)
    row = session.execute(wanted.where(HandGame.id == id_), {"user": user_id, "at": now()}).first()
    if row is None:
        raise NotFound("There is no such game in your courses.")
    assignment, member, found = row
    seen = Seen(assignment, _viewer(member))
    if found.person_id != user_id and not seen.viewer.instructs:
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
    seen = Seen(assignment, _viewer(member))
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


def taught_tournament(session: Session, user_id: int, id_: int) -> tuple[Tournament, Seen]:
    """A tournament of a course that the user teaches."""
    found, seen = tournament(session, user_id, id_)
    return found, teaching(seen)


def sees_inside(viewer: Viewer, entry: Entry | ListedSeat) -> bool:
    """Whether the viewer sees tracebacks, output and whatever else reveals the source of this entry's player."""
    return viewer.instructs or entry.author_id == viewer.user_id


def sat_in(viewer: Viewer, game: PlayedGame) -> None:
    """Allow only those who sat in a game, and the instructors, to make it public."""
    if not any(sees_inside(viewer, seat.entry) for seat in game.seats):
        raise Forbidden("Only those whose players sat in this game, and the instructors, can share it.")


def acting(viewer: Viewer, entry: Entry) -> None:
    """Allow only the author of an entry and the instructors to withdraw or reinstate it."""
    if not sees_inside(viewer, entry):
        raise Forbidden("Only the author of this entry and the instructors can do that.")


def _viewer(member: Membership) -> Viewer:
    return Viewer(member.user_id, member.pseudonym, member.role, member.course)
