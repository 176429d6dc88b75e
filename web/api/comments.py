"""What staff say of lines of a submission."""

from datetime import datetime

from flask import url_for
from pydantic import Field

from web.api.models import Model
from web.api.operations import operation
from web.assignment.reading.commenting import shown_comments
from web.models import User
from web.site.rights import access
from web.site.store import read


class LineComment(Model):
    """A comment on a line."""

    id: int
    path: str
    line: int = Field(description="from 1")
    text: str
    written_by: str = Field(description="a name")
    written_at: datetime
    changed_at: datetime | None
    url: str


class LineComments(Model):
    comments: list[LineComment] = Field(description="by file and line")


@operation("GET", "/submissions/<int:submission_id>/comments", {200: LineComments}, problems=(403,))
def list_comments(user: User, submission_id: int) -> LineComments:
    """What staff have said of lines of a submission."""
    access.submission(read(), user.id, submission_id)
    found = shown_comments(read(), [submission_id])
    return LineComments(
        comments=[
            LineComment(
                id=row.id,
                path=row.path,
                line=row.line,
                text=row.text,
                written_by=found.names[row.written_by],
                written_at=row.written_at,
                changed_at=row.changed_at,
                url=url_for("comments.show", comment_id=row.id, _external=True),
            )
            for row in found.rows
        ]
    )
