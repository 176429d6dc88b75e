"""The log of which staff opened whose work, with a row for each combination of staff member, person, kind and day.

During a request, `web.site.access` notes whose work it shows to somebody else; combinations that are new on that day
are stored after the answer. Looking at one's own work stores nothing.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from flask import Flask, Response, current_app, g, request
from flask_login import current_user
from sqlalchemy import select
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session, aliased

from grader.store.models import Assignment, RegradeBatch
from tournament.store.database import now
from tournament.store.tables import Tournament
from web.api.operations import api_user
from web.privacy.tables import OpenedWork
from web.site.access import OPENED
from web.site.models import Course, User
from web.site.store import read, settings, under_way, write

KINDS: Final = {
    "submission": "report",
    "code": "code",
    "download": "download",
    "mark": "mark",
    "page": "the person’s page",
    "view": "the course as this person sees it",
    "list": "download of data about the whole class",
}
"""The kinds of work that can be opened, in words; any other kind is a game."""

LISTS: Final = {"marks.file", "marks.record", "marks.new_file", "gradebook.file", "final.marks_file", "rubric.file"}
LISTS.update({"marks.complete_file", "gradebook.complete_files", "submissions_zip.file"})
LISTS.update({"people.file", "insight.listed_file", "regrade.changes_file", "leaderboard.standings_file"})
LISTS.update({"api.read_gradebook", "api.read_course_gradebook", "api.list_people"})
DOWNLOADS: Final = {"submission.source", "submission.file", "list_files", "get_zip"}
SHOWN: Final = 500
MOST: Final = 10_000  # rows that a process remembers as stored


def install(app: Flask) -> None:
    """Have an application log the work that was opened, after each answer."""
    app.after_request(_store)


def _store(response: Response) -> Response:
    if request.endpoint in LISTS and response.status_code == 200:
        g.setdefault(OPENED, set()).add((_course_asked(), _asker_id(), None, "list"))
    if OPENED in g and response.status_code < 400 and settings().privacy.log_days and not under_way():
        day, endpoint = f"{now():%Y-%m-%d}", (request.endpoint or "").removeprefix("api.")
        how = "download" if endpoint in DOWNLOADS else "code" if request.blueprint == "code" else ""
        rows = {(*opened, KINDS.get(how or what, "game"), day) for *opened, what in g.pop(OPENED)}
        known: set[Any] = current_app.extensions.setdefault("quadrille-opened", set())
        if new := rows - known:
            with suppress(OperationalError), write() as session:  # a full disk must not keep anybody from reading
                _add_rows(session, new)
                known.difference_update(known if len(known) > MOST else ())
                known |= new
    return response


def _asker_id() -> int:
    owner = api_user() if request.blueprint == "api" else None
    return owner.id if owner else int(current_user.user.id)


def _course_asked() -> int | None:
    given = request.view_args or {}
    if "course" in given:
        return read().scalar(select(Course.id).where(Course.slug == given["course"]))
    wanted = select(Assignment.course_id)
    if "batch_id" in given:
        batches = wanted.join(RegradeBatch, RegradeBatch.assignment_id == Assignment.id)
        return read().scalar(batches.where(RegradeBatch.id == given["batch_id"]))
    if "tournament_id" in given:
        of = wanted.join(Tournament, Tournament.assignment_id == Assignment.id)
        return read().scalar(of.where(Tournament.id == given["tournament_id"]))
    return read().scalar(wanted.where(Assignment.id == given["assignment_id"]))


def _add_rows(session: Session, rows: set[tuple[Any, ...]]) -> None:
    for row in rows:
        values = dict(zip(("course_id", "staff_id", "person_id", "kind", "day"), row, strict=True))
        if (
            session.scalar(select(OpenedWork.id).filter_by(**values).limit(1)) is None
        ):  # unless another process added it
            session.add(OpenedWork(**values))


def opened(session: Session, course_id: int | None = None, person_id: int | None = None) -> Sequence[Any]:
    """Return the latest lines about a course or about a person: the day, who opened the work, whose it was, its kind,
    and the course."""
    staff, person = aliased(User), aliased(User)
    wanted = select(OpenedWork.day, staff.name, person.name, OpenedWork.kind, Course.title)
    wanted = wanted.join(staff, staff.id == OpenedWork.staff_id).join(Course, Course.id == OpenedWork.course_id)
    wanted = wanted.outerjoin(person, person.id == OpenedWork.person_id)
    own = OpenedWork.course_id == course_id if course_id else OpenedWork.person_id == person_id
    return session.execute(wanted.where(own).order_by(OpenedWork.day.desc(), OpenedWork.id.desc()).limit(SHOWN)).all()
