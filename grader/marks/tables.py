"""Database tables for marks: schemes, students' choices, staff decisions and publications. Each function works in the
caller's transaction."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import JSON, ForeignKey, bindparam, false, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, Session, mapped_column

from grader.marks.mark import NOTHING_DECIDED, Decision
from grader.marks.scheme import CourseScheme, LatePolicy, MarkScheme, lateness_in_words
from grader.store.models import Assignment, note_change
from tournament.store.database import Base, columns, now
from tournament.store.validation import ChangedMeanwhile


class Marking(Base):
    """The rules for an assignment's marks (see `grader.marks.scheme`). `revision` counts the changes, so that nobody
    overwrites unseen changes."""

    __tablename__ = "marking"

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"), primary_key=True)
    scheme: Mapped[dict[str, Any]] = mapped_column(JSON)
    revision: Mapped[int] = mapped_column(default=1)


class CourseMarking(Base):
    """The rules for the total of a course."""

    __tablename__ = "course_marking"

    course_id: Mapped[int] = mapped_column(ForeignKey("course.id"), primary_key=True)
    scheme: Mapped[dict[str, Any]] = mapped_column(JSON)
    revision: Mapped[int] = mapped_column(default=1)


class ChosenUpload(Base):
    """The submission that a student has chosen to count."""

    __tablename__ = "chosen_upload"

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), primary_key=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"))


class StaffDecision(Base):
    """The decision of staff about the mark of one student; see `grader.marks.mark.Decision`."""

    __tablename__ = "staff_decision"

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), primary_key=True)
    rubric: Mapped[dict[str, float]] = mapped_column(JSON, default=dict)
    remark: Mapped[str] = mapped_column(default="")
    excused: Mapped[bool] = mapped_column(default=False, server_default=false())
    override: Mapped[float | None] = mapped_column(default=None)
    reason: Mapped[str] = mapped_column(default="")
    decided_by: Mapped[int] = mapped_column(ForeignKey("user.id"))
    decided_at: Mapped[datetime] = mapped_column(default=now)
    revision: Mapped[int] = mapped_column(default=1)


class MarkingHold(Base):
    """Records which student a member of staff is marking. Colleagues see this, and are offered other students. A hold
    does not prevent others from marking, and ends after HELD."""

    __tablename__ = "marking_hold"

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"), primary_key=True)
    held_by: Mapped[int] = mapped_column(ForeignKey("user.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), index=True)
    since: Mapped[datetime] = mapped_column(default=now)
    seen_at: Mapped[datetime] = mapped_column(default=now)


HELD: Final = timedelta(minutes=15)
"""How long a member of staff is assumed to be marking after last opening the page or saving."""


def hold(session: Session, assignment_id: int, user_id: int, by: int, at: datetime) -> None:
    """Record that a member of staff is marking a student. This replaces the staff member's former hold in this
    assignment."""
    row = session.get(MarkingHold, (assignment_id, by), with_for_update=True)
    if row is None or row.user_id != user_id or row.seen_at < at - HELD:
        fresh = MarkingHold(assignment_id=assignment_id, held_by=by, user_id=user_id, since=at, seen_at=at)
        with suppress(IntegrityError), session.begin_nested():  # the same person opened two students at once
            session.merge(fresh)
    else:
        row.seen_at = at


def held(session: Session, assignment_id: int, but: int, at: datetime) -> dict[int, MarkingHold]:
    """Return the holds of other members of staff, by student."""
    wanted = select(MarkingHold).where(MarkingHold.assignment_id == assignment_id, MarkingHold.held_by != but)
    return {row.user_id: row for row in session.scalars(wanted.where(MarkingHold.seen_at > at - HELD))}


class MarksPublication(Base):
    """A publication of an assignment's marks. `header` contains the rules. Published marks never change."""

    __tablename__ = "marks_publication"

    id: Mapped[int] = mapped_column(primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"), index=True)
    header: Mapped[dict[str, Any]] = mapped_column(JSON)
    published_by: Mapped[int] = mapped_column(ForeignKey("user.id"))
    published_at: Mapped[datetime] = mapped_column(default=now)
    withdrawn_at: Mapped[datetime | None] = mapped_column(default=None)  # also set when a new publication follows


class PublishedMark(Base):
    """The published mark of one student; `account` contains its calculation."""

    __tablename__ = "published_mark"

    publication_id: Mapped[int] = mapped_column(ForeignKey("marks_publication.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), primary_key=True)
    total: Mapped[float | None] = mapped_column(default=None)
    excused: Mapped[bool] = mapped_column(default=False, server_default=false())
    account: Mapped[dict[str, Any]] = mapped_column(JSON)


DEFAULT, COURSE_DEFAULT = MarkScheme(), CourseScheme()


def scheme_of(session: Session, assignment_id: int) -> MarkScheme:
    """Return the scheme of an assignment, which is the default until somebody changes it."""
    row = session.get(Marking, assignment_id)
    return MarkScheme.model_validate(row.scheme) if row else DEFAULT


def told_of(session: Session, assignment_id: int) -> tuple[str, bool]:
    """Return the late policy in words ("" for the default policy), and whether marks are published, for pages of an
    assignment."""
    scheme, course, published = columns(session, _TOLD, {"assignment": assignment_id}).one()
    policy = MarkScheme.model_validate(scheme).late if scheme else DEFAULT.late
    days = CourseScheme.model_validate(course).late_days if course else COURSE_DEFAULT.late_days
    return lateness_in_words(policy.within(days)) if policy != DEFAULT.late else "", published


_PUBLISHED = select(MarksPublication.id).where(
    MarksPublication.assignment_id == bindparam("assignment"), MarksPublication.withdrawn_at.is_(None)
)
_TOLD = select(
    select(Marking.scheme).where(Marking.assignment_id == bindparam("assignment")).scalar_subquery(),
    select(CourseMarking.scheme)
    .join(Assignment, Assignment.course_id == CourseMarking.course_id)
    .where(Assignment.id == bindparam("assignment"))
    .scalar_subquery(),
    _PUBLISHED.exists(),
)
"""Built once, because building the query takes longer than running it."""


def course_scheme(session: Session, course_id: int) -> CourseScheme:
    """Return the scheme of a course, which is the default until somebody changes it."""
    row = session.get(CourseMarking, course_id)
    return CourseScheme.model_validate(row.scheme) if row else COURSE_DEFAULT


def lateness_told(session: Session, course_id: int, policy: LatePolicy) -> str:
    """Describe the late policy of an assignment to the students of its course."""
    return lateness_in_words(policy.within(course_scheme(session, course_id).late_days))


def revision_of(session: Session, kind: type[Marking | CourseMarking], id_: int) -> int:
    """Return how often a scheme was changed. Forms send this number back, so that nobody overwrites unseen changes."""
    row: Any = session.get(kind, id_)
    return row.revision if row else 0


def store_scheme(session: Session, id_: int, scheme: MarkScheme | CourseScheme, was: int) -> None:
    """Replace the scheme of an assignment or a course. `was` is the revision that the editor saw. Raises
    ChangedMeanwhile."""
    kind: type[Marking | CourseMarking] = Marking if isinstance(scheme, MarkScheme) else CourseMarking
    row: Any = session.get(kind, id_, with_for_update=True, populate_existing=True)
    if (row.revision if row else 0) != was:
        raise ChangedMeanwhile
    data = scheme.model_dump(mode="json")
    if row:
        row.scheme, row.revision = data, row.revision + 1
    elif isinstance(scheme, MarkScheme):
        session.add(Marking(assignment_id=id_, scheme=data))
    else:
        session.add(CourseMarking(course_id=id_, scheme=data))
    try:
        session.flush()
    except IntegrityError:  # somebody else saved the first scheme at the same time
        raise ChangedMeanwhile from None


def publication_of(session: Session, assignment_id: int) -> MarksPublication | None:
    """Return the publication that students see; None if no marks are published."""
    wanted = select(MarksPublication).where(MarksPublication.assignment_id == assignment_id)
    wanted = wanted.where(MarksPublication.withdrawn_at.is_(None)).order_by(MarksPublication.id.desc())
    return session.scalars(wanted.limit(1)).first()


LONGEST = 2000  # the maximum length of a remark or a reason, in characters
MOST = 100_000  # the limit of a total that staff set


def refused(decision: Decision, scheme: MarkScheme) -> dict[str, str]:
    """Return what is wrong with a decision, by field. Fields of the rubric are named `rubric-` followed by the item's
    key."""
    problems, most = dict[str, str](), {each.key: each.most for each in scheme.rubric}
    for key, given in decision.rubric.items():
        if key not in most:
            problems[f"rubric-{key}"] = f"The rubric has no item “{key}”."
        elif not 0 <= given <= most[key]:
            problems[f"rubric-{key}"] = f"“{given:g}” is not a number from 0 to {most[key]:g}."
    if decision.override is not None and not 0 <= decision.override < MOST:
        problems["override"] = f"“{decision.override:g}” is not a number from 0 to {MOST:,}."
    if (decision.override is not None or decision.excused) and not decision.reason.strip():
        problems["reason"] = "Give a reason. The student sees it, and it is kept for the record."
    for name, text in {"reason": decision.reason, "remark": decision.remark}.items():
        if len(text) > LONGEST:
            problems[name] = f"This is longer than {LONGEST:,} characters."
    return problems


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision about a student. `called` is the student's name in the log. The decision's `revision` is the revision
    that the editor saw."""

    user_id: int
    called: str
    decision: Decision


def decide(session: Session, assignment_id: int, by: int, decided: Sequence[Decided], at: datetime) -> None:
    """Store decisions about students, with few queries. Raises ChangedMeanwhile if somebody else has changed a decision
    since."""
    wanted = select(StaffDecision).where(StaffDecision.assignment_id == assignment_id)
    wanted = wanted.where(StaffDecision.user_id.in_([each.user_id for each in decided]))
    locked = wanted.order_by(StaffDecision.user_id).with_for_update().execution_options(populate_existing=True)
    rows = {row.user_id: row for row in session.scalars(locked)}
    for each in decided:
        row, decision = rows.get(each.user_id), each.decision
        if (row.revision if row else 0) != decision.revision:
            raise ChangedMeanwhile
        former = NOTHING_DECIDED
        if row:
            former = Decision(row.rubric, row.remark, row.excused, row.override, row.reason, row.revision)
        if row is None:
            row = StaffDecision(assignment_id=assignment_id, user_id=each.user_id, revision=0)
            session.add(row)
        row.rubric, row.remark, row.excused = dict(decision.rubric), decision.remark, decision.excused
        row.override, row.reason, row.decided_by, row.decided_at = decision.override, decision.reason, by, at
        row.revision += 1
        note_change(session, assignment_id, by, f"Mark of {each.called}", _said_in_log(former), _said_in_log(decision))
    try:
        session.flush()
    except IntegrityError:  # somebody else stored the first decision about a student at the same time
        raise ChangedMeanwhile from None


def _said_in_log(decision: Decision) -> str:
    said = [f"{sum(decision.rubric.values()):g} given by hand"] if decision.rubric else []
    if decision.excused:
        said.append(f"excused ({decision.reason})")
    elif decision.override is not None:
        said.append(f"set to {decision.override:g} ({decision.reason})")
    return ", ".join(said) or "as calculated"
