"""The files of a submission."""

from hashlib import sha256

from flask import Response

from grader.models import Submission
from grader.programs.upload.reading import inventory
from grader.publishing.versions import definition_of
from grader.submissions import files_of
from web.api import models
from web.api.operations import operation
from web.assignment.programs import zip_file, zip_name
from web.models import User
from web.site.rights import access
from web.site.store import read

FILES = "/submissions/<int:submission_id>/files"


@operation("GET", FILES, {200: models.SubmissionFiles}, problems=(403,))
def list_files(user: User, submission_id: int) -> models.SubmissionFiles:
    """The files of a submission with their texts, and how those of programs fit what the assignment asks for."""
    submission, seen = access.submission(read(), user.id, submission_id)
    programs = definition_of(read(), seen.assignment).programs if submission.archive else ()
    fits = inventory(programs, files_of(submission))
    return models.SubmissionFiles(
        files=[_file(path, content) for path, content in sorted(_all(submission).items())],
        missing=[each.path for each in fits.missing],
        replaced=fits.replaced,
        unexpected=fits.unexpected,
        unchanged=fits.unchanged,
    )


@operation("GET", f"{FILES}.zip", {}, problems=(403,), media="application/zip")
def get_zip(user: User, submission_id: int) -> Response:
    """The files of a submission as a zip."""
    submission, _ = access.submission(read(), user.id, submission_id)
    return zip_file(_all(submission), zip_name(submission))


def _all(submission: Submission) -> dict[str, bytes]:
    return files_of(submission) or {submission.filename: submission.player.source}


def _file(path: str, content: bytes) -> models.SubmittedFile:
    text = content.decode("utf-8", "replace")
    return models.SubmittedFile(path=path, size=len(content), sha256=sha256(content).hexdigest(), text=text)
