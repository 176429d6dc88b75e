"""Decides which files are accepted as players; all others are refused, with a clear reason.

Text that is not a working program is accepted, because the report explains mistakes better than a refusal. A file that
is not UTF-8 text is refused; the message says what the file seems to be and what to do. Text is also refused if Python
would read it differently than people do: if it declares an encoding other than UTF-8, or contains line ends that
editors do not show.
"""

import codecs
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BytesIO
from tokenize import detect_encoding
from typing import Final

from sandbox.api import Limits, SentBytes
from tournament.store.validation import Refusal

LARGEST: Final = Limits().source


@dataclass(frozen=True, slots=True)
class Upload:
    """An uploaded file that is not checked yet. With `wants_entry` it is meant to enter the ladders, as `entry_name`.
    `request_key` is chosen by the client: a repeated upload with the same key is treated as the same upload. `files`
    contains all files of an upload to an assignment with program questions, already checked; `source` is then the
    player among them, or b""."""

    author_id: int
    entry_name: str
    filename: str
    source: bytes
    wants_entry: bool
    request_key: str | None = None
    files: Mapping[str, bytes] = field(default_factory=dict)


class UploadError(Refusal):
    """An upload or entry is refused; the message says why and what to do."""

    status = 422


class Conflict(UploadError):
    """An upload or entry is refused because of the current state."""

    status = 409


class EmptyFile(UploadError):
    """The file is empty or contains only white space."""


class TooLarge(UploadError):
    """The file is larger than the limit."""

    status = 413


class NotText(UploadError):
    """The file is not text but, for example, an archive, a document, a picture or a compiled program."""


class NotUtf8(UploadError):
    """The text has, or declares, an encoding other than UTF-8."""


class OldLineEnds(UploadError):
    """Lines end with the old Mac line ends (before 2001), where Python starts a new line but some editors do not."""


_BINARY: Final = (
    (b"PK\x03\x04", "a ZIP archive"),
    (b"PK\x05\x06", "a ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"%PDF-", "a PDF document"),
    (b"\xd0\xcf\x11\xe0", "an old Word or Excel document"),
    (b"{\\rtf", "a rich-text (RTF) document"),
    (b"\x89PNG", "a picture (PNG)"),
    (b"\xff\xd8\xff", "a picture (JPEG)"),
    (b"\x7fELF", "a program for Linux"),
    (b"\xcf\xfa\xed\xfe", "a program for macOS"),
    (b"SQLite format 3\0", "a database"),
)
_IN_ARCHIVE: Final = (
    (b"word/", "a Word document"),
    (b"xl/", "an Excel workbook"),
    (b"ppt/", "a PowerPoint presentation"),
    (b"mimetypeapplication/vnd.oasis", "a LibreOffice document"),
)
_UPLOAD_PY = "Delete it. If this is another kind of file, upload the .py file itself."
_SAVE_AS = "Choose UTF-8 when you save it (the default in IDLE and VS Code; under Save as in Notepad)."


def check_upload(source: SentBytes, largest: int = LARGEST) -> None:
    """Raise a subclass of UploadError if a file cannot be a player. The file's name does not matter."""
    if len(source) > largest:
        raise TooLarge(f"Your file is {-(-len(source) // 1024)} KiB; the limit is {largest // 1024} KiB.")
    if not source.removeprefix(b"\xef\xbb\xbf").strip():
        raise EmptyFile("Your file is empty. Did you save it before uploading?")
    _check_kind(source, "This looks like {}, not like a Python file. Upload the .py file itself.", _UPLOAD_PY)
    _check_declaration(source)


def check_text(content: SentBytes) -> None:
    """Raise a subclass of UploadError if a file cannot be part of a program."""
    refusal = "It looks like {}, not like the text of a program. Leave it out, or upload the text."
    _check_kind(content, refusal, "Delete it.")


def _check_kind(source: bytes, refusal: str, advice: str) -> None:
    """Refuse a file that is not text, with the sentence `refusal`, and text that Python reads differently from how it
    looks. `advice` says what to do about a NUL character."""
    if source.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise NotUtf8(f"Your file is saved as UTF-16 (Unicode), not as UTF-8. {_SAVE_AS}")
    if kind := _other_kind(source):
        raise NotText(refusal.format(kind))
    try:
        source.decode("utf-8")
    except UnicodeDecodeError as error:
        line = _line_at(source, error.start)
        column = error.start - (source.rfind(b"\n", 0, error.start) + 1) + 1
        byte = f"0x{source[error.start]:02X}"
        raise NotUtf8(
            f"Your file is not saved as UTF-8: the byte {byte} at position {column} of line {line} is not valid. Look "
            f"for a special character there (a quotation mark, a dash, an accented letter). {_SAVE_AS}"
        ) from None
    nul = source.find(b"\0")
    if nul >= 0:
        raise NotText(f"Line {_line_at(source, nul)} of your file has a NUL character, which is not allowed. {advice}")
    lone = source.replace(b"\r\n", b"\n\n").find(b"\r")
    if lone >= 0:
        raise OldLineEnds(
            f"Line {_line_at(source, lone)} of your file has a carriage return without a line feed. Some "
            "programs begin a new line there, but most editors do not. Save the file with LF or CRLF line endings (at "
            "the bottom right in VS Code; under Edit, EOL Conversion in Notepad++), or delete that character."
        )


def _other_kind(source: bytes) -> str:
    """Say what the file seems to be if it cannot be Python; "" otherwise."""
    for magic, kind in _BINARY:
        if source.startswith(magic):
            return next((name for sign, name in _IN_ARCHIVE if magic[:2] == b"PK" and sign in source), kind)
    if source[2:4] == b"\r\n" and b"\0" in source[:16]:
        return "compiled Python (.pyc)"
    if source.lstrip()[:1] == b"{" and b'"nbformat"' in source:
        return "a Jupyter notebook"
    if source.lstrip()[:14].lower().startswith((b"<!doctype html", b"<html")):
        return "a web page"
    try:
        source.decode("utf-8")
    except UnicodeDecodeError:
        return "a binary file" if b"\0" in source else ""
    return ""


def _check_declaration(source: bytes) -> None:
    """Refuse a file with a comment in its first two lines that declares an encoding other than UTF-8 (PEP 263)."""
    try:
        name, lines = detect_encoding(BytesIO(source).readline)
    except SyntaxError:
        name, lines = "", source.split(b"\n", 2)[:2]
    if not name or codecs.lookup(name).name not in ("utf-8", "utf-8-sig"):
        line = next((number for number, text in enumerate(lines, 1) if b"coding" in text), 1)
        raise NotUtf8(
            f"Line {line} of your file says that the file is not in UTF-8. Only UTF-8 is accepted: delete that "
            f"comment. {_SAVE_AS}"
        )


def _line_at(source: bytes, at: int) -> int:
    return source.count(b"\n", 0, at) + 1
