"""Who may see what: here what exists for a person, and in `web.site.rights.roles` what a role may do with it.

For people outside a course nothing in it exists (404). Inside it a student sees the published assignments, every
leaderboard and every game, with opponents' pseudonyms; submissions, reports and the insides of a fault only of their
own players (403 otherwise). Instructors see everything in their course, and alone change its settings. Tutors see the
reports, files, replays and names of the students in their sections, or of all students; observers those of all, and
change nothing.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from sqlalchemy import Select, bindparam
from sqlalchemy.orm import Session
from werkzeug.exceptions import NotFound

from grader.models import Assignment, RegradeBatch, Submission
from grader.reviewing.comments import CodeComment
from grader.reviewing.requests import ReviewRequest
from tournament.store.database import Base, now
from tournament.store.tables import (
    CustomBatch,
    CustomGame,
    Entry,
    Final,
    FinalPhase,
    HandGame,
    PlayedGame,
    Tournament,
    TournamentKind,
    VersionComparison,
)
from web.models import Membership
from web.site.rights.membership import acting_in, course, courses, students, viewer_of
from web.site.rights.queries import IN_COURSE, LISTED, NAMED, SUBMISSION, in_tournament
from web.site.rights.roles import (
    Seen,
    Viewer,
    acting,
    answering,
    asked_for,
    deciding,
    editing,
    may_act,
    may_edit,
    missing,
    own,
    own_seats,
    plays_by_hand,
    plays_custom_games,
    sat_in,
    see,
    sees_inside,
    staff,
    teaching,
    teaching_course,
)

__all__ = [  # beside the functions of this module: the rest of what its callers ask
    "Seen",
    "Viewer",
    "acting",
    "answering",
    "asked_for",
    "course",
    "courses",
    "deciding",
    "editing",
    "may_act",
    "may_edit",
    "own",
    "own_seats",
    "plays_by_hand",
    "plays_custom_games",
    "sat_in",
    "sees_inside",
    "staff",
    "students",
    "teaching_course",
]

Row = TypeVar("Row", bound=Base)


def assignment(session: Session, user_id: int, id_: int) -> Seen:
    """An assignment of one of the user's courses."""
    return _first(session, user_id, _BY_ID, {"id": id_}, "assignment")[0]


_BY_ID = IN_COURSE.where(Assignment.id == bindparam("id"))


def assignment_named(session: Session, user_id: int, course: str, slug: str) -> Seen:
    """The same, by the names in its address."""
    return _first(session, user_id, NAMED, {"course": course, "slug": slug}, "assignment")[0]


def assignments(session: Session, viewer: Viewer) -> Sequence[Assignment]:
    """The assignments of a course that its member sees: for students those that are published, visible by now and not
    archived; tutors and observers see them before they are visible."""
    found = session.scalars(LISTED[viewer.role], {"course": viewer.course.id, "at": now()}).all()
    return [each for each in found if _released(each, viewer)]


def _released(assignment: Assignment, viewer: Viewer) -> bool:
    """Whether the dates of their sections let them see it."""
    return viewer.staff or not assignment.section_dates or assignment.is_public(now(), viewer.sections)


def _first(
    session: Session, user_id: int, wanted: Select[*tuple[Any, ...]], values: Mapping[str, Any], what: str
) -> tuple[Seen, Sequence[Any]]:
    """The assignment of the first row, for the viewer, and what else `wanted` selects beside those of IN_COURSE."""
    row = session.execute(wanted, {"user": user_id, "at": now(), **values}).unique().first()
    if row is None:
        raise NotFound(missing(what))
    assignment, course, role, pseudonym, section, *more = row
    seen = Seen(assignment, acting_in(viewer_of(session, user_id, course, role, pseudonym, section)))
    if not _released(assignment, seen.viewer):
        raise NotFound(missing(what))
    return seen, more


def submission(session: Session, user_id: int, id_: int) -> tuple[Submission, Seen]:
    """A submission of the user's own, or of a student whom they oversee."""
    seen, (found,) = _first(session, user_id, SUBMISSION, {"submission": id_}, "submission")
    see(seen.viewer, found.author_id, "submission")
    return found, seen


def review_request(session: Session, user_id: int, id_: int) -> tuple[ReviewRequest, Seen]:
    """A request about a submission that the user may see."""
    found = session.get(ReviewRequest, id_)
    if found is None:
        raise NotFound(missing("request"))
    try:
        return found, submission(session, user_id, found.submission_id)[1]
    except NotFound:
        raise NotFound(missing("request")) from None


def code_comment(session: Session, user_id: int, id_: int) -> tuple[CodeComment, Seen]:
    """A comment on a submission that the user may see; it may be deleted."""
    found = session.get(CodeComment, id_)
    if found is None:
        raise NotFound(missing("comment"))
    try:
        return found, submission(session, user_id, found.submission_id)[1]
    except NotFound:
        raise NotFound(missing("comment")) from None


def comparison(session: Session, user_id: int, id_: int) -> tuple[VersionComparison, Seen]:
    """A comparison of the user's own, or of a student whom they oversee."""
    found, seen = _of_tournament(session, user_id, VersionComparison, id_, "comparison")
    see(seen.viewer, found.author_id, "comparison")
    return found, seen


def regrade_batch(session: Session, user_id: int, id_: int) -> tuple[RegradeBatch, Seen]:
    """Submissions that were graded again, in a course that the user teaches."""
    found = session.get(RegradeBatch, id_)
    if found is None:
        raise NotFound(missing("page"))
    return found, taught(session, user_id, found.assignment_id)


def custom_game(session: Session, user_id: int, id_: int) -> tuple[CustomGame, Seen]:
    """A custom game that the user asked for, or a student whom they oversee."""
    found, seen = _of_tournament(session, user_id, CustomGame, id_, "game")
    see(seen.viewer, found.asker_id, "game", "belongs to another student, who can share its replay")
    return found, seen


def custom_batch(session: Session, user_id: int, id_: int) -> tuple[CustomBatch, Seen]:
    """A batch of custom games that the user asked for, or a student whom they oversee."""
    found, seen = _of_tournament(session, user_id, CustomBatch, id_, "batch of games")
    see(seen.viewer, found.asker_id, "batch of games")
    return found, seen


def hand_game(session: Session, user_id: int, id_: int) -> tuple[HandGame, Seen]:
    """A game that the user plays by hand, or a student whom they oversee."""
    wanted = IN_COURSE.add_columns(HandGame).join(HandGame, HandGame.assignment_id == Assignment.id)
    seen, (found,) = _first(session, user_id, wanted.where(HandGame.id == bindparam("id")), {"id": id_}, "game")
    see(seen.viewer, found.person_id, "game", "is played by somebody else")
    return found, seen


def tournament(session: Session, user_id: int, id_: int) -> tuple[Tournament, Seen]:
    """A tournament of one of the user's courses."""
    return _of_tournament(session, user_id, Tournament, id_, "tournament")


def _of_tournament(session: Session, user_id: int, kind: type[Row], id_: int, what: str) -> tuple[Row, Seen]:
    """A tournament, or something in it, with the assignment and the viewer, in one query; most requests begin so."""
    seen, found = _first(session, user_id, in_tournament(kind), {"id": id_}, what)
    if not seen.viewer.instructs and unpublished(session, found[0]):
        raise NotFound(missing(what))
    return found[-1], seen


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


def taught(session: Session, user_id: int, id_: int) -> Seen:
    """An assignment of a course that the user teaches."""
    return teaching(assignment(session, user_id, id_))


def mark(session: Session, user_id: int, id_: int, of: int) -> Seen:
    """An assignment in which the user may see the mark of a student: their own, or that of somebody they oversee."""
    seen = assignment(session, user_id, id_)
    see(seen.viewer, of, "mark")
    return seen


def marking(session: Session, user_id: int, id_: int, of: int) -> Seen:
    """An assignment in which the user enters marks by hand for this student."""
    seen = overseeing(session, user_id, id_)
    see(seen.viewer, of, "mark")
    return seen


def person(session: Session, user_id: int, id_: int, of: int) -> tuple[Membership, Seen]:
    """A member of an assignment's course: the user, or a student whom they oversee."""
    seen = assignment(session, user_id, id_)
    see(seen.viewer, of, "page")
    found = session.get(Membership, (of, seen.viewer.course.id))
    if found is None:
        raise NotFound(missing("person"))
    return found, seen


def taught_tournament(session: Session, user_id: int, id_: int) -> tuple[Tournament, Seen]:
    """A tournament of a course that the user teaches."""
    found, seen = tournament(session, user_id, id_)
    return found, teaching(seen)


def overseeing(session: Session, user_id: int, id_: int) -> Seen:
    """An assignment in which the user sees the work of others: of those whom they oversee."""
    seen = assignment(session, user_id, id_)
    staff(seen.viewer)
    return seen
