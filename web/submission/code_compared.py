"""Two submissions side by side: two versions of one student, or for staff those of two students whom they oversee."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from flask import Blueprint, request
from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session
from werkzeug.exceptions import NotFound

from grader.store.models import Submission
from web.models import User
from web.site import access
from web.site.access import Seen
from web.site.auth import user
from web.site.inputs import number
from web.site.pages import page_about, see_other
from web.site.store import read
from web.submission.comparing import compared
from web.submission.reading import version_of

page = Blueprint("code_compared", __name__, url_prefix="/submissions/<int:submission_id>/code/compared")

OFFERED = 50
"""The most versions of a student to choose from."""

PEOPLE = 20
"""The most students that a search finds."""


@dataclass(frozen=True, slots=True)
class FoundAuthor:
    """A student whom a search found: how many uploads they have, and the latest."""

    name: str
    login: str
    uploads: int
    latest: int


@page.get("/")
def show(submission_id: int) -> Any:
    """The page; with `?other=`, the number of an older or another submission, which is shown on the left, and with
    `?this=` another one on the right. `?who=` searches for students to compare with."""
    session = read()
    submission, seen = access.submission(session, user().id, submission_id)
    asked, this = request.args.get("other", type=number), request.args.get("this", submission_id, number)
    if this != submission_id:
        return see_other("code_compared.show", submission_id=this, other=asked)
    versions = _versions(session, submission)
    before = next((each for each in versions if each.id < submission.id), None)
    id_ = asked or (before.id if before else None)
    other = access.submission(session, user().id, id_)[0] if id_ else None
    if other and other.assignment_id != submission.assignment_id:
        raise NotFound("These two submissions belong to different assignments.")
    authors = {each.id: session.get_one(User, each.author_id) for each in (submission, other) if each}
    sides = [version_of(session, seen, each) for each in (other, submission) if each]
    return page_about(
        "submission/code_compared.html",
        seen,
        submission=submission,
        other=other,
        authors=authors,
        versions=versions,
        others=versions if not other or other.author_id == submission.author_id else _versions(session, other),
        found=list(compared(*sides)) if len(sides) > 1 else [],
        names={id_: name for side in sides for id_, name in side.comments.names.items()},
        may_edit=partial(access.may_edit, seen),
        who=(who := request.args.get("who", "").strip()),
        people=_search(session, seen, submission, who) if who and seen.viewer.staff else [],
    )


def _search(session: Session, seen: Seen, submission: Submission, who: str) -> list[FoundAuthor]:
    """Other students with uploads whose name or login contains that, of those whom the viewer oversees."""
    wanted = select(User.name, User.login, func.count(), func.max(Submission.id)).join(
        Submission, Submission.author_id == User.id
    )
    others = Submission.assignment_id == submission.assignment_id, Submission.author_id != submission.author_id
    wanted = wanted.where(*others).group_by(User.id, User.name, User.login)
    wanted = wanted.where(or_(User.name.icontains(who, autoescape=True), User.login.icontains(who, autoescape=True)))
    if seen.viewer.pupils is not None:
        wanted = wanted.where(User.id.in_(seen.viewer.pupils))
    return [FoundAuthor(*row) for row in session.execute(wanted.order_by(User.name, User.id).limit(PEOPLE))]


def _versions(session: Session, submission: Submission) -> Sequence[Submission]:
    """The latest submissions of the same student, the newest first."""
    wanted = select(Submission).where(
        Submission.assignment_id == submission.assignment_id, Submission.author_id == submission.author_id
    )
    return session.scalars(wanted.order_by(Submission.id.desc()).limit(OFFERED)).all()
