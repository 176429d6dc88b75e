"""Database tables of the grader: assignments and changes of their settings, submissions, and regrades; and the few
columns of a course's students that the grader reads."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import JSON, ForeignKey, Index, LargeBinary, UniqueConstraint, column, false, or_, select, table
from sqlalchemy.orm import Mapped, Session, mapped_column, object_session, relationship

from grader.definition.local_times import OwnDates, own_dates, zone_or_utc
from grader.definition.model import TRIAL_GAMES
from tournament.store.database import Base, now, words
from tournament.store.jobs import Job
from tournament.store.notices import NoticeKind, tell
from tournament.store.tables import Entry, Link, Player, Tournament

PARKED = (
    "This file could not be graded because of an internal error. You did nothing wrong: it costs you nothing, no "
    "cooldown starts, and you can upload again at once. Your instructor can see the error too."
)

AUTHORING_PARKED = (
    "An internal error happened several times in a row. Your draft is unchanged. Try again; if it happens again, tell "
    "the operator, who finds the error in the log."
)


class FullKit(StrEnum):
    """When students may download the full kit of an assignment, which has the game's own code."""

    NEVER = "never"
    AT_ONCE = "at once"
    AFTER_DEADLINE = "after deadline"  # after each student's own deadline


class Assignment(Base):
    """An assignment of a course. What it asks is in its versions; its tournaments refer to it. The columns from `title`
    to `custom_games_hour` have the values of the current version, with the changes that instructors have made since
    (see `grader.authoring.versions`). For `section_dates` see `grader.definition.local_times`. `game` is empty for a
    plain problem set. `version` is 0 until the first version is published; until then, only instructors see the
    assignment."""

    __tablename__ = "assignment"
    __table_args__ = (UniqueConstraint("course_id", "slug"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    course_id: Mapped[int] = mapped_column(ForeignKey("course.id"))
    slug: Mapped[str]
    title: Mapped[str]
    game: Mapped[str]
    version: Mapped[int] = mapped_column(default=0, server_default="0")
    visible_from: Mapped[datetime | None] = mapped_column(default=None)  # None: at once
    announced_at: Mapped[datetime | None] = mapped_column(default=None)  # to the webhooks of the course
    archived: Mapped[bool] = mapped_column(default=False, server_default=false())  # only instructors see it
    due_at: Mapped[datetime | None] = mapped_column(default=None)
    section_dates: Mapped[dict[str, dict[str, str]]] = mapped_column(JSON, default=dict, server_default="{}")
    gates: Mapped[dict[str, str]] = mapped_column(JSON, default=dict, server_default="{}")  # see `Gate`
    trial_games: Mapped[int] = mapped_column(default=TRIAL_GAMES, server_default=str(TRIAL_GAMES))  # before an entry
    # Games per hour for each member; 0: none
    custom_games_hour: Mapped[int] = mapped_column(default=20, server_default="20")
    full_kit: Mapped[FullKit] = mapped_column(words(FullKit), default=FullKit.NEVER, server_default=FullKit.NEVER.value)
    created_at: Mapped[datetime] = mapped_column(default=now)

    def dates_of(self, sections: Collection[str] = ()) -> OwnDates:
        """The dates of a student of these sections; see `grader.definition.local_times`."""
        return own_dates(OwnDates(self.visible_from, self.due_at), self.section_dates, sections)

    def is_public(self, at: datetime, sections: Collection[str] = ()) -> bool:
        """Whether students in these sections see the assignment. `web.site.access` has nearly the same condition as a
        database query."""
        released = self.dates_of(sections).visible_from
        return self.version > 0 and not self.archived and (released is None or released <= at)


class AssignmentVersion(Base):
    """A published definition of an assignment; it never changes."""

    __tablename__ = "assignment_version"
    __table_args__ = (UniqueConstraint("assignment_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"))
    number: Mapped[int]  # from 1
    definition: Mapped[str] = mapped_column(deferred=True)  # canonical JSON, see `grader.definition.model`
    digest: Mapped[str]
    summary: Mapped[str] = mapped_column(default="")  # what changed, for the log
    published_by: Mapped[int | None] = mapped_column(ForeignKey("user.id"), default=None)  # None: at the command line
    published_at: Mapped[datetime] = mapped_column(default=now)


class AssignmentDraft(Base):
    """What an instructor is writing: the contents of forms as they were typed, right or wrong."""

    __tablename__ = "assignment_draft"

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"), primary_key=True)
    base: Mapped[int]  # the number of the version that it started from
    revision: Mapped[int] = mapped_column(default=1)  # counts how often it was saved
    content: Mapped[dict[str, Any]] = mapped_column(JSON)  # like `Definition.model_dump(mode="json")`
    publish_at: Mapped[datetime | None] = mapped_column(default=None)
    saved_by: Mapped[int] = mapped_column(ForeignKey("user.id"))
    saved_at: Mapped[datetime] = mapped_column(default=now)


class CaseSet(Base):
    """The hidden cases of a question, as data. The key is a hash of what they are made from, so equal questions share a
    case set."""

    __tablename__ = "case_set"

    key: Mapped[str] = mapped_column(primary_key=True)
    cases: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)  # see `grader.authoring.papers`
    count: Mapped[int]
    made_at: Mapped[datetime] = mapped_column(default=now)


class AuthoringPurpose(StrEnum):
    """What a grading worker does with a draft."""

    CHECK = "check"  # everything that can be wrong with it
    TRY = "try"  # grade a file
    PUBLISH = "publish"  # check it, and make it the next version
    OUTPUTS = "outputs"  # make the expected outputs of a program question's cases from its solution


class AuthoringJob(Job, Base):
    """What an instructor asked a grading worker to do with a draft, since authors' code runs only in a jail. `base` and
    `revision` are the draft's (see `AssignmentDraft`). `result` has `problems`, each with its file, line and text, and
    other keys for each purpose (see `grader.authoring.jobs`). `report` is about a file that was tried."""

    __tablename__ = "authoring_job"

    id: Mapped[int] = mapped_column(primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"), index=True)
    purpose: Mapped[AuthoringPurpose] = mapped_column(words(AuthoringPurpose))
    definition: Mapped[str] = mapped_column(deferred=True)
    base: Mapped[int]
    revision: Mapped[int]
    filename: Mapped[str] = mapped_column(default="")  # of the file that is tried
    source: Mapped[bytes] = mapped_column(LargeBinary, default=b"", deferred=True)
    needs: Mapped[str] = mapped_column(default="", server_default="")  # like that of a submission
    asked_by: Mapped[int] = mapped_column(ForeignKey("user.id"))
    # Nobody is watching the page, so they get a notice
    scheduled: Mapped[bool] = mapped_column(default=False, server_default=false())
    progress: Mapped[str] = mapped_column(default="")  # what is being done, in words
    result: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    report: Mapped[bytes | None] = mapped_column(LargeBinary, default=None, deferred=True)

    assignment: Mapped[Assignment] = relationship()

    def was_parked(self) -> None:
        """Tell the person who asked for a publication, since they may have left the page."""
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
    """A change of one setting of an assignment; or of its course, then without an assignment. `former` and `value` are
    shown on the page as they are."""

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
    """Log a change of one of an assignment's settings. Nothing is logged if the value is unchanged."""
    if former != value:
        of = (
            select(Assignment.course_id).where(Assignment.id == assignment_id).scalar_subquery()
        )  # only builds the subquery; nothing is read yet
        change = Change(course_id=of, assignment_id=assignment_id, changed_by=by, setting=setting)
        change.former, change.value = former, value
        session.add(change)


def note_course_change(session: Session, course_id: int, by: int, setting: str, former: str, value: str) -> None:
    """Log a change that concerns a whole course. Nothing is logged if the value is unchanged."""
    if former != value:
        session.add(Change(course_id=course_id, changed_by=by, setting=setting, former=former, value=value))


def latest_changes(session: Session, course_id: int, assignment_id: int | None = None) -> Sequence[Change]:
    """The latest changes of a course and, if an assignment is given, of that assignment: newest first, as many as a
    page shows."""
    wanted = select(Change).where(Change.course_id == course_id)
    wanted = wanted.where(or_(Change.assignment_id.is_(None), Change.assignment_id == assignment_id))
    return session.scalars(wanted.order_by(Change.id.desc()).limit(_CHANGES_SHOWN)).all()


class Submission(Job, Base):
    """An upload, which is graded once. With `wants_entry` it enters each ladder of the assignment for which it
    qualifies. `qualifies` is about the standard tournament; for the others see
    `grader.assignment.ladders.qualifies_for`."""

    awaited = True

    __tablename__ = "submission"
    __table_args__ = (
        UniqueConstraint("author_id", "request_key"),
        Index("ix_submission_author", "assignment_id", "author_id", "id", "qualifies", "points"),
        Index("ix_submission_times", "assignment_id", "queued_at", "author_id", "finished_at"),  # for charts
        Index("ix_submission_finished", "finished_at", "state"),  # for the fair order, see `grader.store.queue`
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"))
    author_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"))
    filename: Mapped[str]
    archive: Mapped[bytes | None] = mapped_column(LargeBinary, default=None, deferred=True)  # all files of a program
    needs: Mapped[str] = mapped_column(default="", server_default="")  # what a worker must have: `c11 cpp17`
    wants_entry: Mapped[bool]
    entry_name: Mapped[str]  # the author's pseudonym, under which it enters
    request_key: Mapped[str | None] = mapped_column(default=None)  # the client's: a repeated upload is the same one
    trace: Mapped[str | None] = mapped_column(default=None)  # its id in the log, see `tournament.work.runner`
    progress: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)  # live progress of the grading
    report: Mapped[bytes | None] = mapped_column(LargeBinary, default=None, deferred=True)  # see `Gate`
    qualifies: Mapped[bool | None] = mapped_column(default=None)
    points: Mapped[float | None] = mapped_column(default=None)
    version: Mapped[int | None] = mapped_column(default=None)  # of the assignment, with which the report was made
    regraded_at: Mapped[datetime | None] = mapped_column(default=None)  # when this report replaced a former one
    question_points: Mapped[dict[str, float] | None] = mapped_column(JSON(none_as_null=True), default=None)

    assignment: Mapped[Assignment] = relationship()
    player: Mapped[Player] = relationship()
    outcomes: Mapped[list["Outcome"]] = relationship(order_by="Outcome.tournament_id")

    def was_parked(self) -> None:
        """Tell the author at once: they may upload again, and the failure was not their fault."""
        session = object_session(self)
        if session is not None:
            link: Link = ("submission", self.id, f"Submission {self.id}")
            subject = f"{self.filename} could not be graded"
            tell(session, self.author_id, self.assignment_id, subject, PARKED, [link], NoticeKind.TROUBLE)

    def outcome_in(self, tournament: Tournament) -> "Outcome | None":
        """The outcome of this submission in a tournament; None if it was not meant to enter there, or did not
        qualify."""
        return next((outcome for outcome in self.outcomes if outcome.tournament_id == tournament.id), None)


class Outcome(Base):
    """The outcome of a qualifying submission in one of its assignment's tournaments: its entry, or why it was refused
    (it can still be entered later). `wanted_from` is set while it waits for its trial games: the time when the upload,
    or the button, asked for the entry."""

    __tablename__ = "outcome"

    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"), primary_key=True)
    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournament.id"), primary_key=True)
    entry_id: Mapped[int | None] = mapped_column(ForeignKey("entry.id"), default=None)
    refusal: Mapped[str] = mapped_column(default="")
    wanted_from: Mapped[datetime | None] = mapped_column(default=None, index=True)

    entry: Mapped[Entry | None] = relationship()

    @property
    def entering(self) -> bool:
        """Whether it will enter by itself. This is not so while its trial games wait to be started again after an
        internal error."""
        return self.wanted_from is not None and not self.refusal


class RegradeBatch(Base):
    """Submissions that are graded again for one reason. `asked_by` is None if the command line asked for it."""

    __tablename__ = "regrade_batch"

    id: Mapped[int] = mapped_column(primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"), index=True)
    asked_by: Mapped[int | None] = mapped_column(ForeignKey("user.id"))
    reason: Mapped[str]
    candidate: Mapped[str | None] = mapped_column(default=None, deferred=True)  # the definition of a dry run, as JSON
    needs: Mapped[str] = mapped_column(default="", server_default="")  # like that of a submission
    asked_at: Mapped[datetime] = mapped_column(default=now)
    ended_at: Mapped[datetime | None] = mapped_column(default=None)  # when everyone concerned was told


class Regrade(Job, Base):
    """A submission that is graded once more. When that is done, the new report replaces the former one, which is kept
    here."""

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


# The students of a course with their sections, and its time zone. Their tables belong to `web.site.models`.

_COURSE = table("course", column("id"), column("time_zone"))
_MEMBER = table("membership", column("user_id"), column("course_id"), column("role"), column("section"))
ALL = "all"


def sections(written: str) -> frozenset[str]:
    """The sections listed in a member's `section`, in lower case. The result is empty for “all”, and if none is
    listed."""
    named = {" ".join(name.casefold().split()) for name in written.split(";")}
    return frozenset() if ALL in named else frozenset(named - {""})


def section_names(written: Iterable[str]) -> list[str]:
    """All sections listed in the `section` of these members, each in the spelling that most of them use."""
    spelt = Counter(name for section in written for each in section.split(";") if (name := " ".join(each.split())))
    return sorted({name.casefold(): name for name in sorted(spelt, key=spelt.__getitem__)}.values(), key=str.casefold)


def students_of(session: Session, course_id: int) -> Sequence[int]:
    """The user ids of a course's students."""
    members = select(_MEMBER.c.user_id).where(_MEMBER.c.course_id == course_id, _MEMBER.c.role == "student")
    return session.scalars(members.order_by(_MEMBER.c.user_id)).all()


def sections_of(session: Session, course_id: int, user_id: int | None = None) -> dict[int, frozenset[str]]:
    """The sections of each student who has any; with a `user_id`, only of that student."""
    wanted = select(_MEMBER.c.user_id, _MEMBER.c.section).where(_MEMBER.c.section != "")
    wanted = wanted.where(_MEMBER.c.course_id == course_id, _MEMBER.c.role == "student")
    if user_id is not None:
        wanted = wanted.where(_MEMBER.c.user_id == user_id)
    return {id_: sections(written) for id_, written in session.execute(wanted)}


def zone_of(session: Session, course_id: int) -> ZoneInfo:
    """A course's time zone; UTC if the time-zone database no longer has it."""
    return zone_or_utc(session.scalars(select(_COURSE.c.time_zone).where(_COURSE.c.id == course_id)).one())
