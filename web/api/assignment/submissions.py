"""Submitting a player, and the state, report, files and entry of a submission."""

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256

from flask import Response, request, url_for
from sqlalchemy.orm import Session

from grader.definition.model import Definition
from grader.ladders import ladders, qualifies_for
from grader.models import Submission
from grader.playing.entering import enter
from grader.programs.upload.reading import inventory
from grader.publishing.versions import definition_of
from grader.queue import crew_of, queue_position
from grader.reviewing.comments import CommentCount, comment_counts
from grader.submissions import apology, files_of, history, report_of
from sandbox.api import SentBytes
from tournament.store.jobs import JobState
from tournament.store.tables import Tournament
from web.api import models
from web.api.operations import operation, user_key
from web.assignment.games import trials
from web.assignment.overview import seconds_excluded
from web.assignment.programs import SentFiles, read_upload, zip_file, zip_name
from web.assignment.reports import typed_by
from web.assignment.uploads import SentFile, clean_name, store
from web.models import User
from web.site import inputs
from web.site.auth import UPLOADS, limiter
from web.site.rights import access
from web.site.serving.problems import ApiRefusal
from web.site.settings import settings
from web.site.store import fresh, read, write

KEY = "Idempotency-Key"
KEY_MEANING = "a text of your choice for this upload; repeated with the same key and file, it is the same submission"
LONGEST_KEY = 200
BODIES: dict[str, type[models.Model]] = {
    "application/json": models.SourceUpload,
    "multipart/form-data": models.FileUpload,
}
FILES = "/submissions/<int:submission_id>/files"
SUBMISSIONS = "/assignments/<int:assignment_id>/submissions"


@operation(
    "POST",
    SUBMISSIONS,
    {201: models.SubmissionJson},
    problems=(400, 409, 429),
    bodies=BODIES,
    headers={KEY: (KEY_MEANING, LONGEST_KEY)},
)
@inputs.longer(inputs.WHOLE, "file")
def create_submission(user: User, assignment_id: int) -> tuple[models.SubmissionJson, int, dict[str, str]]:
    """Submit a player or programs, to be tested and, with `enter`, entered wherever it qualifies."""
    with limiter.limit(UPLOADS, key_func=user_key):
        seen = access.assignment(read(), user.id, assignment_id)
        definition = definition_of(read(), seen.assignment) if seen.assignment.version else None
        given = _programs(definition) if definition and definition.programs else _upload()
        key = request.headers.get(KEY)
    if key is not None and not 0 < len(key) <= LONGEST_KEY:
        raise ApiRefusal(400, f"The header {KEY} must have 1 to {LONGEST_KEY} characters.")
    id_ = store(seen, given, key and f"api:{key}")
    with fresh() as session:
        found = _submission(session, session.get_one(Submission, id_))
    return found, 201, {"Location": url_for("api.get_submission", submission_id=id_)}


@operation("GET", SUBMISSIONS, {200: models.Submissions})
def list_submissions(user: User, assignment_id: int) -> models.Submissions:
    """Your own submissions to an assignment, the latest first."""
    seen = access.assignment(read(), user.id, assignment_id)
    own = history(read(), seen.assignment.id, user.id)
    comments = comment_counts(read(), user.id, [each.id for each in own])
    excluded = _excluded(read(), seen.assignment.id, user.id)
    found = [_submission_json(read(), each, comments[each.id], excluded) for each in own]
    return models.Submissions(submissions=found)


@operation("GET", "/submissions/<int:submission_id>", {200: models.SubmissionJson}, problems=(403,))
def get_submission(user: User, submission_id: int) -> models.SubmissionJson:
    """The state of a submission."""
    submission, _ = access.submission(read(), user.id, submission_id)
    return _submission(read(), submission)


@operation("GET", "/submissions/<int:submission_id>/report", {200: models.SubmissionReport}, problems=(403, 409))
def get_report(user: User, submission_id: int) -> models.SubmissionReport:
    """The report of a submission that has been graded."""
    submission, seen = access.submission(read(), user.id, submission_id)
    report = report_of(submission, whole=seen.viewer.staff)
    if report is None:
        waits = "This submission has not been graded yet. Ask again in a moment."
        raise ApiRefusal(409, apology(submission) or waits, "not_graded")
    typed = typed_by(submission)
    questions = [
        replace(each, cases=[replace(case, call=typed(case.call)) for case in each.cases]) for each in report.questions
    ]
    return models.SubmissionReport(replace(report, questions=questions))


@operation(
    "POST",
    "/submissions/<int:submission_id>/entry",
    {200: models.SubmissionJson},
    problems=(403, 409, 429),
    query=models.TournamentQuery,
)
def enter_submission(user: User, submission_id: int) -> models.SubmissionJson:
    """Enter a submission that qualified. One that has entered already stays entered."""
    submission, seen = access.submission(read(), user.id, submission_id)
    access.own(submission, user.id)
    where = models.TournamentQuery.model_validate(request.args.to_dict()).tournament
    with write() as session:
        submission = session.get_one(Submission, submission_id)
        enter(session, settings().send, submission, name=seen.viewer.pseudonym, tournament_id=where)
    with fresh() as session:
        return _submission(session, session.get_one(Submission, submission_id))


def _upload() -> SentFile:
    """The player in the request. Raises pydantic's ValidationError for a body that is not as described."""
    if request.mimetype == "application/json":
        sent = models.SourceUpload.model_validate_json(request.get_data())
        return SentFile(clean_name(sent.filename), sent.source.encode(), sent.enter)
    if request.mimetype == "multipart/form-data":
        file = request.files.get("file")
        given = {"file": ""} if file else {}  # its bytes are judged by the grader
        form = models.FileUpload.model_validate({**request.form.to_dict(), **given})
        name = clean_name((file and file.filename) or "player.py")
        return SentFile(name, file.read() if file else form.file.encode(), form.enter == "true")
    raise ApiRefusal(415, "Send JSON, or a form with a file (multipart/form-data).")


def _programs(definition: Definition) -> SentFile:
    """The programs in the request. Raises ApiRefusal, and pydantic's ValidationError like `_upload`."""
    sent = _upload()
    parts = [(file.filename or "", SentBytes(file.read())) for file in request.files.getlist("file")[1:]]
    found = read_upload(definition, SentFiles([(sent.filename, SentBytes(sent.source)), *parts], {}, sent.wants_entry))
    if found.missing and request.form.get("incomplete") != "true":
        lacks = ", ".join(f"{path} (did you mean {meant}?)" if meant else path for path, meant in found.missing)
        raise ApiRefusal(422, f"Files are missing: {lacks}. Send them too, or send incomplete=true.", "files_missing")
    return found.sent


def _submission(session: Session, submission: Submission) -> models.SubmissionJson:
    comments = comment_counts(session, submission.author_id, [submission.id])
    excluded = _excluded(session, submission.assignment_id, submission.author_id)
    return _submission_json(session, submission, comments[submission.id], excluded)


def _excluded(session: Session, assignment_id: int, author_id: int) -> dict[Tournament, int]:
    """The assignment's tournaments, each with the seconds until the author can enter it."""
    return {each: seconds_excluded(session, each, author_id) for each in ladders(session, assignment_id)}


def _submission_json(
    session: Session, submission: Submission, comments: CommentCount, excluded: Mapping[Tournament, int]
) -> models.SubmissionJson:
    progress = submission.progress if submission.state is JobState.RUNNING else {}
    counts = {name: progress[name] for name in models.ProgressJson.model_fields if name in progress}
    outcomes = [_outcome(submission, *each) for each in excluded.items()]
    standard = outcomes[0] if outcomes else None
    return models.SubmissionJson(
        id=submission.id,
        assignment_id=submission.assignment_id,
        filename=submission.filename,
        sha256=submission.player.sha256,
        needs=submission.needs.split(),
        state=submission.state,
        position=queue_position(session, crew_of(session), submission) if submission.state is JobState.QUEUED else None,
        progress=models.ProgressJson(**counts) if counts else None,
        uploaded_at=submission.queued_at,
        finished_at=submission.finished_at,
        regraded_at=submission.regraded_at,
        qualifies=submission.qualifies,
        points=submission.points,
        version=submission.version,
        wants_entry=submission.wants_entry,
        entry_id=standard.entry_id if standard else None,
        note=(standard.note if standard else "") or apology(submission),
        trial_games=_trial_games(session, submission),
        outcomes=outcomes,
        comments=comments.all,
        new_comments=comments.new,
        url=url_for("submission.show", submission_id=submission.id, _external=True),
    )


def _outcome(submission: Submission, tournament: Tournament, excluded_s: int) -> models.OutcomeJson:
    outcome = submission.outcome_in(tournament)
    return models.OutcomeJson(
        tournament_id=tournament.id,
        title=tournament.title,
        qualifies=qualifies_for(submission, tournament),
        entry_id=outcome.entry_id if outcome else None,
        note=outcome.refusal if outcome else "",
        entering=bool(outcome and outcome.entering),
        excluded_s=0 if outcome and outcome.entry_id else excluded_s,
    )


def _trial_games(session: Session, submission: Submission) -> models.TrialGames | None:
    tried = trials.shown(session, submission)
    if tried is None:
        return None
    note, replay = tried.offence.note if tried.offence else None, None
    if note:
        replay = url_for("replays.offence", submission_id=submission.id, _external=True)
    return models.TrialGames(
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


@operation("GET", FILES, {200: models.SubmissionFiles}, problems=(403,))
def list_files(user: User, submission_id: int) -> models.SubmissionFiles:
    """The files of a submission with their texts, and how those of programs fit what the assignment asks for."""
    submission, seen = access.submission(read(), user.id, submission_id)
    programs = definition_of(read(), seen.assignment).programs if submission.archive else ()
    fits = inventory(programs, files_of(submission))
    return models.SubmissionFiles(
        files=[_submitted_file(path, content) for path, content in sorted(_all_files(submission).items())],
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


def _submitted_file(path: str, content: bytes) -> models.SubmittedFile:
    text = content.decode("utf-8", "replace")
    return models.SubmittedFile(path=path, size=len(content), sha256=sha256(content).hexdigest(), text=text)
