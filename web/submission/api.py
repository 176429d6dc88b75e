"""Submitting a player, and the state, report, files and entry of a submission."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from typing import Literal

from flask import Response, request, url_for
from pydantic import Field, RootModel
from sqlalchemy.orm import Session

from grader.assignment.ladders import ladders, qualifies_for
from grader.authoring.versions import definition_of
from grader.definition.model import Definition
from grader.entering.entering import enter
from grader.grading.case_words import worded
from grader.grading.report import Report
from grader.marks.comments import CommentCount, comment_counts
from grader.programs.upload import inventory
from grader.store.models import Submission
from grader.store.queue import crew_of, queue_position
from grader.submissions.submit import apology, files_of, history, report_of
from sandbox.api import SentBytes
from tournament.store.jobs import JobState
from tournament.store.tables import Tournament
from web.api.operations import SOURCE, Model, TournamentQuery, operation, user_key
from web.overview.dates import cooldown_left_s
from web.site import access, inputs, roles
from web.site.assets import game_if_any
from web.site.auth import UPLOADS, limiter
from web.site.errors import ApiRefusal
from web.site.models import User
from web.site.store import fresh, read, settings, write
from web.submission import reports
from web.submission.reports import State as TrialState
from web.submission.reports import typed_by
from web.submission.uploads import SentFile, SentFiles, clean_name, read_upload, store_upload, zip_file, zip_name

KEY = "Idempotency-Key"
KEY_MEANING = "a text of your choice for this upload; repeated with the same key and file, it is the same submission"
LONGEST_KEY = 200
FILES = "/submissions/<int:submission_id>/files"
SUBMISSIONS = "/assignments/<int:assignment_id>/submissions"


class SourceUpload(Model):
    """A player as text."""

    source: str = Field(description="the text of the Python file", json_schema_extra=SOURCE)
    filename: str = Field("player.py", max_length=200)
    enter: bool = Field(False, description="enter it in each tournament that it qualifies for")


class FileUpload(Model):
    """A player as a file in a form. For an assignment that asks for programs: one part `file` for each file, or a zip
    of them."""

    file: str = Field(json_schema_extra={"contentMediaType": "text/x-python", **SOURCE})
    enter: Literal["true", "false"] = "false"
    incomplete: Literal["true", "false"] = Field("false", description="of programs: upload even if files are missing")


class SubmittedFile(Model):
    path: str
    size: int = Field(description="in bytes")
    sha256: str
    text: str


class SubmissionFiles(Model):
    """The files of a submission. The lists of paths are for programs. They can differ from the report if the report was
    made with another version of the assignment."""

    files: list[SubmittedFile]
    missing: list[str] = Field(description="files that the assignment asks for and that are not there")
    replaced: list[str] = Field(description="files instead of which those handed out are used, since they differ")
    unexpected: list[str] = Field(description="files that the assignment does not ask for, and that are not used")
    unchanged: list[str] = Field(description="files that are as they were handed out and were to be completed")


class ProgressJson(Model):
    """The progress of a grading, in cases. Cases that were not run count as `done`. `failed` and `not_run` count only
    visible cases."""

    done: int
    total: int
    failed: int
    not_run: int = 0


class OutcomeJson(Model):
    """The outcome of a submission in one of its assignment's tournaments."""

    tournament_id: int
    title: str = Field(description="of the tournament")
    qualifies: bool = Field(description="also false while it is not graded")
    entry_id: int | None
    note: str = Field(description="why it was not entered; else empty")
    entering: bool = Field(False, description="it enters by itself when its trial games are over")
    excluded_s: int = Field(0, description="seconds until its author can enter it there; 0: now, or it has entered")


class TrialGames(Model):
    """The games against house bots that a submission plays before it enters. They never count for the standings."""

    state: TrialState = Field(description="parked: an internal error; it can be started again")
    played: int = Field(description="games that are over")
    games: int = Field(description="games in all")
    waiting_before: int = Field(description="other players whose trial games come first")
    verdict: str | None = Field(description="of the fault in the last game played, if it failed")
    rule: str = Field(description="the rule that was broken, if one was")
    message: str = Field(description="what was wrong, or why games were left out; else empty")
    call: str
    got: str
    replay_url: str | None = Field(description="the page of the game in which it failed")


class SubmissionJson(Model):
    """An upload. It has a report when `state` is `done`."""

    id: int
    assignment_id: int
    filename: str
    sha256: str = Field(description="of the Python file; of an empty one for a submission of programs only")
    needs: list[str] = Field(description="the languages that a worker must have to grade it")
    state: JobState
    position: int | None = Field(description="1 is graded next; null when it is not waiting")
    progress: ProgressJson | None = Field(description="while it is graded")
    uploaded_at: datetime
    finished_at: datetime | None
    regraded_at: datetime | None = Field(description="when it was graded again; the report is the newest")
    qualifies: bool | None = Field(description="for the standard tournament")
    points: float | None
    version: int | None = Field(description="of the assignment, with which the report was made; null before that")
    wants_entry: bool
    entry_id: int | None = Field(description="its entry in the standard tournament")
    note: str = Field(description="why it was not entered there, or could not be graded; else empty")
    trial_games: TrialGames | None = Field(None, description="null before it qualifies, and where none are played")
    outcomes: list[OutcomeJson] = Field(description="one for each tournament of the assignment, the standard one first")
    comments: int = Field(description="of staff, on its lines")
    new_comments: int = Field(description="those in a notice that its author has not read")
    url: str = Field(description="its page on the site")


class Submissions(Model):
    submissions: list[SubmissionJson]


class SubmissionReport(RootModel[Report]):
    """The report: all visible examples, and what each question shows of the hidden cases that failed. Cases with the
    verdict `NOT_RUN` in `verdicts` were not run, for the reason in `stopped`; they count as not passed. `verdicts`
    leaves out hidden cases whose verdict is not shown. A question that asks for a program has a `build`, and cases that
    were run have a `run`."""


BODIES: dict[str, type[Model]] = {
    "application/json": SourceUpload,
    "multipart/form-data": FileUpload,
}


@operation(
    "POST",
    SUBMISSIONS,
    {201: SubmissionJson},
    problems=(400, 409, 429),
    bodies=BODIES,
    headers={KEY: (KEY_MEANING, LONGEST_KEY)},
)
@inputs.longer(inputs.WHOLE, "file")
def create_submission(user: User, assignment_id: int) -> tuple[SubmissionJson, int, dict[str, str]]:
    """Submit a player or programs to be tested. With `enter`, a player also enters each tournament for which it
    qualifies."""
    with limiter.limit(UPLOADS, key_func=user_key):
        seen = access.assignment(read(), user.id, assignment_id)
        definition = definition_of(read(), seen.assignment) if seen.assignment.version else None
        given = _sent_programs(definition) if definition and definition.programs else _sent_player()
        key = request.headers.get(KEY)
    if key is not None and not 0 < len(key) <= LONGEST_KEY:
        raise ApiRefusal(400, f"The header {KEY} must have 1 to {LONGEST_KEY} characters.")
    id_ = store_upload(seen, given, key and f"api:{key}")
    with fresh() as session:
        found = _submission(session, session.get_one(Submission, id_))
    return found, 201, {"Location": url_for("api.get_submission", submission_id=id_)}


@operation("GET", SUBMISSIONS, {200: Submissions})
def list_submissions(user: User, assignment_id: int) -> Submissions:
    """Your own submissions to an assignment, the latest first."""
    seen = access.assignment(read(), user.id, assignment_id)
    own = history(read(), seen.assignment.id, user.id)
    comments = comment_counts(read(), user.id, [each.id for each in own])
    excluded = _excluded(read(), seen.assignment.id, user.id)
    found = [_submission_json(read(), each, comments[each.id], excluded) for each in own]
    return Submissions(submissions=found)


@operation("GET", "/submissions/<int:submission_id>", {200: SubmissionJson}, problems=(403,))
def get_submission(user: User, submission_id: int) -> SubmissionJson:
    """The state of a submission."""
    submission, _ = access.submission(read(), user.id, submission_id)
    return _submission(read(), submission)


@operation("GET", "/submissions/<int:submission_id>/report", {200: SubmissionReport}, problems=(403, 409))
def get_report(user: User, submission_id: int) -> SubmissionReport:
    """The report of a submission that has been graded."""
    submission, seen = access.submission(read(), user.id, submission_id)
    report = report_of(submission, whole=seen.viewer.staff)
    if report is None:
        waits = "This submission has not been graded yet. Ask again in a moment."
        raise ApiRefusal(409, apology(submission) or waits, "not_graded")
    typed = typed_by(submission)
    report = worded(report, game_if_any(submission.assignment.game))
    questions = [
        replace(each, cases=[replace(case, call=typed(case.call)) for case in each.cases]) for each in report.questions
    ]
    return SubmissionReport(replace(report, questions=questions))


@operation(
    "POST",
    "/submissions/<int:submission_id>/entry",
    {200: SubmissionJson},
    problems=(403, 409, 429),
    query=TournamentQuery,
)
def enter_submission(user: User, submission_id: int) -> SubmissionJson:
    """Enter a submission that qualified. If it has already entered, nothing changes."""
    submission, seen = access.submission(read(), user.id, submission_id)
    roles.own(submission, user.id)
    where = TournamentQuery.model_validate(request.args.to_dict()).tournament
    with write() as session:
        submission = session.get_one(Submission, submission_id)
        enter(session, settings().send, submission, name=seen.viewer.pseudonym, tournament_id=where)
    with fresh() as session:
        return _submission(session, session.get_one(Submission, submission_id))


def _sent_player() -> SentFile:
    """Return the player in the request. Raises ApiRefusal, and pydantic's ValidationError if the body does not match
    the model."""
    if request.mimetype == "application/json":
        sent = SourceUpload.model_validate_json(request.get_data())
        return SentFile(clean_name(sent.filename), sent.source.encode(), sent.enter)
    if request.mimetype == "multipart/form-data":
        file = request.files.get("file")
        given = {"file": ""} if file else {}  # the grader checks the file's bytes
        form = FileUpload.model_validate({**request.form.to_dict(), **given})
        name = clean_name((file and file.filename) or "player.py")
        return SentFile(name, file.read() if file else form.file.encode(), form.enter == "true")
    raise ApiRefusal(415, "Send JSON, or a form with a file (multipart/form-data).")


def _sent_programs(definition: Definition) -> SentFile:
    """Return the programs in the request. Raises ApiRefusal and UploadError, and pydantic's ValidationError as in
    `_sent_player`."""
    sent = _sent_player()
    parts = [(file.filename or "", SentBytes(file.read())) for file in request.files.getlist("file")[1:]]
    found = read_upload(definition, SentFiles([(sent.filename, SentBytes(sent.source)), *parts], {}, sent.wants_entry))
    if found.missing and request.form.get("incomplete") != "true":
        lacks = ", ".join(f"{path} (did you mean {meant}?)" if meant else path for path, meant in found.missing)
        raise ApiRefusal(422, f"Files are missing: {lacks}. Send them too, or send incomplete=true.", "files_missing")
    return found.sent


def _submission(session: Session, submission: Submission) -> SubmissionJson:
    comments = comment_counts(session, submission.author_id, [submission.id])
    excluded = _excluded(session, submission.assignment_id, submission.author_id)
    return _submission_json(session, submission, comments[submission.id], excluded)


def _excluded(session: Session, assignment_id: int, author_id: int) -> dict[Tournament, int]:
    """Return the assignment's tournaments, each with the seconds until the author may enter it."""
    return {each: cooldown_left_s(session, each, author_id) for each in ladders(session, assignment_id)}


def _submission_json(
    session: Session, submission: Submission, comments: CommentCount, excluded: Mapping[Tournament, int]
) -> SubmissionJson:
    progress = submission.progress if submission.state is JobState.RUNNING else {}
    counts = {name: progress[name] for name in ProgressJson.model_fields if name in progress}
    outcomes = [_outcome(submission, *each) for each in excluded.items()]
    standard = outcomes[0] if outcomes else None
    return SubmissionJson.of(
        submission,
        sha256=submission.player.sha256,
        needs=submission.needs.split(),
        position=queue_position(session, crew_of(session), submission) if submission.state is JobState.QUEUED else None,
        progress=ProgressJson(**counts) if counts else None,
        uploaded_at=submission.queued_at,
        entry_id=standard.entry_id if standard else None,
        note=(standard.note if standard else "") or apology(submission),
        trial_games=_trial_games(session, submission),
        outcomes=outcomes,
        comments=comments.all,
        new_comments=comments.new,
        url=url_for("submission.show", submission_id=submission.id, _external=True),
    )


def _outcome(submission: Submission, tournament: Tournament, excluded_s: int) -> OutcomeJson:
    outcome = submission.outcome_in(tournament)
    return OutcomeJson(
        tournament_id=tournament.id,
        title=tournament.title,
        qualifies=qualifies_for(submission, tournament),
        entry_id=outcome.entry_id if outcome else None,
        note=outcome.refusal if outcome else "",
        entering=bool(outcome and outcome.entering),
        excluded_s=0 if outcome and outcome.entry_id else excluded_s,
    )


def _trial_games(session: Session, submission: Submission) -> TrialGames | None:
    tried = reports.shown_trial(session, submission)
    if tried is None:
        return None
    note = tried.offence.note if tried.offence else None
    replay = url_for("submission.trial_game", submission_id=submission.id, _external=True) if note else None
    return TrialGames(
        state=tried.state,
        played=tried.trial.played,
        games=tried.trial.games,
        waiting_before=tried.before,
        verdict=note.verdict.value if note else None,
        rule=note.rule if note else "",
        message=note.message if note else tried.trial.trouble if tried.state == "passed" else "",
        call=note.call if note else "",
        got=note.got if note else "",
        replay_url=replay,
    )


@operation("GET", FILES, {200: SubmissionFiles}, problems=(403,))
def list_files(user: User, submission_id: int) -> SubmissionFiles:
    """The files of a submission with their texts. For programs, also how the files match the files that the assignment
    asks for."""
    submission, seen = access.submission(read(), user.id, submission_id)
    programs = definition_of(read(), seen.assignment).programs if submission.archive else ()
    fits = inventory(programs, files_of(submission))
    return SubmissionFiles(
        files=[
            SubmittedFile(
                path=path,
                size=len(content),
                sha256=sha256(content).hexdigest(),
                text=content.decode("utf-8", "replace"),
            )
            for path, content in sorted(_all_files(submission).items())
        ],
        missing=[each.path for each in fits.missing],
        replaced=fits.replaced,
        unexpected=fits.unexpected,
        unchanged=fits.unchanged,
    )


@operation("GET", f"{FILES}.zip", {}, problems=(403,), media="application/zip")
def get_zip(user: User, submission_id: int) -> Response:
    """The files of a submission as a zip."""
    submission, _ = access.submission(read(), user.id, submission_id)
    return zip_file(_all_files(submission), zip_name(submission))


def _all_files(submission: Submission) -> dict[str, bytes]:
    return files_of(submission) or {submission.filename: submission.player.source}
