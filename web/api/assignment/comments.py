"""What staff say of lines of a submission."""

from datetime import datetime
from typing import Annotated

from flask import url_for
from pydantic import Field

from grader.models import Submission
from grader.reviewing import comments as commenting
from grader.reviewing.comments import LONGEST, CodeComment
from web.api.models import SAID, Model
from web.api.operations import json_body, operation
from web.assignment.reading.code import find_line
from web.assignment.reading.commenting import shown_comments
from web.models import User
from web.site.notices import looked_at
from web.site.rights import access
from web.site.store import fresh, read, write

OF_SUBMISSION, ONE = "/submissions/<int:submission_id>/comments", "/comments/<int:comment_id>"
Words = Annotated[str, Field(max_length=LONGEST, json_schema_extra=SAID, description="the student reads it")]


class LineComment(Model):
    """A comment on a line."""

    id: int
    submission_id: int
    path: str
    line: int = Field(description="from 1")
    text: str
    written_by: str = Field(description="a name")
    written_at: datetime
    changed_at: datetime | None
    deleted_at: datetime | None = Field(description="null in lists: they hold no deleted ones")
    revision: int = Field(description="to be sent back when you change it")
    url: str


class LineComments(Model):
    comments: list[LineComment] = Field(description="by file and line")


class NewLineComment(Model):
    path: str = Field(max_length=200, description="of a file of the submission")
    line: int = Field(description="from 1")
    text: Words


class ChangedLineComment(Model):
    revision: int = Field(description="of the comment as you have read it")
    text: Words


@operation("GET", OF_SUBMISSION, {200: LineComments}, problems=(403,))
def list_comments(user: User, submission_id: int) -> LineComments:
    """What staff have said of lines of a submission."""
    access.submission(read(), user.id, submission_id)
    return _listed(submission_id)


@operation("POST", f"{OF_SUBMISSION}/read", {200: LineComments}, problems=(403,))
def read_comments(user: User, submission_id: int) -> LineComments:
    """Mark the notice of the comments on your submission as read, and list the comments."""
    submission, _ = access.submission(read(), user.id, submission_id)
    access.own(submission, user.id)
    found = _listed(submission_id)
    looked_at(user.id, "comment", {each.id for each in found.comments})
    return found


@operation("POST", OF_SUBMISSION, {201: LineComment}, body=NewLineComment, problems=(403, 409))
def write_comment(user: User, submission_id: int) -> tuple[LineComment, int, dict[str, str]]:
    """Comment on a line of a file of a student whom you oversee. The student gets a notice."""
    submission, seen = access.submission(read(), user.id, submission_id)
    access.answering(seen, submission.author_id)
    given = json_body(NewLineComment)
    find_line(submission, given.path, given.line)
    with write() as session:
        row = session.get_one(Submission, submission_id, with_for_update=True)
        made = commenting.comment_on(session, row, user.id, (given.path, given.line), given.text)
        return _json(made, user.name), 201, {}


@operation("PATCH", ONE, {200: LineComment}, body=ChangedLineComment, problems=(403, 409))
def change_comment(user: User, comment_id: int) -> LineComment:
    """Change the text of a comment: your own, or as an instructor anybody’s."""
    _editing(user, comment_id)
    given = json_body(ChangedLineComment)
    with write() as session:
        commenting.edit_comment(session, comment_id, user.id, given.text, given.revision)
    return _now(comment_id)


@operation("DELETE", ONE, {200: LineComment}, problems=(403,))
def delete_comment(user: User, comment_id: int) -> LineComment:
    """Delete a comment. It can be brought back."""
    _editing(user, comment_id)
    with write() as session:
        commenting.delete_comment(session, comment_id)
    return _now(comment_id)


@operation("POST", f"{ONE}/restoration", {200: LineComment}, problems=(403,))
def restore_comment(user: User, comment_id: int) -> LineComment:
    """Bring a deleted comment back. The student gets a notice again."""
    _editing(user, comment_id)
    with write() as session:
        commenting.restore_comment(session, comment_id)
    return _now(comment_id)


def _listed(submission_id: int) -> LineComments:
    found = shown_comments(read(), [submission_id])
    return LineComments(comments=[_json(row, found.names[row.written_by]) for row in found.rows])


def _editing(user: User, comment_id: int) -> None:
    found, seen = access.code_comment(read(), user.id, comment_id)
    access.editing(seen, found)


def _now(comment_id: int) -> LineComment:
    with fresh() as session:
        row = session.get_one(CodeComment, comment_id)
        return _json(row, session.get_one(User, row.written_by).name)


def _json(row: CodeComment, written_by: str) -> LineComment:
    names = ("id", "submission_id", "path", "line", "text", "written_at", "changed_at", "deleted_at", "revision")
    url = url_for("comments.show", comment_id=row.id, _external=True)
    return LineComment(**{name: getattr(row, name) for name in names}, written_by=written_by, url=url)
