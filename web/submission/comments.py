"""Comments of staff on lines of an upload: written, changed, deleted and brought back."""

from typing import Any

from flask import Blueprint, flash, redirect, request

from grader.marks import comments as commenting
from grader.marks.comments import CodeComment
from grader.store.models import Submission
from web.site import access
from web.site.access import Seen
from web.site.auth import user
from web.site.inputs import number
from web.site.pages import see_other, shown_again
from web.site.store import read, write
from web.submission.code import page_of
from web.submission.reading import CommentForm, find_line, line_address

page = Blueprint("comments", __name__)


@page.get("/comments/<int:comment_id>/")
def show(comment_id: int) -> Any:
    """Lead to the line of a comment, as a notice does."""
    found, _ = access.code_comment(read(), user().id, comment_id)
    if found.deleted_at:
        flash("That comment has been deleted.")
        return see_other("code.show", submission_id=found.submission_id, file=found.path)
    return redirect(line_address(found.submission_id, found.line, found.path), 303)


@page.post("/submissions/<int:submission_id>/comments")
def write_one(submission_id: int) -> Any:
    """Comment on a line of a file."""
    submission, seen = access.submission(read(), user().id, submission_id)
    access.answering(seen, submission.author_id)
    form = request.form
    path, line, text = form.get("file", ""), form.get("line", 0, number), form.get("comment", "")
    find_line(submission, path, line)
    if "again" in form:
        return page_of(submission, seen, path, CommentForm(line, _with_earlier(seen, text)))
    with (
        shown_again(lambda why: page_of(submission, seen, path, CommentForm(line, text, problem=str(why)))),
        write() as session,
    ):
        row = session.get_one(Submission, submission_id, with_for_update=True)
        commenting.comment_on(session, row, user().id, (path, line), text)
    flash("The comment is saved. The student gets a notice with a link to this line.")
    return redirect(line_address(submission_id, line, path), 303)


@page.post("/comments/<int:comment_id>/")
def change(comment_id: int) -> Any:
    """Save another text, delete the comment, or bring it back: `do` is `delete` or `restore`."""
    found, seen = access.code_comment(read(), user().id, comment_id)
    access.editing(seen, found)
    do, text = request.form.get("do", ""), request.form.get("comment", "")
    if "again" in request.form:
        return _form(found, seen, _with_earlier(seen, text), "")
    with shown_again(lambda why: _form(found, seen, text, str(why))), write() as session:
        if do == "delete":
            commenting.delete_comment(session, comment_id)
        elif do == "restore":
            commenting.restore_comment(session, comment_id)
        else:
            commenting.edit_comment(session, comment_id, user().id, text, request.form.get("was", 0, number))
    if do != "delete":
        flash("The comment is back." if do == "restore" else "The comment is saved.")
    deleted = comment_id if do == "delete" else None
    return redirect(line_address(found.submission_id, found.line, found.path, deleted), 303)


def _form(found: CodeComment, seen: Seen, text: str, problem: str) -> str:
    form = CommentForm(found.line, text, found.id, found.revision, problem)
    return page_of(found.submission, seen, found.path, form)


def _with_earlier(seen: Seen, text: str) -> str:
    """What is typed so far, and the earlier comment that was chosen."""
    id_ = request.form.get("again", 0, number)
    known = commenting.earlier_comments(read(), seen.viewer.course.id, user().id)
    return "\n".join(filter(None, (text.rstrip(), *(each.text for each in known if each.id == id_))))
