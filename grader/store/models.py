"""Database tables of the grader: assignments and changes of their settings, submissions, and regrades. Also reads a
course's students, sections and time zone from the site's tables."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import JSON, ForeignKey, Index, LargeBinary, UniqueConstraint, and_, column, false, or_, select, table
from sqlalchemy.orm import Mapped, Session, foreign, mapped_column, object_session, relationship

from grader.definition.local_times import OwnDates, own_dates, zone_or_utc
from grader.definition.model import TRIAL_GAMES
from tournament.store.database import Base, now, words
from tournament.store.jobs import Job
from tournament.store.notices import NoticeKind, tell
from tournament.store.tables import Entry, Link, Player, Tournament, Trial

PARKED = (
    "This file could not be graded because of an internal error. You did nothing wrong: it costs you nothing, no "
    "cooldown starts, and you can upload again at once. Your instructor can see the error too."
)

AUTHORING_PARKED = (
    "An internal error happened several times in a row. Your draft is unchanged. Try again; if it happens again, tell "
    "the operator, who can find the error in the log."
)


class FullKit(StrEnum):
    """When students may download the full kit of an assignment, which contains the game's own code."""

    NEVER = "never"
    AT_ONCE = "at once"
    AFTER_DEADLINE = "after deadline"  # after each student's own deadline


class Assignment(Base):
    """An assignment of a course. Its versions contain the definitions; its tournaments refer to the assignment. The
    columns from `title` to `custom_games_hour` contain the values of the current version, with instructors' later
    changes (see `grader.authoring.versions`). `section_dates` is described in `grader.definition.local_times`.
    `game` is empty for a plain problem set. `version` is 0 until the first version is published; until then, only
    instructors see the assignment."""

    __tablename__ = "assignment"
    __table_args__ = (UniqueConstraint("course_id", "slug"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    course_id: Mapped[int] = mapped_column(ForeignKey("course.id"))
    slug: Mapped[str]
    title: Mapped[str]
    game: Mapped[str]
    version: Mapped[int] = mapped_column(default=0, server_default="0")
    visible_from: Mapped[datetime | None] = mapped_column(default=None)  # None: immediately
    announced_at: Mapped[datetime | None] = mapped_column(default=None)  # when the course's webhooks were notified
    archived: Mapped[bool] = mapped_column(default=False, server_default=false())  # then only instructors see it
    due_at: Mapped[datetime | None] = mapped_column(default=None)
    section_dates: Mapped[dict[str, dict[str, str]]] = mapped_column(JSON, default=dict, server_default="{}")
    gates: Mapped[dict[str, str]] = mapped_column(JSON, default=dict, server_default="{}")  # by question; see `Gate`
    trial_games: Mapped[int] = mapped_column(default=TRIAL_GAMES, server_default=str(TRIAL_GAMES))  # before an entry
    # Custom games per hour and member; 0: none
    custom_games_hour: Mapped[int] = mapped_column(default=20, server_default="20")
    full_kit: Mapped[FullKit] = mapped_column(words(FullKit), default=FullKit.NEVER, server_default=FullKit.NEVER.value)
    created_at: Mapped[datetime] = mapped_column(default=now)

    def dates_of(self, sections: Collection[str] = ()) -> OwnDates:
        """Return the dates of a student in these sections; see `grader.definition.local_times`."""
        return own_dates(OwnDates(self.visible_from, self.due_at), self.section_dates, sections)

    def is_public(self, at: datetime, sections: Collection[str] = ()) -> bool:
        """Whether students in these sections see the assignment. `web.site.access` contains nearly the same condition
        as a database query."""
        released = self.dates_of(sections).visible_from
        return self.version > 0 and not self.archived and (released is None or released <= at)


class AssignmentVersion(Base):
    """A published definition of an assignment, which never changes."""

    __tablename__ = "assignment_version"
    __table_args__ = (UniqueConstraint("assignment_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"))
    number: Mapped[int]  # from 1
    definition: Mapped[str] = mapped_column(deferred=True)  # canonical JSON; see `grader.definition.model`
    digest: Mapped[str]
    summary: Mapped[str] = mapped_column(default="")  # the changes, for the log
    published_by: Mapped[int | None] = mapped_column(ForeignKey("user.id"), default=None)  # None: command line
    published_at: Mapped[datetime] = mapped_column(default=now)


class AssignmentDraft(Base):
    """An instructor's unpublished work: the contents of forms as entered, perhaps with mistakes."""

    __tablename__ = "assignment_draft"

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"), primary_key=True)
    base: Mapped[int]  # the number of the version on which the draft is based
    revision: Mapped[int] = mapped_column(default=1)  # counts how often the draft was saved
    content: Mapped[dict[str, Any]] = mapped_column(JSON)  # structured like `Definition.model_dump(mode="json")`
    publish_at: Mapped[datetime | None] = mapped_column(default=None)
    saved_by: Mapped[int] = mapped_column(ForeignKey("user.id"))
    saved_at: Mapped[datetime] = mapped_column(default=now)


class CaseSet(Base):
    """The hidden cases of a question, as data. The key is a hash of everything that the cases depend on, so equal
    questions share a case set."""

    __tablename__ = "case_set"

    key: Mapped[str] = mapped_column(primary_key=True)
    cases: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)  # see `grader.authoring.papers`
    count: Mapped[int]
    made_at: Mapped[datetime] = mapped_column(default=now)


class AuthoringPurpose(StrEnum):
    """What a grading worker does with a draft."""

    CHECK = "check"  # find all problems
    TRY = "try"  # grade a file
    PUBLISH = "publish"  # check it, and publish it as the next version
    OUTPUTS = "outputs"  # generate the expected outputs of a program question's cases with its solution


class AuthoringJob(Job, Base):
    """A job with a draft that an instructor requested. A grading worker does the job, since authors' code runs only in
    a jail. `base` and `revision` are copied from the draft (see `AssignmentDraft`). `result` contains `problems`,
    each with its file, line and text, and other keys for each purpose (see `grader.authoring.jobs`). `report` is the
    report on a file that was tried."""

    __tablename__ = "authoring_job"

    id: Mapped[int] = mapped_column(primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"), index=True)
    purpose: Mapped[AuthoringPurpose] = mapped_column(words(AuthoringPurpose))
    definition: Mapped[str] = mapped_column(deferred=True)
    base: Mapped[int]
    revision: Mapped[int]
    filename: Mapped[str] = mapped_column(default="")  # of the file to try
    source: Mapped[bytes] = mapped_column(LargeBinary, default=b"", deferred=True)
    needs: Mapped[str] = mapped_column(default="", server_default="")  # like that of a submission
    asked_by: Mapped[int] = mapped_column(ForeignKey("user.id"))
    # Queued at a chosen time: the person gets a notice, since nobody is watching the page
    scheduled: Mapped[bool] = mapped_column(default=False, server_default=false())
    progress: Mapped[str] = mapped_column(default="")  # the current step, in words
    result: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    report: Mapped[bytes | None] = mapped_column(LargeBinary, default=None, deferred=True)

    assignment: Mapped[Assignment] = relationship()

    def was_parked(self) -> None:
        """Notify the person who requested a publication, since they may have left the page."""
        session = object_session(self)
        if session is not None:
            link: Link = ("publication", self.assignment_id, "What happened")
            subject = f"{self.assignment.title}: internal error, nothing was published"
            if self.purpose is AuthoringPurpose.PUBLISH:
                tell(session, self.asked_by, self.assignment_id, subject, AUTHORING_PARKED, [link], NoticeKind.ALERT)


class Extension(Base):
    """A later deadline for one student."""

    __tablename__ = "extension"

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), primary_key=True)
    until: Mapped[datetime]
    reason: Mapped[str] = mapped_column(default="", server_default="")


class Change(Base):
    """A change of a setting of an assignment or, if `assignment_id` is None, of a course. `former` and `value` are
    shown on the page unchanged."""

    __tablename__ = "setting_change"

    id: Mapped[int] = mapped_column(primary_key=True)
    course_id: Mapped[int] = mapped_column(ForeignKey("course.id"), index=True)
    assignment_id: Mapped[int | None] = mapped_column(ForeignKey("assignment.id"), index=True)
    changed_by: Mapped[int] = mapped_column(ForeignKey("user.id"))
    changed_at: Mapped[datetime] = mapped_column(default=now)
    setting: Mapped[str]
    former: Mapped[str]
    value: Mapped[str]


_CHANGES_SHOWN = 100


def note_change(session: Session, assignment_id: int, by: int, setting: str, former: str, value: str) -> None:
    """Log a change of an assignment's setting. Nothing is logged if the value is unchanged."""
    if former != value:
        of = (
            select(Assignment.course_id).where(Assignment.id == assignment_id).scalar_subquery()
        )  # only a subquery; nothing is read yet
        change = Change(course_id=of, assignment_id=assignment_id, changed_by=by, setting=setting)
        change.former, change.value = former, value
        session.add(change)


def note_course_change(session: Session, course_id: int, by: int, setting: str, former: str, value: str) -> None:
    """Log a change that concerns a whole course. Nothing is logged if the value is unchanged."""
    if former != value:
        session.add(Change(course_id=course_id, changed_by=by, setting=setting, former=former, value=value))


def latest_changes(session: Session, course_id: int, assignment_id: int | None = None) -> Sequence[Change]:
    """Return the latest changes of a course and, if given, of an assignment: newest first, as many as a page shows."""
    wanted = select(Change).where(Change.course_id == course_id)
    wanted = wanted.where(or_(Change.assignment_id.is_(None), Change.assignment_id == assignment_id))
    return session.scalars(wanted.order_by(Change.id.desc()).limit(_CHANGES_SHOWN)).all()


class Submission(Job, Base):
    """An upload with its grading. With `wants_entry` it enters each ladder of the assignment for which it qualifies.
    `qualifies` refers to the standard tournament; for other ladders, see `grader.assignment.ladders.qualifies_for`."""

    awaited = True

    __tablename__ = "submission"
    __table_args__ = (
        UniqueConstraint("author_id", "request_key"),
        Index("ix_submission_author", "assignment_id", "author_id", "id", "qualifies", "points"),
        Index("ix_submission_times", "assignment_id", "queued_at", "author_id", "finished_at"),  # for charts
        Index("ix_submission_finished", "finished_at", "state"),  # for the fair order; see `grader.store.queue`
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"))
    author_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"))
    filename: Mapped[str]
    archive: Mapped[bytes | None] = mapped_column(LargeBinary, default=None, deferred=True)  # all files of a program
    needs: Mapped[str] = mapped_column(default="", server_default="")  # languages that a worker must offer: `c11 cpp17`
    wants_entry: Mapped[bool]
    entry_name: Mapped[str]  # the author's pseudonym, under which it enters
    request_key: Mapped[str | None] = mapped_column(default=None)  # the client's, to recognize a repeated upload
    trace: Mapped[str | None] = mapped_column(default=None)  # its id in the log; see `tournament.work.runner`
    progress: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)  # live progress of the grading
    report: Mapped[bytes | None] = mapped_column(LargeBinary, default=None, deferred=True)  # as `pack` returns it
    qualifies: Mapped[bool | None] = mapped_column(default=None)
    points: Mapped[float | None] = mapped_column(default=None)
    version: Mapped[int | None] = mapped_column(default=None)  # the assignment's version that the report is based on
    regraded_at: Mapped[datetime | None] = mapped_column(default=None)  # when this report replaced the former report
    question_points: Mapped[dict[str, float] | None] = mapped_column(JSON(none_as_null=True), default=None)

    assignment: Mapped[Assignment] = relationship()
    player: Mapped[Player] = relationship()
    outcomes: Mapped[list["Outcome"]] = relationship(order_by="Outcome.tournament_id")
    trial: Mapped[Trial | None] = relationship(
        primaryjoin=lambda: and_(
            foreign(Submission.assignment_id) == Trial.assignment_id, foreign(Submission.player_id) == Trial.player_id
        ),
        viewonly=True,
    )

    @property
    def at_fault(self) -> bool:
        """Whether the file was at fault in a trial game, so that it cannot enter."""
        return self.trial is not None and self.trial.failed

    def was_parked(self) -> None:
        """Notify the author immediately: they can upload again, and the failure was not their fault."""
        session = object_session(self)
        if session is not None:
            link: Link = ("submission", self.id, f"Submission {self.id}")
            subject = f"{self.filename} could not be graded"
            tell(session, self.author_id, self.assignment_id, subject, PARKED, [link], NoticeKind.TROUBLE)

    def outcome_in(self, tournament: Tournament) -> "Outcome | None":
        """Return the outcome of this submission in a tournament; None if it was not meant to enter, or did not
        qualify."""
        return next((outcome for outcome in self.outcomes if outcome.tournament_id == tournament.id), None)


class Outcome(Base):
    """The outcome of a qualifying submission in one of its assignment's tournaments: its entry, or the reason for a
    refusal (it can still be entered later). `wanted_from` is set while the submission waits for its trial games: the
    time when the entry was requested, by the upload or the button."""

    __tablename__ = "outcome"

    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"), primary_key=True)
    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournament.id"), primary_key=True)
    entry_id: Mapped[int | None] = mapped_column(ForeignKey("entry.id"), default=None)
    refusal: Mapped[str] = mapped_column(default="")
    wanted_from: Mapped[datetime | None] = mapped_column(default=None, index=True)

    entry: Mapped[Entry | None] = relationship()

    @property
    def entering(self) -> bool:
        """Whether the submission will enter automatically. It will not while its trial games wait to be started again
        after an internal error."""
        return self.wanted_from is not None and not self.refusal


class RegradeBatch(Base):
    """Submissions that are regraded for one reason. `asked_by` is None if the regrade was requested at the command
    line."""

    __tablename__ = "regrade_batch"

    id: Mapped[int] = mapped_column(primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"), index=True)
    asked_by: Mapped[int | None] = mapped_column(ForeignKey("user.id"))
    reason: Mapped[str]
    candidate: Mapped[str | None] = mapped_column(default=None, deferred=True)  # the definition of a dry run, as JSON
    needs: Mapped[str] = mapped_column(default="", server_default="")  # like that of a submission
    asked_at: Mapped[datetime] = mapped_column(default=now)
    ended_at: Mapped[datetime | None] = mapped_column(default=None)  # when everyone concerned was notified


class Regrade(Job, Base):
    """The regrade of one submission. After grading, the new report replaces the former report, which is stored here."""

    __tablename__ = "regrade"

    id: Mapped[int] = mapped_column(primary_key=True)
    batch_id: Mapped[int] = mapped_column(ForeignKey("regrade_batch.id"), index=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"), index=True)
    former: Mapped[bytes | None] = mapped_column(LargeBinary, default=None, deferred=True)
    difference: Mapped[dict[str, Any] | None] = mapped_column(JSON, default=None)  # see `grader.regrade.difference`
    changed: Mapped[bool | None] = mapped_column(default=None)
    told: Mapped[bool] = mapped_column(default=False)

    batch: Mapped[RegradeBatch] = relationship()
    submission: Mapped[Submission] = relationship()


# A course's students with their sections, and its time zone. Their tables belong to `web.site.models`.

_COURSE = table("course", column("id"), column("time_zone"))
_MEMBER = table("membership", column("user_id"), column("course_id"), column("role"), column("section"))
ALL = "all"


def sections(written: str) -> frozenset[str]:
    """Return the sections listed in a member's `section`, in lower case. The result is empty for “all”, and if no
    section is listed."""
    named = {" ".join(name.casefold().split()) for name in written.split(";")}
    return frozenset() if ALL in named else frozenset(named - {""})


def section_names(written: Iterable[str]) -> list[str]:
    """Return all sections listed in the `section` of these members, each in its most frequent spelling."""
    spelt = Counter(name for section in written for each in section.split(";") if (name := " ".join(each.split())))
    return sorted({name.casefold(): name for name in sorted(spelt, key=spelt.__getitem__)}.values(), key=str.casefold)


def students_of(session: Session, course_id: int) -> Sequence[int]:
    """Return the user ids of a course's students."""
    members = select(_MEMBER.c.user_id).where(_MEMBER.c.course_id == course_id, _MEMBER.c.role == "student")
    return session.scalars(members.order_by(_MEMBER.c.user_id)).all()


def sections_of(session: Session, course_id: int, user_id: int | None = None) -> dict[int, frozenset[str]]:
    """Return the sections of each student who has sections; with a `user_id`, only of that student."""
    wanted = select(_MEMBER.c.user_id, _MEMBER.c.section).where(_MEMBER.c.section != "")
    wanted = wanted.where(_MEMBER.c.course_id == course_id, _MEMBER.c.role == "student")
    if user_id is not None:
        wanted = wanted.where(_MEMBER.c.user_id == user_id)
    return {id_: sections(written) for id_, written in session.execute(wanted)}


def zone_of(session: Session, course_id: int) -> ZoneInfo:
    """Return a course's time zone, or UTC if the zone database no longer contains it."""
    return zone_or_utc(session.scalars(select(_COURSE.c.time_zone).where(_COURSE.c.id == course_id)).one())
