"""The files of a submission, to be read line by line with what the report found and what staff say of it."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from flask import Blueprint, request
from werkzeug.exceptions import NotFound

from grader.marks.comments import LONGEST, CodeComment, earlier_comments
from grader.store.models import Submission
from web.site import access
from web.site.access import Seen
from web.site.auth import user
from web.site.inputs import number
from web.site.notices import looked_at
from web.site.pages import page_about
from web.site.store import read
from web.submission.reading import CodeLine, CommentForm, line_address, on_page, page_with, version_of

page = Blueprint("code", __name__, url_prefix="/submissions/<int:submission_id>/code")


@page.get("/")
def show(submission_id: int) -> str:
    """A part of a file: `?file=` its path, by default that of the player, and `?page=` from 1 or the `?line=` that it
    shows. `?comment=` opens a form at that line, `?edit=` one for that comment; `?deleted=` offers to bring that
    comment back."""
    session, asked = read(), request.args
    submission, seen = access.submission(session, user().id, submission_id)
    path, form, edited = asked.get("file", ""), None, _known(submission, seen, "edit")
    if edited and not edited.deleted_at:
        path, form = edited.path, CommentForm(edited.line, edited.text, edited.id, edited.revision)
    elif "comment" in asked and seen.viewer.answers:
        form = CommentForm(asked.get("comment", 0, number))
    part = asked.get("page", 0, number) or (page_with(asked.get("line", 0, number)) if "line" in asked else 0)
    return page_of(submission, seen, path, form, part)


def page_of(submission: Submission, seen: Seen, path: str = "", form: CommentForm | None = None, part: int = 0) -> str:
    """The page, with a form at a line or without; `part` of the file, 0 for that with the form."""
    version, lead = version_of(read(), seen, submission), partial(line_address, submission.id)
    files, comments, report = version.files, version.comments, version.report
    path = path or version.player or min(files)
    if path not in files:
        raise NotFound("This submission has no such file.")
    findings = version.findings(path)
    part = max(part, 1) if part or not form else page_with(form.line)
    lines, parts = on_page(files[path], part, version.in_python(path), findings, comments.at(path))
    form = _offering(form, lines, seen)
    if submission.author_id == user().id and comments.rows:
        looked_at(user().id, "comment", {each.id for each in comments.rows})
    deleted = _known(submission, seen, "deleted")
    return page_about(
        "submission/code.html",
        seen,
        submission=submission,
        files=sorted(files),
        path=path,
        lines=lines,
        page=part,
        pages=parts,
        notes=report.notes if report and path == version.player else [],
        places=[(line, lead(line, path)) for line in sorted(findings)],
        lead=lead,
        comments=comments,
        form=form,
        may_edit=partial(access.may_edit, seen),
        deleted=deleted if deleted and deleted.deleted_at else None,
        longest=LONGEST,
    )


def _offering(form: CommentForm | None, lines: Sequence[CodeLine], seen: Seen) -> CommentForm | None:
    """The form with what its writer can insert. Raises NotFound if its line, or any, is not among these."""
    if form is None and lines:
        return None
    if form is None or form.line not in (each.number for each in lines):
        raise NotFound("This file has no such line." if form else "This file has no such page.")
    return replace(form, earlier=earlier_comments(read(), seen.viewer.course.id, user().id))


def _known(submission: Submission, seen: Seen, name: str) -> CodeComment | None:
    """The comment on this submission that the address names so, if the viewer may change it."""
    id_ = request.args.get(name, 0, number)
    row = read().get(CodeComment, id_) if id_ else None
    return row if row and row.submission_id == submission.id and access.may_edit(seen, row) else None
