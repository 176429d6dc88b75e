"""Publishes and withdraws marks, and writes the record of a publication. Each function works in the caller's
transaction."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from grader.assignment.deadline import last_deadline
from grader.grading.report import unpack, warning_cost
from grader.marks.book import MarkBook, totals_of
from grader.marks.mark import MarkAccount, account
from grader.marks.record_check import FORMAT, CaseCount, inputs_of
from grader.marks.tables import MarksPublication, PublishedMark, publication_of
from grader.store.models import Assignment, Regrade, RegradeBatch, Submission, note_change
from tournament.final.record import canonical_json
from tournament.store.jobs import PENDING, UNFINISHED
from tournament.store.notices import NoticeKind, tell
from tournament.store.validation import Refusal
from tournament.store.webhooks import CourseEvent, announce

BATCH = 500  # reports read at a time


class NotPublishable(Refusal):
    """The marks cannot be published now; the message says why, and what to do."""


def check(session: Session, assignment: Assignment) -> None:
    """Raise NotPublishable if work in progress can still change a mark."""
    batches = select(RegradeBatch.id).where(
        RegradeBatch.assignment_id == assignment.id, RegradeBatch.candidate.is_(None)
    )
    regrades = select(func.count()).where(Regrade.batch_id.in_(batches), Regrade.state.in_(UNFINISHED))
    if number := session.scalar(regrades):
        raise NotPublishable(
            f"{number} {'submission is' if number == 1 else 'submissions are'} being graded again, which may change "
            "marks. Publish once that is done, or cancel the regrade on its page."
        )


def pending(session: Session, assignment: Assignment) -> int:
    """Return how many uploads from before the deadline are not graded yet."""
    waiting = [Submission.assignment_id == assignment.id, Submission.state.in_(PENDING)]
    if due := last_deadline(session, assignment):
        waiting.append(Submission.queued_at <= due)
    return session.scalar(select(func.count()).where(*waiting)) or 0


def publish(session: Session, book: MarkBook, by: int, at: datetime, zone: ZoneInfo) -> int:
    """Show every student their own mark, and notify the students whose mark is new or has changed. Returns the number
    of marks. Raises NotPublishable."""
    check(session, book.assignment)
    id_, publication = book.assignment.id, publication_of(session, book.assignment.id)
    former = totals_of(session, publication) if publication else None
    rules, cases = book.rules(zone), _case_counts(session, book)
    withdraw(session, id_, at)
    header = {
        "format": FORMAT,
        "course": book.assignment.course_id,
        "assignment": book.assignment.slug,
        "title": book.assignment.title,
        "version": book.assignment.version,
        "most": book.most,
        **rules.model_dump(mode="json"),
    }
    row = MarksPublication(assignment_id=id_, header=header, published_by=by, published_at=at)
    session.add(row)
    session.flush()
    for user_id, mark in book.marks.items():
        told, upload = account(rules, mark), mark.upload
        inputs = inputs_of(mark, cases.get(upload.submission_id, {}) if upload else {})
        plain = {**told.model_dump(mode="json"), "inputs": inputs.model_dump(mode="json")}
        session.add(
            PublishedMark(publication_id=row.id, user_id=user_id, total=mark.total, excused=told.excused, account=plain)
        )
    _tell_students(session, book, former)
    was = "not published" if former is None else "previously published"
    note_change(session, id_, by, "Marks", was, f"{len(book.marks)} published")
    session.flush()
    return len(book.marks)


def _case_counts(session: Session, book: MarkBook) -> dict[int, dict[str, CaseCount]]:
    """Return the numbers of cases passed, by question, for each submission that counts."""
    counted = [mark.upload.submission_id for mark in book.marks.values() if mark.upload]
    asked, found = {each.slug: each for each in book.definition.asked}, dict[int, dict[str, CaseCount]]()
    for start in range(0, len(counted), BATCH):
        some = Submission.id.in_(counted[start : start + BATCH])
        wanted = select(Submission.id, Submission.report).where(some)
        for id_, packed in session.execute(wanted):
            found[id_] = {
                each.slug: CaseCount(
                    passed=each.passed,
                    total=each.total,
                    most=each.max_points,
                    cost=float(warning_cost(asked[each.slug], each.build)),
                )
                for each in (unpack(packed).questions if packed else ())
                if each.slug in asked
            }
    return found


def _tell_students(session: Session, book: MarkBook, former: Mapping[int, float | None] | None) -> None:
    title, id_ = book.assignment.title, book.assignment.id
    if former is None or any(former.get(each) != mark.total for each, mark in book.marks.items()):
        subject = f"{title}: marks are published" if former is None else f"{title}: marks have changed"
        announce(session, id_, CourseEvent.MARKS, subject)
    for user_id, mark in book.marks.items():
        if former is None or former.get(user_id) != mark.total:
            words = "Your mark is published" if former is None else "Your mark has changed"
            text = "Its page shows how it was calculated, step by step."
            link = ("mark", id_, "Your mark")
            tell(session, user_id, id_, f"{title}: {words.lower()}", text, [link], NoticeKind.MARKS)


def withdraw(session: Session, assignment_id: int, at: datetime) -> bool:
    """Withdraw the published marks, which remain in the record. Returns False if no marks are published."""
    if row := publication_of(session, assignment_id):
        row.withdrawn_at = at
        session.flush()
    return row is not None


def unpublish(session: Session, assignment: Assignment, by: int, at: datetime) -> None:
    """Hide the published marks from students. Raises NotPublishable if no marks are published."""
    if not withdraw(session, assignment.id, at):
        raise NotPublishable("No marks for this assignment are published.")
    note_change(session, assignment.id, by, "Marks", "published", "withdrawn")


def own_account(session: Session, assignment_id: int, user_id: int) -> tuple[MarksPublication, MarkAccount] | None:
    """Return a student's published mark with its publication, or None."""
    publication = publication_of(session, assignment_id)
    row = session.get(PublishedMark, (publication.id, user_id)) if publication else None
    return (publication, MarkAccount.model_validate(row.account)) if publication and row else None


def own_accounts(session: Session, user_id: int) -> dict[int, MarkAccount]:
    """Return all published marks of a student, by assignment."""
    published = MarksPublication.id == PublishedMark.publication_id, MarksPublication.withdrawn_at.is_(None)
    wanted = select(MarksPublication.assignment_id, PublishedMark.account).where(*published)
    rows = session.execute(wanted.where(PublishedMark.user_id == user_id))
    return {assignment: MarkAccount.model_validate(told) for assignment, told in rows}


def record(session: Session, publication: MarksPublication, people: Mapping[int, Mapping[str, str]]) -> Iterator[str]:
    """Yield the lines of the record of a publication, ready to be signed: the publication, its rules, and each mark
    with its steps and their inputs. `people` contains the data to include about each student."""
    head: dict[str, Any] = {"record": "marks", "number": publication.id, "at": publication.published_at.isoformat()}
    yield canonical_json({**head, **publication.header, "withdrawn": publication.withdrawn_at is not None})
    wanted = select(PublishedMark).where(PublishedMark.publication_id == publication.id)
    for row in session.scalars(wanted.order_by(PublishedMark.user_id)):
        yield canonical_json({"student": row.user_id, **people.get(row.user_id, {}), **row.account})
