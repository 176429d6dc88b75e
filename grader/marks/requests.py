"""Students' requests about a report: to mark a question again, or to review a case that seems unfair. A request is open
until staff answer or decline it, or the student withdraws it. Each function works in the caller's transaction."""

from collections.abc import Collection, Sequence
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ColumnElement, ForeignKey, bindparam, func, select
from sqlalchemy.orm import Mapped, Session, contains_eager, mapped_column, relationship

from grader.store.models import Assignment, Submission
from tournament.store.database import Base, now, words
from tournament.store.notices import NoticeKind, tell
from tournament.store.validation import Refusal
from tournament.store.webhooks import CourseEvent, announce

LONGEST = 2000  # the maximum length of a request or an answer, in characters
MOST_OPEN = 10  # open requests of a student in an assignment


class RequestKind(StrEnum):
    """The kinds of requests."""

    REMARK = "re-mark"
    UNFAIR = "unfair case"


class RequestState(StrEnum):
    """The states of a request."""

    OPEN = "open"
    ANSWERED = "answered"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"


class ReviewRequest(Base):
    """A request about a question of a submission. `question` is the question's slug."""

    __tablename__ = "review_request"

    id: Mapped[int] = mapped_column(primary_key=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"), index=True)
    question: Mapped[str]
    kind: Mapped[RequestKind] = mapped_column(words(RequestKind))
    text: Mapped[str]
    state: Mapped[RequestState] = mapped_column(words(RequestState), default=RequestState.OPEN)
    asked_at: Mapped[datetime] = mapped_column(default=now)
    answer: Mapped[str] = mapped_column(default="", server_default="")
    answered_by: Mapped[int | None] = mapped_column(ForeignKey("user.id"), default=None)
    answered_at: Mapped[datetime | None] = mapped_column(default=None)

    submission: Mapped[Submission] = relationship()


class RequestRefused(Refusal):
    """A request cannot be made or answered; the message says why."""


def ask(session: Session, submission: Submission, question: str, kind: RequestKind, text: str) -> ReviewRequest:
    """Create a request about a question of the author's own submission. Raises RequestRefused."""
    text = _checked_request(text, "Say what staff should look at, and why.")
    wanted = select(ReviewRequest).join(ReviewRequest.submission).where(ReviewRequest.state == RequestState.OPEN)
    own = Submission.author_id == submission.author_id, Submission.assignment_id == submission.assignment_id
    present = session.scalars(wanted.where(*own)).all()
    if any((each.submission_id, each.question) == (submission.id, question) for each in present):
        raise RequestRefused(
            "You have already asked about this question. Withdraw that request before you write another."
        )
    if len(present) >= MOST_OPEN:
        raise RequestRefused(f"You have {MOST_OPEN} open requests in this assignment. Wait for an answer first.")
    row = ReviewRequest(submission_id=submission.id, question=question, kind=kind, text=text)
    session.add(row)
    subject = f"{submission.assignment.title}: a student asks about {question} ({kind})"
    announce(session, submission.assignment_id, CourseEvent.REQUEST, subject)
    return row


def answer(session: Session, id_: int, by: int, state: RequestState, text: str) -> None:
    """Answer or decline an open request, and notify its author. Raises RequestRefused."""
    row, text = _open_request(session, id_), _checked_request(text, "Write an answer for the student.")
    if state not in (RequestState.ANSWERED, RequestState.DECLINED):
        raise RequestRefused("A request can be answered or declined.")
    row.state, row.answer, row.answered_by, row.answered_at = state, text, by, now()
    submission = row.submission
    subject = f"Your request about {submission.filename} was {state}"
    link = ("submission", submission.id, "Show the report")
    tell(session, submission.author_id, submission.assignment_id, subject, text, [link], NoticeKind.ANSWER)


def withdraw(session: Session, id_: int) -> None:
    """Withdraw an open request. Raises RequestRefused."""
    _open_request(session, id_).state = RequestState.WITHDRAWN


def of_submission(session: Session, submission_id: int) -> Sequence[ReviewRequest]:
    """Return the requests about a submission, the latest first."""
    return session.scalars(_OF_SUBMISSION, {"submission": submission_id}).all()


_OF_SUBMISSION = (
    select(ReviewRequest)
    .where(ReviewRequest.submission_id == bindparam("submission"))
    .order_by(ReviewRequest.id.desc())
)


def queue(
    session: Session,
    assignment_id: int,
    state: RequestState,
    authors: Collection[int] | None,
    limit: int,
    skipped: int = 0,
) -> Sequence[ReviewRequest]:
    """Return the requests in this state, by these authors (None: all). Open requests are listed oldest first, others
    latest first."""
    wanted = select(ReviewRequest).join(ReviewRequest.submission).options(contains_eager(ReviewRequest.submission))
    wanted = wanted.where(
        Submission.assignment_id == assignment_id, ReviewRequest.state == state, *_by_authors(authors)
    )
    order = ReviewRequest.id if state is RequestState.OPEN else ReviewRequest.id.desc()
    return session.scalars(wanted.order_by(order).limit(limit).offset(skipped)).all()


def numbers(session: Session, assignment_id: int, authors: Collection[int] | None) -> dict[RequestState, int]:
    """Return the number of requests in each state, by these authors (None: all)."""
    wanted = select(ReviewRequest.state, func.count()).join(ReviewRequest.submission)
    wanted = wanted.where(Submission.assignment_id == assignment_id, *_by_authors(authors))
    return dict(session.execute(wanted.group_by(ReviewRequest.state)).all())


def open_numbers(session: Session, course_id: int, authors: Collection[int] | None) -> dict[int, int]:
    """Return the number of open requests in each assignment of a course, by these authors (None: all)."""
    wanted = select(Submission.assignment_id, func.count()).select_from(ReviewRequest).join(ReviewRequest.submission)
    wanted = wanted.join(Assignment, Assignment.id == Submission.assignment_id)
    wanted = wanted.where(
        Assignment.course_id == course_id, ReviewRequest.state == RequestState.OPEN, *_by_authors(authors)
    )
    return dict(session.execute(wanted.group_by(Submission.assignment_id)).all())


def _by_authors(authors: Collection[int] | None) -> list[ColumnElement[bool]]:
    return [] if authors is None else [Submission.author_id.in_(authors)]


def _open_request(session: Session, id_: int) -> ReviewRequest:
    row = session.get_one(ReviewRequest, id_, with_for_update=True, populate_existing=True)
    if row.state is not RequestState.OPEN:
        raise RequestRefused(f"This request is no longer open: it has been {row.state} in the meantime.")
    return row


def _checked_request(text: str, missing: str) -> str:
    text = text.strip()
    if not text:
        raise RequestRefused(missing)
    if len(text) > LONGEST:
        raise RequestRefused(f"This has {len(text):,} characters; at most {LONGEST:,} are allowed.")
    return text
