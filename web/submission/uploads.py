"""Uploads and downloads. An upload is a file or pasted text; for an assignment that asks for programs, it is a zip or
several files, perhaps in addition to the files of a former upload."""

import hashlib
import json
from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import PurePosixPath

from flask import Response, request, send_file
from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.assignment.deadline import accept_upload
from grader.definition.model import Definition
from grader.programs.upload import Inventory, TakenIn, inventory, player_in, read_files, take_in
from grader.store.models import Submission
from grader.store.uploads import Upload, UploadError
from grader.submissions.submit import files_of, submit, waiting_twin
from sandbox.api import SentBytes
from sandbox.archives import pack
from tournament.store.database import now
from web.site.access import Seen
from web.site.inputs import number
from web.site.models import Membership
from web.site.store import settings, write

PASTED = "pasted.py"
LONGEST_NAME = 100
FORMER = 5
"""The number of former uploads whose files a new upload can take over."""

NAMED = 6
"""The maximum number of files that a message names."""

PLAYER = "the Python file with your functions"


@dataclass(frozen=True, slots=True)
class SentFile:
    """The data that a visitor sent, before it is checked."""

    filename: str
    source: bytes
    wants_entry: bool
    files: Mapping[str, bytes] = field(default_factory=dict)  # all files of a program

    @property
    def is_nothing(self) -> bool:
        """Whether there is neither a file nor any pasted text."""
        return self.filename == PASTED and not self.source

    @property
    def digest(self) -> str:
        """The SHA-256 of the sent data."""
        return hashlib.sha256(self.source + (pack(self.files) if self.files else b"")).hexdigest()

    @property
    def text(self) -> str:
        """The source to put back into the text box when the upload is refused; empty if it is not text."""
        try:
            return "" if b"\0" in self.source else self.source.decode()
        except UnicodeDecodeError:
            return ""


def sent_file() -> SentFile:
    """Return the file that was sent if one was chosen, else the pasted text."""
    wants_entry = request.form.get("mode") == "enter"
    file = request.files.get("file")
    if file and file.filename:
        return SentFile(clean_name(file.filename), file.read(), wants_entry)
    text = request.form.get("text", "").replace("\r\n", "\n")
    return SentFile(clean_name(request.form.get("filename") or PASTED), text.encode(), wants_entry)


def clean_name(name: str) -> str:
    """Return the last part of a file's name, without control characters and with a limited length."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(letter for letter in last if letter.isprintable()).strip()[:LONGEST_NAME] or PASTED


def store_upload(seen: Seen, given: SentFile, key: str | None) -> int:
    """Store the upload and have it graded. Returns its id. Raises the same errors as
    `grader.submissions.submit.submit`."""
    with write() as session:
        return _submit(session, seen, given, key).id


def store_upload_once(seen: Seen, given: SentFile, key: str) -> int:
    """Store an upload as `store_upload` does, but at most once: if a person sends the same file from a second tab while
    the first upload still waits to be graded or to enter, return the first upload's id."""
    with write() as session:
        # This person's uploads to the course wait for each other, so that each sees the previous one. (SQLite makes all
        # writers wait.)
        own = Membership.user_id == seen.viewer.user_id, Membership.course_id == seen.assignment.course_id
        session.execute(select(Membership.user_id).where(*own).with_for_update(key_share=True))
        twin = waiting_twin(session, seen.assignment, _upload_of(seen, given, key))
        return (twin or _submit(session, seen, given, key)).id


def _submit(session: Session, seen: Seen, given: SentFile, key: str | None) -> Submission:
    if not seen.viewer.staff:
        accept_upload(session, seen.assignment, seen.viewer.user_id, now(), seen.viewer.course.zone)
    return submit(
        session, settings().send, seen.assignment, _upload_of(seen, given, key), largest=settings().limits.source
    )


def _upload_of(seen: Seen, given: SentFile, key: str | None) -> Upload:
    person = seen.viewer
    return Upload(person.user_id, person.pseudonym, given.filename, given.source, given.wants_entry, key, given.files)


def python_file(source: bytes, filename: str) -> Response:
    """Return a Python file to download. Whatever it contains, a browser does not show it as a page."""
    return send_file(BytesIO(source), mimetype="text/x-python", as_attachment=True, download_name=filename)


@dataclass(frozen=True, slots=True)
class SentFiles:
    """The files that a visitor sent. `parts` are files with their names. They replace files with the same path in
    `base`, which contains the files of a former upload, or the files sent before the site asked a question."""

    parts: Sequence[tuple[str, SentBytes]]
    base: Mapping[str, bytes]
    wants_entry: bool
    confirmed: bool = False
    carried_name: str = ""  # the name of an upload that was sent before a question was asked
    former: Submission | None = None


@dataclass(frozen=True, slots=True)
class ReadUpload:
    """An upload that was read: the data to store, and messages for its author. `missing` are names of missing files,
    each with the name of a file that may have been meant."""

    sent: SentFile
    taken: TakenIn
    missing: Sequence[tuple[str, str]]

    @property
    def carried(self) -> str:
        """All files, encoded for a hidden field of the form."""
        return b64encode(pack(self.sent.files)).decode()

    @property
    def notes(self) -> list[str]:
        """Sentences about what happened to the files that were sent."""
        taken, found = self.taken, list[str]()
        if taken.top:
            found.append(f"All files were in the folder {taken.top}. It has been removed from their names.")
        for path, home in taken.moved.items():
            found.append(f"{path} was placed at {home}, because the assignment has a file with that name there.")
        for why in sorted({*taken.left_out.values()}):
            paths = [path for path, each in taken.left_out.items() if each == why]
            more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
            found.append(f"Left out ({why}): {', '.join(paths[:NAMED])}{more}.")
        return found


def sent_files(session: Session, seen: Seen) -> SentFiles:
    """Return the files that the upload form sent. Raises UploadError."""
    parts = [(file.filename or "", file.read()) for file in request.files.getlist("file") if file.filename]
    former = _former_upload(session, seen, request.form.get("former", type=number))
    base = files_of(former) if former else {}
    try:
        carried = b64decode(request.form.get("carried", ""), validate=True)
    except Error:
        raise UploadError("The files that you sent before are damaged. Choose them again.") from None
    if carried:
        base = {**base, **read_files([("upload.zip", SentBytes(carried))])}
    form = request.form
    name = clean_name(form.get("filename", "")) if carried else ""
    return SentFiles(parts, base, form.get("mode") == "enter", form.get("confirm") == "yes", name, former)


def read_upload(definition: Definition, given: SentFiles) -> ReadUpload:
    """Read an upload. Raises UploadError or a subclass."""
    taken = take_in(definition.programs, given.parts, given.base)
    player = player_in(definition, taken.files)
    missing = [(each.path, each.meant) for each in taken.inventory.missing]
    if definition.wants_player and not player:
        missing.append((PLAYER, ""))
    name = PurePosixPath(player).name or _name_of_parts(given)
    source = taken.files[player] if player else b""
    return ReadUpload(SentFile(clean_name(name), source, given.wants_entry, taken.files), taken, missing)


def _former_upload(session: Session, seen: Seen, id_: int | None) -> Submission | None:
    found = session.get(Submission, id_) if id_ else None
    mine = found and (found.author_id, found.assignment_id) == (seen.viewer.user_id, seen.assignment.id)
    if id_ and not mine:
        raise UploadError("The upload whose files you wanted to reuse is not yours. Choose another one.")
    return found


def _name_of_parts(given: SentFiles) -> str:
    names = [clean_name(name) for name in (given.carried_name, *(name for name, _ in given.parts)) if name]
    if not names:
        return given.former.filename if given.former else "upload.zip"
    others = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return names[0][: LONGEST_NAME - len(others)] + others


def takeable(submissions: Sequence[Submission]) -> list[Submission]:
    """Return the latest uploads whose files can be taken over."""
    return [each for each in submissions if each.needs][:FORMER]


def expected(definition: Definition) -> str:
    """Return the facts about the expected files that the upload form's script needs, as JSON."""
    programs = definition.programs
    return json.dumps(
        {
            "asked": list(dict.fromkeys(path for each in programs for path in each.asked_for)),
            "locked": sorted({path for each in programs for path in each.locked}),
            "editable": sorted({pattern for each in programs for pattern in each.editable}),
        }
    )


def handed_out(definition: Definition) -> dict[str, bytes]:
    """Return the files that are handed out with all program questions. If two questions have different files with the
    same path, each question gets its own folder."""
    programs = [each for each in definition.programs if each.given]
    texts: dict[str, set[str]] = {}
    for each in programs:
        for path, text in each.given.items():
            texts.setdefault(path, set()).add(text)
    apart = any(len(found) > 1 for found in texts.values())
    return {
        f"{each.slug}/{path}" if apart else path: text.encode()
        for each in programs
        for path, text in each.given.items()
    }


def inventory_of(definition: Definition, submission: Submission) -> tuple[dict[str, bytes], Inventory]:
    """Return the files of a submission, and how they match those that the assignment asks for."""
    files = files_of(submission)
    return files, inventory(definition.programs, files)


def zip_file(files: Mapping[str, bytes], name: str) -> Response:
    """Return a zip of several files to download."""
    return send_file(BytesIO(pack(files)), mimetype="application/zip", as_attachment=True, download_name=name)


def text_file(content: bytes, path: str, download: bool) -> Response:
    """Return a file to look at or to download. Whatever it contains, a browser does not show it as a page."""
    name = PurePosixPath(path).name
    return send_file(BytesIO(content), "text/plain; charset=utf-8", as_attachment=download, download_name=name)


def zip_name(submission: Submission) -> str:
    """Return the name of the zip with a submission's files."""
    return f"{PurePosixPath(submission.filename).stem}-{submission.id}.zip"
