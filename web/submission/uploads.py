"""Uploads from the site: a file, or pasted text."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BytesIO

from flask import Request, Response, send_file
from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.assignment.deadline import accept_upload
from grader.store.models import Submission
from grader.store.uploads import Upload
from grader.submissions.submit import submit, waiting_twin
from sandbox.archives import pack
from tournament.store.database import now
from web.models import Membership
from web.site.access import Seen
from web.site.store import settings, write

PASTED = "pasted.py"
LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class SentFile:
    """What a visitor sent, not yet judged."""

    filename: str
    source: bytes
    wants_entry: bool
    files: Mapping[str, bytes] = field(default_factory=dict)  # all of them, for a program

    @property
    def is_nothing(self) -> bool:
        """Whether neither a file was chosen nor a text pasted."""
        return self.filename == PASTED and not self.source

    @property
    def digest(self) -> str:
        """SHA-256 of what was sent."""
        return hashlib.sha256(self.source + (pack(self.files) if self.files else b"")).hexdigest()

    @property
    def text(self) -> str:
        """The source to put back into the text box when the upload is refused; empty if it is not text."""
        try:
            return "" if b"\0" in self.source else self.source.decode()
        except UnicodeDecodeError:
            return ""


def from_form(request: Request) -> SentFile:
    """The file if one was chosen, else the text."""
    wants_entry = request.form.get("mode") == "enter"
    file = request.files.get("file")
    if file and file.filename:
        return SentFile(clean_name(file.filename), file.read(), wants_entry)
    text = request.form.get("text", "").replace("\r\n", "\n")
    return SentFile(clean_name(request.form.get("filename") or PASTED), text.encode(), wants_entry)


def clean_name(name: str) -> str:
    """The last part of a file's name without control characters, of a bounded length."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(letter for letter in last if letter.isprintable()).strip()[:LONGEST_NAME] or PASTED


def store(seen: Seen, given: SentFile, key: str | None) -> int:
    """Store the upload and have it graded; its id. Raises what `grader.submissions.submit.submit` raises."""
    with write() as session:
        return _submit(session, seen, given, key).id


def store_once(seen: Seen, given: SentFile, key: str) -> int:
    """The same for a person: a file uploaded again from a second tab, while the first still waits to be graded or
    to enter, is the first one."""
    with write() as session:
        _one_at_a_time(session, seen)
        twin = waiting_twin(session, seen.assignment, _upload(seen, given, key))
        return (twin or _submit(session, seen, given, key)).id


def _one_at_a_time(session: Session, seen: Seen) -> None:
    """Make this person's uploads to the course wait for each other, so that each sees the one before. (SQLite makes all
    writers wait.)"""
    own = Membership.user_id == seen.viewer.user_id, Membership.course_id == seen.assignment.course_id
    session.execute(select(Membership.user_id).where(*own).with_for_update(key_share=True))


def _submit(session: Session, seen: Seen, given: SentFile, key: str | None) -> Submission:
    if not seen.viewer.staff:
        accept_upload(session, seen.assignment, seen.viewer.user_id, now(), seen.viewer.course.zone)
    return submit(
        session, settings().send, seen.assignment, _upload(seen, given, key), largest=settings().limits.source
    )


def _upload(seen: Seen, given: SentFile, key: str | None) -> Upload:
    person = seen.viewer
    return Upload(person.user_id, person.pseudonym, given.filename, given.source, given.wants_entry, key, given.files)


def python_file(source: bytes, filename: str) -> Response:
    """A download; whatever is in it, a browser does not show it as a page."""
    return send_file(BytesIO(source), mimetype="text/x-python", as_attachment=True, download_name=filename)
