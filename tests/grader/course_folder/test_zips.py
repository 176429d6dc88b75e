"""What comes out of a zip, and what is refused: in memory, with a sentence that names the file."""

import stat
import struct
import zipfile
from collections.abc import Callable
from io import BytesIO

import pytest

from grader.course_folder.problems import CourseError
from grader.course_folder.zips import read_zip


def packed(*files: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return made.getvalue()


def link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


@pytest.mark.parametrize(
    ("names", "paths"),
    [
        (["course.toml", "assignments/bo/text.md"], ["assignments/bo/text.md", "course.toml"]),
        (["comp/course.toml", "comp/assignments/bo/text.md"], ["assignments/bo/text.md", "course.toml"]),
        (["bo/assignment.toml", "bo/text.md", "__MACOSX/bo/._text.md"], ["assignment.toml", "text.md"]),
        (["course.toml", ".DS_Store", ".git/config", "a/__pycache__/x.pyc", "a/text.md~"], ["course.toml"]),
        (["comp\\course.toml"], ["course.toml"]),
        (["comp/", "comp/course.toml"], ["course.toml"]),
        ([], []),
    ],
)
def test_the_files_of_a_zip(names: list[str], paths: list[str]) -> None:
    assert sorted(read_zip(packed(*((name, b"") for name in names)))) == paths


def encrypted() -> bytes:
    content = bytearray(packed(("course.toml", b"x")))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.index(signature) + offset
        content[at] |= 1
    return bytes(content)


def of_unknown_method() -> bytes:
    content = bytearray(packed(("course.toml", b"x")))
    for signature, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        struct.pack_into("<H", content, content.index(signature) + offset, 9)
    return bytes(content)


def in_cp437() -> bytes:
    return packed(("text_\u00fc.md", b"x")).replace("ü".encode(), b"\x81\x81").replace(b"\x00\x08", b"\x00\x00")


def with_a_name_twice() -> bytes:
    return packed(("text.md", b"a"), ("next.md", b"b")).replace(b"next.md", b"text.md")


def with_a_wrong_checksum() -> bytes:
    return packed(("course.toml", b"title"), method=zipfile.ZIP_STORED).replace(b"title", b"tilte", 1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the zip: It is damaged, or not a zip."),
        (b"PK\x03\x04 but no more", "the zip: It is damaged, or not a zip."),
        (packed(("../course.toml", b"")), "../course.toml: Its name leads out of the folder by “..”."),
        (packed(("a\\..\\..\\course.toml", b"")), "a/../../course.toml: Its name leads out"),
        (packed(("/etc/passwd", b"")), "/etc/passwd: Its name is absolute."),
        (packed(("C:\\course.toml", b"")), "C:/course.toml: Its name is absolute."),
        (packed((link("text.md"), b"/etc/passwd")), "text.md: It is a link to another file."),
        (lambda: packed(("text.md", bytes(50 << 20))), "text.md: It unpacks to 50 MiB, far more than its packed size"),
        (
            lambda: packed(("text.md", bytes(1 + (1 << 20))), method=zipfile.ZIP_STORED),
            "text.md: This file is larger than 1 MiB.",
        ),
        (
            lambda: packed(*((f"{n}.md", bytes(1 << 20)) for n in range(65))),
            "64.md: The files of the course are larger than 64",
        ),
        (
            lambda: packed(*((f"{n}.md", b"") for n in range(10_001))),
            "the zip: It has 10,001 files, and a course may have up to 10,000.",
        ),
        (packed(("inner.zip", packed())), "inner.zip: It is an archive within the zip."),
        (with_a_name_twice(), "text.md: It is twice in the zip."),
        (packed(("te\x1bxt.md", b"a")), "te\x1bxt.md: Its name has characters that cannot be shown."),
        (encrypted(), "course.toml: It is encrypted."),
        (of_unknown_method(), "the zip: It is damaged, or not a zip. Make it again, with the usual method"),
        (with_a_wrong_checksum(), "the zip: It is damaged"),
        (lambda: bytes((32 << 20) + 1), "the zip: It is larger than 32 MiB."),
    ],
)
def test_what_is_refused(content: bytes | Callable[[], bytes], message: str) -> None:
    with pytest.raises(CourseError) as raised:
        read_zip(content if isinstance(content, bytes) else content())
    assert str(raised.value).startswith(message), str(raised.value)
    assert len(raised.value.problems) == 1


def test_a_name_in_an_unknown_encoding_is_refused() -> None:
    with pytest.raises(CourseError, match="in an unknown encoding"):
        read_zip(in_cp437())
