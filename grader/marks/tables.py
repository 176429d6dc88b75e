"""Tables of the marks."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, false
from sqlalchemy.orm import Mapped, mapped_column

from tournament.store.database import Base, now


class Marking(Base):
    """How the marks of an assignment come about, see `grader.marks.scheme`. `revision` counts the changes, so that two
    people cannot undo each other's without seeing them."""

    __tablename__ = "marking"

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"), primary_key=True)
    scheme: Mapped[dict[str, Any]] = mapped_column(JSON)
    revision: Mapped[int] = mapped_column(default=1)


class CourseMarking(Base):
    """How the total of a course comes about."""

    __tablename__ = "course_marking"

    course_id: Mapped[int] = mapped_column(ForeignKey("course.id"), primary_key=True)
    scheme: Mapped[dict[str, Any]] = mapped_column(JSON)
    revision: Mapped[int] = mapped_column(default=1)


class ChosenUpload(Base):
    """The submission that a student wants to count."""

    __tablename__ = "chosen_upload"

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), primary_key=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"))


class StaffDecision(Base):
    """What staff decided about the mark of one student, see `grader.marks.mark.Decision`."""

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


class MarksPublication(Base):
    """Marks of an assignment as they were published. `header` says by what rules; the marks themselves never change."""

    __tablename__ = "marks_publication"

    id: Mapped[int] = mapped_column(primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"), index=True)
    header: Mapped[dict[str, Any]] = mapped_column(JSON)
    published_by: Mapped[int] = mapped_column(ForeignKey("user.id"))
    published_at: Mapped[datetime] = mapped_column(default=now)
    withdrawn_at: Mapped[datetime | None] = mapped_column(default=None)  # or replaced


class PublishedMark(Base):
    """One student's mark as it was published; `account` says how it came about."""

    __tablename__ = "published_mark"

    publication_id: Mapped[int] = mapped_column(ForeignKey("marks_publication.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), primary_key=True)
    total: Mapped[float | None] = mapped_column(default=None)
    excused: Mapped[bool] = mapped_column(default=False, server_default=false())
    account: Mapped[dict[str, Any]] = mapped_column(JSON)
