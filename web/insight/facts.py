"""Query the facts that the pictures of an assignment show, and build the addresses of the pictures. Each fact is read
when a picture first needs it, in one query regardless of the size of the class. If a fact may have more rows than the
class has students, the database counts the rows."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache, cached_property
from typing import Any, NamedTuple
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import (
    ColumnElement,
    Executable,
    Select,
    String,
    Text,
    TextClause,
    bindparam,
    cast,
    exists,
    func,
    null,
    select,
    text,
    type_coerce,
)
from sqlalchemy.orm import Session

from grader.assignment.deadline import special_dates
from grader.assignment.failed_cases import Failures, ReportedUpload, failures, read_each
from grader.assignment.ladders import ladders
from grader.authoring.versions import definition_of
from grader.store.models import RegradeBatch, Submission
from tournament.ladder.rerate import leaders_of
from tournament.ladder.standings import Ranked, sampled, thinned_ranks_of
from tournament.store.database import Recent, UtcDateTime, now
from tournament.store.tables import Entry, Tournament
from web.insight.finals import FinalFacts, final_facts
from web.overview.dates import deadlines_of_sections
from web.site.access import Seen
from web.site.models import Membership, Role, User


@dataclass(frozen=True, slots=True)
class PicturePlace:
    """The addresses of the pictures. `base`: the address of the page; `entry`: the address of the entry with id 0.
    `tournament`: the short name of the chosen tournament, empty for the first tournament; every address includes it."""

    base: str
    entry: str
    tournament: str = ""

    @property
    def query(self) -> str:
        """The query string at the end of all addresses."""
        return "?" + urlencode({"tournament": self.tournament}) if self.tournament else ""

    def link(self, picture: str, part: int) -> str:
        """The address of the list that belongs to a part of a picture."""
        return f"{self.base}{picture}/{part}/{self.query}"

    def file(self, picture: str) -> str:
        """The address of the file with the numbers in a picture."""
        return f"{self.base}{picture}.csv{self.query}"

    def entry_link(self, id_: int) -> str:
        """The address of an entry."""
        return self.entry.replace("/0/", f"/{id_}/", 1)


LEADERS = 8
MOST_SAMPLES = 60
"""The most samples of an entry's rank that are drawn."""


@dataclass(frozen=True, slots=True, eq=False)
class LadderFacts:
    """The leaders when the ratings were last fitted; see `tournament.store.tables.Matchups`. `names`: the names of the
    leaders who still play. `ranks`: rank samples of the first few leaders in `names`."""

    entries: Sequence[int]
    games: Sequence[Sequence[int]]
    ahead: Sequence[Sequence[int]]
    names: Mapping[int, str]
    ranks: Sequence[Ranked]


_known = Recent[LadderFacts](32)


def ladder_facts(session: Session, tournament_id: int) -> LadderFacts | None:
    """The leaders of a ladder; None before its first ratings. Cached until any of these facts changes."""
    found, names = leaders_of(session, tournament_id)
    if found is None:
        return None
    first = [id_ for id_ in found.entries if id_ in names][:LEADERS]

    def make() -> LadderFacts:
        ranks = thinned_ranks_of(session, first, MOST_SAMPLES)
        return LadderFacts(found.entries, found.games, found.ahead, names, ranks)

    key = (tournament_id, found.at, frozenset(names.items()), sampled(session, first))
    return _known.get(session, key, make)


NEAR = timedelta(days=2)
"""The time before a deadline within which students who have uploaded nothing count as at risk."""

LATEST_WAITS = 3000
"""How many of the latest reports are used for the waiting times."""

MOST_FAILED = 10

Numbers = NDArray[np.float64]

_points = Recent[Mapping[ReportedUpload, Mapping[str, float]]](16)


class StudentFacts(NamedTuple):
    """A student's progress. `state`: the state of their latest entry in the ladder as a word; None without an entry."""

    id: int
    signed_in: bool
    uploaded: bool
    qualifies: bool
    state: str | None


class Facts:
    """The facts about the students whom the viewer may see, and about the chosen tournament."""

    def __init__(self, session: Session, seen: Seen, place: PicturePlace) -> None:
        self.session, self.seen, self.place = session, seen, place
        self.id, self.due_at = seen.assignment.id, seen.assignment.due_at
        self.at, self.zone = now(), seen.viewer.course.zone

    def own(self, author: Any) -> list[ColumnElement[bool]]:
        """The SQL condition that the viewer sees the work of this author."""
        pupils = self.seen.viewer.pupils
        return [] if pupils is None else [author.in_(pupils)]

    @property
    def uploads(self) -> list[ColumnElement[bool]]:
        """The SQL condition for the uploads that the viewer sees."""
        return [Submission.assignment_id == self.id, *self.own(Submission.author_id)]

    @cached_property
    def span(self) -> tuple[datetime, datetime] | None:
        """The times of the first and of the last upload."""
        first, last = (select(end(Submission.queued_at)).where(*self.uploads) for end in (func.min, func.max))
        ends = self.session.execute(select(first.scalar_subquery(), last.scalar_subquery())).one()
        return (ends[0], ends[1]) if ends[0] else None

    def uploaded_in(self, begins: Sequence[datetime], length: timedelta) -> Sequence[int]:
        """The number of uploads in each of the consecutive periods that start at `begins`."""
        pupils, ends = self.seen.viewer.pupils, [*begins, begins[-1] + length]
        given = {f"t{number}": at for number, at in enumerate(ends)} | {"assignment": self.id}
        given_pupils = {} if pupils is None else {"pupils": list(pupils)}
        return self.session.scalars(_uploaded_in(len(begins), pupils is not None), given | given_pupils).all()

    @cached_property
    def waits(self) -> tuple[Numbers, Numbers]:
        """The times of the latest graded uploads, in seconds since 1970, and how many seconds later each upload had its
        report, starting with the earliest upload."""
        # Times are read as SQLite stores them, since parsing 6,000 takes as long as all the rest; PostgreSQL returns
        # times anyway
        at, ended = (type_coerce(each, String) for each in (Submission.queued_at, Submission.finished_at))
        wanted = select(at, ended).where(*self.uploads, Submission.finished_at.is_not(None))
        rows = self._rows(wanted.order_by(Submission.queued_at.desc()).limit(LATEST_WAITS))[::-1]
        times, ends = _seconds([at for at, _ in rows]), _seconds([ended for _, ended in rows])
        return times, np.maximum(0.0, ends - times)

    @cached_property
    def students(self) -> Sequence[StudentFacts]:
        """The students whom the viewer sees."""
        theirs = (Submission.assignment_id == self.id, Submission.author_id == Membership.user_id)
        uploaded, qualifies = exists().where(*theirs), exists().where(*theirs, Submission.qualifies.is_(True))
        signed_in = User.signed_in_at.is_not(None)
        wanted = select(Membership.user_id, signed_in, uploaded, qualifies, self._state())
        rows = self._rows(wanted.join(User, User.id == Membership.user_id).where(*self._enrolled))
        return [StudentFacts._make(row) for row in rows]

    @property
    def _enrolled(self) -> list[ColumnElement[bool]]:
        course = self.seen.viewer.course.id
        return [Membership.course_id == course, Membership.role == Role.STUDENT, *self.own(Membership.user_id)]

    def _state(self) -> Any:
        """The state of a student's latest entry, as a column of plain words."""
        if self.ladder is None:
            return null()
        theirs = (Entry.tournament_id == self.ladder.id, Entry.author_id == Membership.user_id)
        return (
            select(type_coerce(Entry.state, String))
            .where(*theirs)
            .order_by(Entry.version.desc())
            .limit(1)
            .scalar_subquery()
        )

    @cached_property
    def graded(self) -> frozenset[ReportedUpload]:
        """Each student's latest graded upload."""
        last = self._last_graded.scalar_subquery()
        if not self._regraded:
            found = select(last).where(*self._enrolled)
            return frozenset(ReportedUpload(id_, None) for (id_,) in self._rows(found) if id_)
        found = select(Submission.id, Submission.regraded_at).join(Membership, Submission.id == last)
        return frozenset(ReportedUpload(*row) for row in self._rows(found.where(*self._enrolled)))

    @property
    def _last_graded(self) -> Select[int]:
        """The id of a student's latest graded upload."""
        theirs = (Submission.assignment_id == self.id, Submission.author_id == Membership.user_id)
        last = select(Submission.id).where(*theirs, Submission.qualifies.is_not(None))
        return last.order_by(Submission.id.desc()).limit(1).correlate(Membership)

    @property
    def _regraded(self) -> bool:
        """Whether any upload may have been regraded. Checking when each upload was regraded takes four times as
        long."""
        of_reports = (RegradeBatch.assignment_id == self.id, RegradeBatch.candidate.is_(None))
        return bool(self.session.scalar(select(exists().where(*of_reports))))

    @cached_property
    def latest(self) -> Mapping[int, Mapping[str, float]]:
        """The points for each question of each upload in `graded`, by the ids of the uploads."""
        found = read_each(_points, self.session, self.id, self.graded, self._read_points)
        return {each.id: points for each, points in found.items()}

    def _read_points(self, ids: Collection[int]) -> Mapping[int, Mapping[str, float]]:
        wanted = select(Submission.id, cast(Submission.question_points, Text)).where(Submission.id.in_(ids))
        rows = [(id_, points) for id_, points in self._rows(wanted) if points]
        points = json.loads(f"[{','.join(points for _, points in rows)}]")  # all at once, which is far faster
        return dict(zip((id_ for id_, _ in rows), points, strict=True))

    def _rows(self, wanted: Executable) -> Sequence[Any]:
        """The rows of a query for plain values, without an ORM session, whose overhead would double the time."""
        return self.session.connection().execute(wanted).all()

    @cached_property
    def most_failed(self) -> Failures:
        """The cases that the largest number of uploads in `graded` fail."""
        return self.failures(None)

    def failures(self, number: int | None) -> Failures:
        """The most failed cases or, with a `number`, only the case with that number."""
        return failures(self.session, self.id, self.graded, MOST_FAILED, number)

    @cached_property
    def worth(self) -> Mapping[str, float]:
        """The points of each question."""
        return {each.slug: each.points for each in definition_of(self.session, self.seen.assignment).questions}

    @cached_property
    def deadlines(self) -> Mapping[int, datetime | None]:
        """The deadlines of students with a deadline of their own, by an extension or by their sections."""
        return {id_: own.due_at for id_, own in special_dates(self.session, self.seen.assignment).items()}

    @cached_property
    def section_due(self) -> Mapping[datetime, str]:
        """The sections' deadlines, with the names of the sections."""
        return deadlines_of_sections(self.seen.assignment)

    def deadline(self, student: int) -> datetime | None:
        """The deadline that applies to the student."""
        return self.deadlines.get(student, self.due_at)

    @cached_property
    def ladders(self) -> Sequence[Tournament]:
        """The assignment's ladders."""
        return ladders(self.session, self.id)

    @property
    def ladder(self) -> Tournament | None:
        """The chosen ladder, or the first one; None if there is no such ladder."""
        wanted = self.place.tournament
        return next((each for each in self.ladders if wanted in ("", each.slug)), None)

    @cached_property
    def leaders(self) -> LadderFacts | None:
        """The leaders of the ladder; None before its first ratings."""
        return ladder_facts(self.session, self.ladder.id) if self.ladder else None

    @cached_property
    def final(self) -> FinalFacts | None:
        """The outcome of the final, for instructors only: nobody else can see it before its marks are published."""
        return final_facts(self.session, self.id) if self.seen.viewer.instructs else None


def _seconds(times: Sequence[Any]) -> Numbers:
    """Convert times to seconds since 1970."""
    if times and isinstance(times[0], str):
        return np.array(times, "datetime64[us]").astype(float) / 1e6
    return np.array([at.timestamp() for at in times], float)


@cache
def _uploaded_in(stretches: int, some: bool) -> TextClause:
    """A query that counts the uploads in each period, by ranges of an index. Its text is built here, since SQLAlchemy
    would compile a list of values each time, which takes five times as long as counting."""
    times = ", ".join(f"({number}, :t{number}, :t{number + 1})" for number in range(stretches))
    pupils = "AND author_id IN :pupils" if some else ""
    query = text(f"""
        WITH times (number, start, finish) AS (VALUES {times})
        SELECT (
            SELECT count(*) FROM submission
            WHERE assignment_id = :assignment AND queued_at >= start AND queued_at < finish {pupils}
        )
        FROM times ORDER BY number
    """)  # noqa: S608 - our own numbers
    query = query.bindparams(*(bindparam(f"t{number}", type_=UtcDateTime()) for number in range(stretches + 1)))
    return query.bindparams(bindparam("pupils", expanding=True)) if some else query
