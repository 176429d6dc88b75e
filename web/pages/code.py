"""The files of a submission, to be read line by line with what the report found."""

from collections.abc import Callable

from flask import Blueprint, request, url_for
from werkzeug.exceptions import NotFound

from grader.models import Submission
from grader.publishing.versions import definition_of
from grader.submissions import files_of, report_of
from web.assignment.code import files_to_read, findings_in, on_page, page_with, player_path
from web.site import access
from web.site.auth import user
from web.site.inputs import number
from web.site.pages import page_about
from web.site.store import read

page = Blueprint("code", __name__, url_prefix="/submissions/<int:submission_id>/code")


@page.get("/")
def show(submission_id: int) -> str:
    """A part of a file: `?file=` its path, by default that of the player, and `?page=` from 1."""
    session = read()
    submission, seen = access.submission(session, user().id, submission_id)
    files = files_to_read(submission)
    player = player_path(definition_of(session, seen.assignment), submission, files)
    path = request.args.get("file", "") or player or min(files)
    if path not in files:
        raise NotFound("This submission has no such file.")
    report = report_of(submission, whole=seen.viewer.staff)
    findings = findings_in(report, path, player) if report else {}
    asked = max(request.args.get("page", 1, type=number), 1)
    lines, pages = on_page(files[path], asked, findings)
    if not lines:
        raise NotFound("This file has no such page.")
    return page_about(
        "code.html",
        seen,
        submission=submission,
        files=sorted(files),
        path=path,
        lines=lines,
        page=asked,
        pages=pages,
        notes=report.notes if report and path == player else [],
        places=[(line, address(submission_id, line, path)) for line in sorted(findings)],
    )


def links_of(submission: Submission) -> Callable[..., str]:
    """The `address` of a line; "" for a file that was not uploaded, such as one handed out."""
    files = files_of(submission)
    return lambda line, path="": address(submission.id, line, path) if not path or path in files else ""


def address(submission_id: int, line: int, path: str = "") -> str:
    """The address of a line of a file; of the player without a `path`."""
    page = page_with(line) if page_with(line) > 1 else None
    return url_for("code.show", submission_id=submission_id, file=path or None, page=page, _anchor=f"L{line}")
