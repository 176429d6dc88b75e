"""Submissions in the database: accepts uploads, stores the results of grading, and reads them.

Each function works in the caller's transaction (`tournament.store.database.writing`). Messages are sent after the
commit.
"""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256

from sqlalchemy import and_, bindparam, or_, select
from sqlalchemy.orm import Session, defer, joinedload, selectinload

from grader.assignment.failed_cases import note_failures
from grader.assignment.ladders import Send, check_entry
from grader.authoring.versions import definition_of
from grader.entering.entering import ask_for_trial, enter_all
from grader.grading.report import Report, for_student, unpack
from grader.programs.grading import needs_of
from grader.store.models import PARKED, Assignment, Outcome, Submission
from grader.store.queue import message_for
from grader.store.uploads import LARGEST, Conflict, Upload, check_upload
from sandbox.api import SentBytes
from sandbox.archives import pack as pack_files
from sandbox.archives import unpack as unpack_files
from tournament.store.database import after_commit, insert_or_find, now
from tournament.store.jobs import PENDING, JobState, finish
from tournament.store.mail import When, choices_of, wanted
from tournament.store.notices import NoticeKind, tell
from tournament.store.tables import Player, Trial, player_of
from tournament.work.runner import following, new_trace

log = logging.getLogger(__name__)
LONG = timedelta(minutes=1)  # nobody is assumed to wait longer for a report on the page

WITH_OUTCOMES = selectinload(Submission.outcomes).joinedload(Outcome.entry)
"""A query option that loads the outcomes of submissions in a second query."""

OUTCOMES_ALONG = joinedload(Submission.outcomes).joinedload(Outcome.entry)
"""A query option that loads the outcomes in the same query, for the few submissions of one student. This saves 6% of
the time of an assignment's page."""


class KeyReused(Conflict):
    """The client has already used this request key with another file."""


def submit(
    session: Session,
    send: Send,
    assignment: Assignment,
    upload: Upload,
    at: datetime | None = None,
    largest: int = LARGEST,
) -> Submission:
    """Accept an upload. After grading, it enters the ladders for which it qualifies, if an entry was requested. A
    repeated upload with the same request key returns the same submission. Nothing is stored if this raises
    UploadError."""
    if not (submission := _by_key(session, upload)):
        if upload.source or not upload.files:
            check_upload(SentBytes(upload.source), largest)
        needs = needs_of(definition_of(session, assignment)) if assignment.version else ""
        if upload.wants_entry:
            check_entry(session, assignment.id)
        fresh = Submission(
            assignment_id=assignment.id,
            author_id=upload.author_id,
            player_id=player_of(session, upload.source).id,
            filename=upload.filename,
            archive=pack_files(upload.files) if upload.files else None,
            needs=needs,
            wants_entry=upload.wants_entry,
            entry_name=upload.entry_name,
            request_key=upload.request_key,
            queued_at=at or now(),
            trace=new_trace(),
        )
        submission = insert_or_find(session, fresh, lambda: _by_key(session, upload))
        id_, trace = submission.id, submission.trace

        def tell_graders() -> None:
            with following(trace, submission=id_):
                log.info("uploaded")
                send(message_for(needs))

        after_commit(session, tell_graders)
    if submission.player.sha256 != sha256(upload.source).hexdigest() or files_of(submission) != upload.files:
        raise KeyReused("This request key was used before with another file. Take a new key for each upload.")
    return submission


def files_of(submission: Submission) -> dict[str, bytes]:
    """Return all files of an upload to an assignment with program questions; empty for other assignments."""
    return unpack_files(submission.archive) if submission.archive else {}


def _by_key(session: Session, upload: Upload) -> Submission | None:
    if not upload.request_key:
        return None
    same = (Submission.author_id == upload.author_id, Submission.request_key == upload.request_key)
    return session.scalar(select(Submission).where(*same))


def waiting_twin(session: Session, assignment: Assignment, upload: Upload) -> Submission | None:
    """Return the author's waiting submission with exactly the same files and purpose, for example from another tab, or
    None."""
    trials = and_(Outcome.wanted_from.is_not(None), Outcome.refusal == "")
    same = (
        Submission.assignment_id == assignment.id,
        Submission.author_id == upload.author_id,
        Submission.wants_entry == upload.wants_entry,
        or_(Submission.state.in_(PENDING), Submission.outcomes.any(trials)),
        Player.sha256 == sha256(upload.source).hexdigest(),
        Submission.archive == pack_files(upload.files) if upload.files else Submission.archive.is_(None),
    )
    return session.scalar(select(Submission).join(Submission.player).where(*same).order_by(Submission.id).limit(1))


# Grading


def store_report(session: Session, send: Send, submission: Submission, report: Report, packed: bytes) -> None:
    """Store the `packed` report of a submission that this worker has claimed. If an entry is wanted, the player enters
    after its trial games."""
    submission.report, submission.progress = packed, {}
    submission.qualifies, submission.points, submission.trouble = report.qualifies, report.points, ""
    submission.version, submission.question_points = report.version, report.question_points
    finish(submission)
    note_failures(session, submission, report)
    if submission.wants_entry:
        enter_all(session, send, submission, now())
    elif report.qualifies:
        ask_for_trial(session, send, submission)
    if submission.finished_at and submission.finished_at - submission.queued_at > LONG:
        _tell_of_report(session, submission)


def _tell_of_report(session: Session, submission: Submission) -> None:
    """Leave the author a notice that the report is ready, if the author receives these notices by e-mail."""
    author = submission.author_id
    if wanted(choices_of(session, [author]), author, NoticeKind.REPORT) is not When.NEVER:
        subject, link = f"The report on {submission.filename} is ready", ("report", submission.id, "The report")
        tell(session, author, submission.assignment_id, subject, "It was graded.", [link], NoticeKind.REPORT)


# Reading


def report_of(submission: Submission, whole: bool) -> Report | None:
    """Return the stored report, or None. With `whole`, which is for instructors, the report is complete; otherwise, it
    contains only what a student may see."""
    if not submission.report:
        return None
    report = unpack(submission.report)
    return report if whole else for_student(report)


def has_question(submission: Submission, question: str) -> bool:
    """Whether a submission has a report that includes this question."""
    report = report_of(submission, whole=False)
    return report is not None and question in [each.slug for each in report.questions]


def apology(submission: Submission) -> str:
    """Return the message for the author of a parked submission (verdict IE); "" for any other submission."""
    return PARKED if submission.state is JobState.PARKED else ""


def history(session: Session, assignment_id: int, author_id: int) -> Sequence[Submission]:
    """Return a student's submissions to an assignment, the latest first."""
    return session.scalars(_HISTORY, {"assignment": assignment_id, "author": author_id}).unique().all()


_HISTORY = (
    select(Submission)
    .where(Submission.assignment_id == bindparam("assignment"), Submission.author_id == bindparam("author"))
    .options(
        OUTCOMES_ALONG, joinedload(Submission.trial).load_only(Trial.state, Trial.offence), defer(Submission.progress)
    )
    .order_by(Submission.id.desc())
)
"""Built once, because building the query takes as long as running it."""
