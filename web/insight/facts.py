"""What the pictures of an assignment count, read in a few queries however large the class is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from grader.deadline import special_dates
from grader.ladders import ladders
from grader.models import Submission
from grader.publishing.versions import definition_of
from tournament.ladder.rank_history import Ranked, ranks_of
from tournament.store.database import now
from tournament.store.tables import Entry, EntryState, RankSample
from web.assignment.section_dates import deadlines_of_sections
from web.models import Membership, Role, User
from web.site.access import Seen

LEADERS = 8
NEAR = timedelta(days=2)
"""Before a deadline: who has uploaded nothing by then is at risk."""


@dataclass(frozen=True, slots=True)
class UploadFacts:
    """A submission. `reported_at`: when it was graded; None before."""

    id: int
    author_id: int
    at: datetime
    reported_at: datetime | None
    points: float | None
    qualifies: bool | None


@dataclass(frozen=True, slots=True)
class LatestEntry:
    """A student's latest entry in the assignment's first ladder."""

    id: int
    author_id: int | None
    name: str
    state: EntryState


@dataclass(frozen=True, slots=True)
class Facts:
    """Of the students whom the viewer may see. `section_due`: the deadlines of sections, with their names. `students`:
    whether each has signed in. `deadlines`: of those with dates of their own. `latest`: the points for each question of
    each student's latest graded upload, by its id. `worth`: the points of each question."""

    base: str
    at: datetime
    zone: ZoneInfo
    due_at: datetime | None
    section_due: Mapping[datetime, str]
    has_ladder: bool
    students: Mapping[int, bool]
    deadlines: Mapping[int, datetime | None]
    uploads: Sequence[UploadFacts]
    entries: Mapping[int, LatestEntry]
    latest: Mapping[int, Mapping[str, float]]
    worth: Mapping[str, float]

    def link(self, picture: str, part: int) -> str:
        """The address of the list of what a part of a picture counts."""
        return f"{self.base}{picture}/{part}/"

    def deadline(self, student: int) -> datetime | None:
        """The student's own deadline."""
        return self.deadlines.get(student, self.due_at)


def students_seen(session: Session, seen: Seen) -> Mapping[int, bool]:
    """The students whom the viewer may see, and whether they have signed in: every list and picture is of them only."""
    wanted = select(Membership.user_id, User.signed_in_at.is_not(None)).join(User, User.id == Membership.user_id)
    of = Membership.course_id == seen.viewer.course.id, Membership.role == Role.STUDENT
    return {id_: bool(signed_in) for id_, signed_in in session.execute(wanted.where(*of))}


def facts_of(session: Session, seen: Seen, base: str) -> Facts:
    """Read them. `base`: the address of the page."""
    assignment, students = seen.assignment, students_seen(session, seen)
    wanted = select(
        Submission.id,
        Submission.author_id,
        Submission.queued_at,
        Submission.finished_at,
        Submission.points,
        Submission.qualifies,
    ).where(Submission.assignment_id == assignment.id)
    rows = session.execute(wanted.order_by(Submission.id)).all()
    first = next(iter(ladders(session, assignment.id)), None)
    entries = _entries(session, first.id, students) if first else {}
    return Facts(
        base=base,
        at=now(),
        zone=seen.viewer.course.zone,
        due_at=assignment.due_at,
        section_due=deadlines_of_sections(assignment),
        has_ladder=first is not None,
        students=students,
        deadlines={id_: own.due_at for id_, own in special_dates(session, assignment).items()},
        uploads=[UploadFacts(*row) for row in rows if row.author_id in students],
        entries=entries,
        latest=_latest(session, assignment.id, students),
        worth={each.slug: each.points for each in definition_of(session, assignment).questions},
    )


def _entries(session: Session, tournament_id: int, students: Mapping[int, bool]) -> dict[int, LatestEntry]:
    wanted = select(Entry.id, Entry.author_id, Entry.name, Entry.state).where(
        Entry.tournament_id == tournament_id, Entry.author_id.is_not(None)
    )
    found = session.execute(wanted.order_by(Entry.version))
    return {row.author_id: LatestEntry(*row) for row in found if row.author_id and row.author_id in students}


def _latest(session: Session, assignment_id: int, students: Mapping[int, bool]) -> dict[int, dict[str, float]]:
    last = select(func.max(Submission.id)).where(
        Submission.assignment_id == assignment_id, Submission.question_points.is_not(None)
    )
    wanted = select(Submission.id, Submission.author_id, Submission.question_points).where(
        Submission.id.in_(last.group_by(Submission.author_id))
    )
    return {id_: points or {} for id_, author, points in session.execute(wanted) if author in students}


def leaders_of(session: Session, facts: Facts) -> Sequence[Ranked]:
    """The samples of the entries that were ranked best when ranks were last noted."""
    entries = [each.id for each in facts.entries.values() if each.state is EntryState.ACTIVE]
    if not entries:
        return []
    last = (
        select(RankSample.entry_id, func.max(RankSample.at).label("at"))
        .where(RankSample.entry_id.in_(entries))
        .group_by(RankSample.entry_id)
        .subquery()
    )
    best = select(RankSample.entry_id).join(
        last, (RankSample.entry_id == last.c.entry_id) & (RankSample.at == last.c.at)
    )
    return ranks_of(session, session.scalars(best.order_by(RankSample.rank).limit(LEADERS)).all())
