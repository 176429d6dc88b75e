"""The statements by which `web.site.rights.access` finds what exists for a person. Made once, they save 6% of the home
page and 10% of the leaderboard."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import Select, String, and_, bindparam, cast, or_, select
from sqlalchemy.orm import contains_eager, defaultload, joinedload, undefer
from sqlalchemy.orm.interfaces import ORMOption

from grader.models import Assignment, Outcome, Submission
from tournament.ladder.standings import AT_TABLE
from tournament.store.database import Base
from tournament.store.tables import Entry, PlayedGame, Seat, Tournament
from web.models import Course, Membership, Role

ALONG: Mapping[type[Base], Sequence[ORMOption]] = {
    Entry: [contains_eager(Entry.tournament)],
    PlayedGame: [
        joinedload(PlayedGame.seats).joinedload(Seat.entry).load_only(*AT_TABLE),
        undefer(PlayedGame.record),
    ],
}
"""What is loaded along with a row of a tournament."""

_OF_SECTIONS = cast(Assignment.section_dates, String) != "{}"  # these are looked at more closely afterwards
_PUBLIC = and_(
    Assignment.version > 0,
    Assignment.archived.is_(False),
    or_(Assignment.visible_from.is_(None), Assignment.visible_from <= bindparam("at"), _OF_SECTIONS),
)
_FOR_STAFF = and_(Membership.role != Role.STUDENT, Assignment.version > 0, Assignment.archived.is_(False))
IN_COURSE = (
    select(Assignment, Course, Membership.role, Membership.pseudonym, Membership.section)
    .join(Membership, Membership.course_id == Assignment.course_id)
    .join(Membership.course)
    .where(Membership.user_id == bindparam("user"), or_(Membership.role == Role.INSTRUCTOR, _FOR_STAFF, _PUBLIC))
)
NAMED = IN_COURSE.where(Course.slug == bindparam("course"), Assignment.slug == bindparam("slug"))
SUBMISSION = (
    IN_COURSE.add_columns(Submission)
    .join(Submission, Submission.assignment_id == Assignment.id)
    .where(Submission.id == bindparam("submission"))
    .options(undefer(Submission.report), defaultload(Submission.outcomes).joinedload(Outcome.entry))
)
_ASSIGNMENTS = select(Assignment).where(Assignment.course_id == bindparam("course")).order_by(Assignment.id)
LISTED: Mapping[Role, Select[Assignment]] = {
    Role.INSTRUCTOR: _ASSIGNMENTS,
    Role.STUDENT: _ASSIGNMENTS.where(_PUBLIC),
    **dict.fromkeys(
        (Role.TUTOR, Role.OBSERVER), _ASSIGNMENTS.where(Assignment.version > 0, Assignment.archived.is_(False))
    ),
}


@cache
def in_tournament(kind: Any) -> Select[*tuple[Any, ...]]:
    """Select a tournament, or a row of one, by its `id`."""
    whole = IN_COURSE.add_columns(Tournament).join(Tournament, Tournament.assignment_id == Assignment.id)
    if kind is not Tournament:
        whole = whole.add_columns(kind).join(kind, kind.tournament_id == Tournament.id)
    return whole.where(kind.id == bindparam("id")).options(*ALONG.get(kind, ()))
