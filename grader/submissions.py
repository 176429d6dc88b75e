"""Submissions in the database: uploading, storing what the grading found, and reading it. Entering tournaments is in
`grader.entering`.

Each function works in the caller's transaction (`tournament.store.database.writing`). Messages go out after its commit.
"""

import logging
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from hashlib import sha256
from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session, defer, selectinload

from grader.entering import check_entry, enter_all
from grader.models import Assignment, Outcome, Submission
from grader.outcomes import Send, ask_for_trial
from grader.queue import queue_position as queue_position
from grader.report import Report, unpack
from grader.uploads import LARGEST, check_upload
from grader.uploads import UploadError as UploadError
from tournament.store.database import after_commit, insert_or_find, now
from tournament.store.jobs import PENDING, Claim, Job, JobState, fail, finish, held
from tournament.store.tables import Player
from tournament.work.trace import following, new_trace

log = logging.getLogger(__name__)

GRADE = "grader.grade"

REST_S = 5.0
"""Seconds before a submission is tried again after a fault of ours."""

WITH_OUTCOMES = selectinload(Submission.outcomes).joinedload(Outcome.entry)
"""Loads what became of several submissions along with them."""

_OURS = (
    "Something of ours failed while this was being graded, {attempts} times in a row. It is not your doing: it counts "
    "for nothing, and you can upload again at once. Your instructor sees it too."
)


class KeyReused(UploadError):
    """The client's request key came with another file before."""


def submit(
    session: Session,
    send: Send,
    assignment: Assignment,
    author_id: int,
    filename: str,
    source: bytes,
    wants_entry: bool,
    name: str,
    request_key: str | None = None,
    at: datetime | None = None,
    largest: int = LARGEST,
) -> Submission:
    """Take an upload in; with `wants_entry` it enters under `name` the ladders that it qualifies for.

    An upload repeated with its request key is the same submission. Raises a kind of UploadError and, only with
    `wants_entry`, the ladder's Excluded: then nothing is stored.
    """
    if request_key and (former := _by_key(session, author_id, request_key)):
        return _same(former, source)
    check_upload(source, largest)
    if wants_entry:
        check_entry(session, assignment.id, author_id, at or now())
    fresh = Submission(
        assignment_id=assignment.id,
        author_id=author_id,
        player_id=_player(session, source).id,
        filename=filename,
        wants_entry=wants_entry,
        entry_name=name,
        request_key=request_key,
        queued_at=at or now(),
        trace=new_trace(),
    )
    submission = insert_or_find(session, fresh, lambda: _by_key(session, author_id, request_key))
    after_commit(session, partial(_taken_in, send, submission.id, submission.trace))
    return _same(submission, source)


def _taken_in(send: Send, submission_id: int, trace: str | None) -> None:
    with following(trace, submission=submission_id):
        log.info("uploaded")
        send(GRADE)


def waiting_twin(
    session: Session, assignment: Assignment, author_id: int, source: bytes, wants_entry: bool
) -> Submission | None:
    """The author's submission of the very same file, for the same purpose, that is not graded yet: somebody has
    uploaded it from two tabs."""
    same = (
        Submission.assignment_id == assignment.id,
        Submission.author_id == author_id,
        Submission.wants_entry == wants_entry,
        Submission.state.in_(PENDING),
        Player.sha256 == sha256(source).hexdigest(),
    )
    return session.scalar(select(Submission).join(Submission.player).where(*same).order_by(Submission.id).limit(1))


def _by_key(session: Session, author_id: int, request_key: str | None) -> Submission | None:
    if request_key is None:
        return None
    return session.scalar(
        select(Submission).where(Submission.author_id == author_id, Submission.request_key == request_key)
    )


def _same(submission: Submission, source: bytes) -> Submission:
    if submission.player.sha256 != sha256(source).hexdigest():
        raise KeyReused("This request key was used before, with another file: take a new key for each upload.")
    return submission


def _player(session: Session, source: bytes) -> Player:
    digest = sha256(source).hexdigest()

    def find() -> Player | None:
        return session.scalar(select(Player).where(Player.sha256 == digest))

    return find() or insert_or_find(session, Player(sha256=digest, source=source), find)


# Grading


def store_report(
    session: Session, send: Send, claim: Claim, report: Report, packed: bytes, progress: dict[str, Any]
) -> bool:
    """Store the report, `packed` as it is kept, and enter the player, after its trial games, if that is wanted; all at
    once. False if the claim is no longer held."""
    submission = held(session, Submission, claim)
    if submission is None:
        return False
    submission.report, submission.progress = packed, progress
    submission.qualifies, submission.points, submission.trouble = report.qualifies, report.points, ""
    finish(submission)
    if submission.wants_entry:
        enter_all(session, send, submission, now())
    elif report.qualifies:
        ask_for_trial(session, send, submission)
    return True


def store_failure(session: Session, kind: type[Job], claim: Claim, trouble: str) -> None:
    """Give a submission, or what is to be graded again, back after a fault of ours: it is tried again, or parked after
    the last attempt."""
    job = held(session, kind, claim)
    if job is not None:
        fail(job, trouble, REST_S)


# Reading


def report_of(submission: Submission) -> Report | None:
    """The report as it was stored (see `grader.report.trim`), or None while there is none."""
    return unpack(submission.report) if submission.report else None


def apology(submission: Submission) -> str:
    """For a submission that was parked (verdict IE): what its author is told; "" for any other."""
    return _OURS.format(attempts=submission.attempts) if submission.state is JobState.PARKED else ""


def history(session: Session, assignment_id: int, author_id: int) -> Sequence[Submission]:
    """A student's submissions to an assignment, the latest first."""
    return session.scalars(_HISTORY, {"assignment": assignment_id, "author": author_id}).all()


_HISTORY = (
    select(Submission)
    .where(Submission.assignment_id == bindparam("assignment"), Submission.author_id == bindparam("author"))
    .options(WITH_OUTCOMES, defer(Submission.progress))
    .order_by(Submission.id.desc())
)
"""Made once: to make it takes as long as to answer it."""
