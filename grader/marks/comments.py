"""Comments by staff on lines of an upload. A comment belongs to one upload and does not move to later uploads. It is
visible only to the upload's author and the staff responsible for the author. Each function works in the caller's
transaction."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ForeignKey, bindparam, select
from sqlalchemy.orm import Mapped, Session, contains_eager, mapped_column, relationship

from grader.store.models import Assignment, Submission
from tournament.store.database import Base, now
from tournament.store.notices import NoticeKind, tell, unread_about
from tournament.store.tables import Link, Notice
from tournament.store.validation import ChangedMeanwhile, Refusal

LONGEST = 2000  # the maximum length of a comment, in characters
OFFERED = 20  # the number of earlier comments offered for reuse
LINKS = 20  # the maximum number of links in a notice


class CodeComment(Base):
    """A comment on a line, counted from 1, of a file of a submission. `revision` counts its changes, so that nobody
    overwrites unseen changes. Deleted comments are kept so that they can be restored."""

    __tablename__ = "code_comment"

    id: Mapped[int] = mapped_column(primary_key=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"), index=True)
    path: Mapped[str]
    line: Mapped[int]
    text: Mapped[str]
    written_by: Mapped[int] = mapped_column(ForeignKey("user.id"), index=True)
    written_at: Mapped[datetime] = mapped_column(default=now)
    changed_by: Mapped[int | None] = mapped_column(ForeignKey("user.id"), default=None)
    changed_at: Mapped[datetime | None] = mapped_column(default=None)
    deleted_at: Mapped[datetime | None] = mapped_column(default=None)
    revision: Mapped[int] = mapped_column(default=1, server_default="1")

    submission: Mapped[Submission] = relationship()

    @property
    def place(self) -> str:
        """The place of the comment, in words."""
        return f"Line {self.line} of {self.path}"


@dataclass(frozen=True, slots=True)
class CommentCount:
    """The number of comments on a submission, and how many of them are in a notice that the author has not read."""

    all: int
    new: int


class CommentRefused(Refusal):
    """A comment cannot be written or changed; the message says why."""


def comment_on(session: Session, submission: Submission, by: int, place: tuple[str, int], text: str) -> CodeComment:
    """Write a comment at `place`, which is a file's path and a line number, and notify the author. Raises
    CommentRefused."""
    path, line = place
    row = CodeComment(submission_id=submission.id, path=path, line=line, text=_checked_comment(text), written_by=by)
    session.add(row)
    session.flush()
    _tell_of_comment(session, submission, row)
    return row


def edit_comment(session: Session, id_: int, by: int, text: str, was: int) -> None:
    """Change a comment. `was` is the revision that the editor saw. Raises CommentRefused and ChangedMeanwhile."""
    row, text = _locked_comment(session, id_), _checked_comment(text)
    if row.deleted_at:
        raise ChangedMeanwhile("This comment has been deleted in the meantime. Your text was not saved.")
    if row.revision != was:
        raise ChangedMeanwhile(
            "Somebody else has changed this comment since you read it, so your text was not saved. Read the comment as "
            "it is now; save again to replace it."
        )
    if row.text != text:
        row.text, row.changed_by, row.changed_at, row.revision = text, by, now(), was + 1


def delete_comment(session: Session, id_: int) -> None:
    """Delete a comment, and remove its link from an unread notice."""
    row = _locked_comment(session, id_)
    if row.deleted_at is None:
        row.deleted_at, submission = now(), row.submission
        for notice in _unread_notices(session, submission):
            notice.links = [link for link in notice.links if link[1] != id_]
            if not notice.links:
                session.delete(notice)


def restore_comment(session: Session, id_: int) -> None:
    """Restore a deleted comment."""
    row = _locked_comment(session, id_)
    if row.deleted_at is not None:
        row.deleted_at = None
        _tell_of_comment(session, row.submission, row)


def comments_on(session: Session, submission_ids: Sequence[int]) -> Sequence[CodeComment]:
    """Return the comments on these submissions, in the order of their lines."""
    return session.scalars(_ON, {"submissions": submission_ids}).all()


_ON = (
    select(CodeComment)
    .where(CodeComment.submission_id.in_(bindparam("submissions", expanding=True)), CodeComment.deleted_at.is_(None))
    .order_by(CodeComment.submission_id, CodeComment.path, CodeComment.line, CodeComment.id)
)


def comment_counts(session: Session, author_id: int, submission_ids: Sequence[int]) -> dict[int, CommentCount]:
    """Count the comments on these submissions of one student, by submission."""
    wanted = select(CodeComment.id, CodeComment.submission_id).where(CodeComment.deleted_at.is_(None))
    of = dict(session.execute(wanted.where(CodeComment.submission_id.in_(submission_ids))).all())
    notices = unread_about(session, author_id, "comment", of) if of else ()
    new = Counter(of[id_] for notice in notices for kind, id_, _ in notice.links if kind == "comment" and id_ in of)
    every = Counter(of.values())
    return {each: CommentCount(every[each], new[each]) for each in submission_ids}


def earlier_comments(session: Session, course_id: int, by: int) -> list[CodeComment]:
    """Return the latest comments that a person has written in a course, newest first, without repeated texts."""
    wanted = select(CodeComment).join(CodeComment.submission).join(Submission.assignment)
    wanted = wanted.options(contains_eager(CodeComment.submission))
    own = Assignment.course_id == course_id, CodeComment.written_by == by, CodeComment.deleted_at.is_(None)
    rows = session.scalars(wanted.where(*own).order_by(CodeComment.id.desc()).limit(10 * OFFERED))
    texts: dict[str, CodeComment] = {}
    for row in rows:
        texts.setdefault(row.text, row)
    return [*texts.values()][:OFFERED]


def _tell_of_comment(session: Session, submission: Submission, row: CodeComment) -> None:
    """Notify the author of a comment: add a link to an unread notice about this submission, or else leave a new
    notice."""
    if row.written_by == submission.author_id:
        return
    link: Link = ("comment", row.id, row.place)
    for notice in _unread_notices(session, submission)[:1]:
        notice.links = [*notice.links, link][:LINKS]
        return
    subject = f"There are comments on {submission.filename}"
    text = f"Staff have commented on lines of your submission {submission.id}."
    tell(session, submission.author_id, submission.assignment_id, subject, text, [link], NoticeKind.COMMENT)


def _unread_notices(session: Session, submission: Submission) -> list[Notice]:
    ids = session.scalars(select(CodeComment.id).where(CodeComment.submission_id == submission.id)).all()
    return unread_about(session, submission.author_id, "comment", ids)


def _locked_comment(session: Session, id_: int) -> CodeComment:
    return session.get_one(CodeComment, id_, with_for_update=True, populate_existing=True)


def _checked_comment(text: str) -> str:
    text = text.replace("\r\n", "\n").strip()
    if not text:
        raise CommentRefused("Write a comment. The student will see it at this line.")
    if len(text) > LONGEST:
        raise CommentRefused(f"This has {len(text):,} characters; at most {LONGEST:,} are allowed.")
    return text
