"""Comments on lines as pages show them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from flask import url_for
from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.marks.comments import CodeComment, comments_on
from web.assignment.reading.code import page_with
from web.models import User


@dataclass(frozen=True, slots=True)
class ShownComments:
    """Comments in the order of their lines, and the names of those who wrote and changed them."""

    rows: Sequence[CodeComment]
    names: Mapping[int, str]

    def at(self, path: str) -> dict[int, list[CodeComment]]:
        """Those in a file, by line."""
        found: dict[int, list[CodeComment]] = {}
        for row in self.rows:
            if row.path == path:
                found.setdefault(row.line, []).append(row)
        return found


@dataclass(frozen=True, slots=True)
class CommentForm:
    """A comment that is being written: its line, the text so far, the comment that it changes and its revision, what
    was wrong with it, and the writer's earlier ones in the course."""

    line: int
    text: str = ""
    changes: int = 0
    was: int = 0
    problem: str = ""
    earlier: Sequence[CodeComment] = field(default=())


def shown_comments(session: Session, submission_ids: Sequence[int]) -> ShownComments:
    """The comments on some submissions."""
    rows = comments_on(session, submission_ids)
    people = {id_ for row in rows for id_ in (row.written_by, row.changed_by) if id_}
    wanted = select(User.id, User.name).where(User.id.in_(people))
    return ShownComments(rows, dict(session.execute(wanted).all()) if people else {})


def line_address(submission_id: int, line: int, path: str = "", deleted: int | None = None) -> str:
    """The address of a line of a file, of the player without a `path`; `deleted`: the comment that was there."""
    page, file = page_with(line) if page_with(line) > 1 else None, path or None
    return url_for("code.show", submission_id=submission_id, file=file, page=page, deleted=deleted, _anchor=f"L{line}")
