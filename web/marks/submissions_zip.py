"""For staff: the uploads of the class as a zip. It is generated while it is being sent, so the browser can show
progress, and neither a large class nor a slow connection uses up memory."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from io import RawIOBase
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZipFile

from flask import Blueprint, Response, request
from sqlalchemy import select
from sqlalchemy.orm import joinedload, undefer
from werkzeug.exceptions import BadRequest, NotFound

from grader.marks.book import mark_book
from grader.store.models import Submission
from tournament.store.database import Sessions, reading
from web.marks.books import with_marks
from web.marks.table import Enrolled, enrolled
from web.site import access
from web.site.access import Seen
from web.site.auth import user
from web.site.models import Membership
from web.site.pages import named
from web.site.store import read, settings
from web.submission.reading import apart, files_to_unpack, safe_path

page = Blueprint("submissions_zip", __name__, url_prefix="/assignments/<int:assignment_id>")

WHICH: Final = {"counting": "the uploads that count", "last": "the last upload of each student", "all": "all uploads"}
NAMES: Final = {"names": "names", "pseudonyms": "pseudonyms"}


@page.get("/marks/submissions.zip")
def file(assignment_id: int) -> Response:
    """Download a zip of the uploads of the students whom the viewer oversees, or of one section. `?which=` is a key of
    WHICH. Each student has a folder, named by their login or, with `?names=pseudonyms`, by their pseudonym."""
    seen = with_marks(access.overseeing(read(), user().id, assignment_id))
    which, by = request.args.get("which", "counting"), request.args.get("names", "names")
    if which not in WHICH or by not in NAMES:
        raise BadRequest("There is no such download.")
    students = enrolled(read(), seen.assignment.course_id, seen.viewer.pupils)
    folders = _folders_of_students(seen, [each for each in students if each.is_in(request.args.get("section", ""))], by)
    uploads = sorted((folders[student], id_) for student, id_ in _uploads_wanted(seen, folders.keys(), which))
    if not uploads:
        raise NotFound("None of these students has an upload. Choose other uploads, or another section.")
    places = [(id_, f"{folder}/{id_}" if which == "all" else folder) for folder, id_ in uploads]
    return named(Response(_zipped(settings().sessions, places), mimetype="application/zip"), seen, f"{which}.zip")


def _folders_of_students(seen: Seen, students: Sequence[Enrolled], by: str) -> Mapping[int, str]:
    """Return the folder of each student, by id."""
    called = {each.id: each.login for each in students}
    if by == "pseudonyms":
        wanted = select(Membership.user_id, Membership.pseudonym)
        called = dict(read().execute(wanted.where(Membership.course_id == seen.assignment.course_id)).all())
    ids = sorted((each.id for each in students), key=lambda id_: called[id_])
    names = apart(safe_path(called[id_]).replace("/", "_") for id_ in ids)
    return dict(zip(ids, names, strict=True))


def _uploads_wanted(seen: Seen, students: Collection[int], which: str) -> Iterable[tuple[int, int]]:
    """Return the uploads to include, as pairs of a student's id and a submission's id."""
    if which == "counting":
        marks = mark_book(read(), seen.assignment, students).marks.items()
        return [(student, mark.upload.submission_id) for student, mark in marks if mark.upload]
    own = select(Submission.author_id, Submission.id)
    own = own.where(Submission.assignment_id == seen.assignment.id).order_by(Submission.id)
    found = [(author, id_) for author, id_ in read().execute(own) if author in students]
    return found if which == "all" else dict(found).items()


class _Outgoing(RawIOBase):
    """Keeps the bytes that a zip writes until they are sent."""

    def __init__(self) -> None:
        self._written = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._written += data
        return len(data)

    def taken(self) -> bytes:
        taken = bytes(self._written)
        self._written.clear()
        return taken


def _zipped(sessions: Sessions, places: Sequence[tuple[int, str]]) -> Iterator[bytes]:
    """Generate the zip piece by piece. Each submission is read in a transaction of its own, so that none stays open
    while the zip is being sent."""
    out = _Outgoing()
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        for id_, folder in places:
            with reading(sessions) as session:
                options = undefer(Submission.archive), joinedload(Submission.player)
                submission = session.get(Submission, id_, options=options)
                files = [*files_to_unpack(submission)] if submission else []
            for path, content in files:
                archive.writestr(f"{folder}/{path}", content)
            yield out.taken()
    yield out.taken()
