"""What can be accepted as a player's file, and a clear refusal of everything else.

Text that is no working program is accepted: the report explains it better than a refusal could. What is not UTF-8 text
is refused, with what it seems to be and what to do. So is text that Python reads otherwise than people do: in another
encoding than it is saved in, or with line ends that editors do not show.
"""

import codecs
from io import BytesIO
from tokenize import detect_encoding
from typing import Final

from sandbox.api import Limits

LARGEST: Final = Limits().source


class UploadError(Exception):
    """Something that a student uploads or enters is refused; `message` says why and what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class EmptyFile(UploadError):
    """Nothing in it, or only white space."""


class TooLarge(UploadError):
    """More bytes than are accepted."""


class NotText(UploadError):
    """A file of another kind: an archive, a document, a picture, a program for a machine."""


class NotUtf8(UploadError):
    """Text in another encoding, or text that says it is."""


class OldLineEnds(UploadError):
    """Lines that end as they did on a Mac before 2001: Python sees a new line there, and an editor may not."""


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
_PYC_END: Final = b"\r\n"  # bytes 3 and 4 of every compiled Python file
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")
_SAVE_AS = "Choose UTF-8 when you save it (in IDLE and VS Code that is the default; in Notepad it is in Save as)."


def check_upload(source: bytes, largest: int = LARGEST) -> None:
    """Refuse what cannot be a player's file: raises a kind of UploadError. The file's name does not matter."""
    if len(source) > largest:
        size = f"{-(-len(source) // 1024)} KiB"
        raise TooLarge(f"Your file has {size}; at most {largest // 1024} KiB are accepted.")
    if not source.removeprefix(b"\xef\xbb\xbf").strip():
        raise EmptyFile("Your file is empty. Did you save it before uploading?")
    if source.startswith(_UTF16):
        raise NotUtf8(f"Your file is saved as UTF-16 (Unicode), not as UTF-8. {_SAVE_AS}")
    kind = _other_kind(source)
    if kind:
        raise NotText(f"This looks like {kind}, not like a Python file. Upload the .py file itself.")
    _check_utf8(source)
    _check_characters(source)
    _check_declaration(source)


def _other_kind(source: bytes) -> str:
    """What the file seems to be, if it is no Python text; "" if it may be."""
    for magic, kind in _BINARY:
        if source.startswith(magic):
            return _archived(source) or kind
    if source[2:4] == _PYC_END and b"\0" in source[:16]:
        return "compiled Python (.pyc)"
    if source.lstrip()[:1] == b"{" and b'"nbformat"' in source:
        return "a Jupyter notebook"
    if source.lstrip()[:14].lower().startswith((b"<!doctype html", b"<html")):
        return "a web page"
    return "a binary file" if b"\0" in source and not _is_utf8(source) else ""


def _is_utf8(source: bytes) -> bool:
    try:
        source.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _archived(source: bytes) -> str:
    """The document that a ZIP archive really is, or ""."""
    return next((kind for sign, kind in _IN_ARCHIVE if source[:2] == b"PK" and sign in source), "")


def _check_utf8(source: bytes) -> None:
    try:
        source.decode("utf-8")
    except UnicodeDecodeError as error:
        line = _line(source, error.start)
        column = error.start - (source.rfind(b"\n", 0, error.start) + 1) + 1
        byte = f"0x{source[error.start]:02X}"
        raise NotUtf8(
            f"Your file is not saved as UTF-8: line {line} has the byte {byte} at position {column}, which is no UTF-8."
            f" Look for a special character there (a quotation mark, a dash, an accented letter). {_SAVE_AS}"
        ) from None


def _check_characters(source: bytes) -> None:
    nul = source.find(b"\0")
    if nul >= 0:
        raise NotText(
            f"Line {_line(source, nul)} of your file has a NUL character, which no Python file can have. Delete it "
            "there; if this is another kind of file, upload the .py file itself."
        )
    lone = source.replace(b"\r\n", b"\n\n").find(b"\r")
    if lone >= 0:
        raise OldLineEnds(
            f"Line {_line(source, lone)} of your file has a carriage return without a line feed. Python begins a new "
            "line there, and most editors do not. Save the file with LF or CRLF line ends (VS Code has them at the "
            "bottom right, Notepad++ under Edit, EOL Conversion), or delete that character."
        )


def _check_declaration(source: bytes) -> None:
    """The comment in the first two lines that names the file's encoding (PEP 263)."""
    try:
        name, lines = detect_encoding(BytesIO(source).readline)
    except SyntaxError:
        name, lines = "", source.split(b"\n", 2)[:2]
    if not name or codecs.lookup(name).name not in ("utf-8", "utf-8-sig"):
        line = next((number for number, text in enumerate(lines, 1) if b"coding" in text), 1)
        raise NotUtf8(
            f"Line {line} of your file says that the file is written in another encoding than UTF-8. Only UTF-8 is "
            f"accepted: delete that comment. {_SAVE_AS}"
        )


def _line(source: bytes, at: int) -> int:
    return source.count(b"\n", 0, at) + 1
