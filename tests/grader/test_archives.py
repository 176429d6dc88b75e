"""What is refused in a zip: what a student uploads, a course folder, a problem package. Each wall stands for all that
are named, and the others read such a zip."""

import stat
import struct
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.authoring.course_folder import files
from grader.authoring.course_folder.files import MOST_FILES as MOST_OF_COURSE
from grader.authoring.course_folder.problems import CourseError
from grader.authoring.problem_packages import package as package_files
from grader.authoring.problem_packages.package import PackageError, open_package
from grader.programs import upload
from grader.store.uploads import UploadError
from sandbox.api import SentBytes
from sandbox.archives import pack, unpack

ALL = ("upload", "course", "package")
MOST = {"upload": upload.MOST_ENTRIES, "course": MOST_OF_COURSE, "package": package_files.MOST_FILES}
LONG = "x" * 250
Named = tuple[str | zipfile.ZipInfo, bytes]


def zipped(*files: Named, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, content in files:
            archive.writestr(name, content)
        archive.writestr("problem.yaml", "name: A problem\n", zipfile.ZIP_STORED)
    return made.getvalue()


def named(*names: str) -> bytes:
    return zipped(*((name, b"x\n") for name in names))


def special(kind: int, name: str = "a.cpp") -> bytes:
    info = zipfile.ZipInfo(name)
    info.external_attr = (kind | 0o777) << 16
    return zipped((info, b"problem.yaml"))


def encrypted(name: str = "a.cpp") -> bytes:
    content = bytearray(named(name))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(signature) + offset] |= 1
    return bytes(content)


def of_method(number: int) -> bytes:
    content = bytearray(named("a.cpp"))
    for signature, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        struct.pack_into("<H", content, content.index(signature) + offset, number)
    return bytes(content)


def lying_bomb() -> bytes:
    """It unpacks to 8 MiB and says that it has 10 bytes."""
    size = 8 << 20
    return zipped(("a.cpp", b"0" * size)).replace(size.to_bytes(4, "little"), (10).to_bytes(4, "little"))


def in_cp437() -> bytes:
    return named("ü.md").replace("ü".encode(), b"\x81\x81").replace(b"\x00\x08", b"\x00\x00")


def link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


def with_a_link_to_what_is_left_out() -> bytes:
    content = bytearray(zipped((".a", b"x"), (link("b.in"), b".a")))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(signature) + offset] |= 1
    return bytes(content)


WALLS: tuple[tuple[bytes | Callable[[], bytes], str, tuple[str, ...]], ...] = (
    # names
    (named("../a.cpp"), r"\.\./a\.cpp.*points outside the folder", ALL),
    (named("x/../../a.cpp"), "points outside the folder", ALL),
    (named("a\\..\\..\\a.cpp"), r"a/\.\./\.\./a\.cpp.*points outside the folder", ALL),
    (named(".git/../../a.cpp"), "points outside the folder", ALL),
    (named("/etc/passwd"), "/etc/passwd.*absolute", ALL),
    (named("C:\\uno\\a.cpp"), "C:/uno/a.cpp.*absolute", ALL),
    (named(LONG), "more than 200 characters", ALL),
    (named("a\n.cpp"), "cannot be shown", ALL),
    (named("te\x1bxt.md"), r"'te\\x1bxt.md'.*cannot be shown", ALL),
    (named("a// /b"), "not a valid file name", ALL),
    (named("@x.cpp"), "begins with @ or -", ("upload",)),
    (in_cp437(), "in an unknown encoding", ("course", "package")),
    (named("text.md", "next.md").replace(b"next.md", b"text.md"), r"text\.md.* is in the zip twice", ALL),
    # what is not a plain file
    (special(stat.S_IFLNK), "a.cpp.*is a link to another file", ("upload", "course")),
    (zipped((link("a.in"), b"b.in"), (link("b.in"), b"problem.yaml")), r"a\.in.*is a link to", ALL),
    (special(stat.S_IFIFO), "not a plain file", ALL),
    (special(stat.S_IFCHR), "not a plain file", ALL),
    (encrypted(), r"a\.cpp.*is encrypted. Make a zip without a password", ALL),
    (with_a_link_to_what_is_left_out, "is a link to another file|encrypted", ALL),
    # what cannot be read
    (zipped(("a.cpp", b"x"), method=zipfile.ZIP_LZMA), "unusual way", ALL),
    (zipped(("a.cpp", b"x"), method=zipfile.ZIP_BZIP2), "unusual way", ALL),
    (of_method(9), "unusual way", ALL),
    (b"", "damaged or not an ordinary zip|not a readable zip file", ALL),
    (b"PK\x03\x04 but no more", "damaged or not an ordinary zip", ALL),
    (named("a.cpp")[:-30], "damaged or not an ordinary zip", ALL),
    (
        zipped(("a.cpp", b"title"), method=zipfile.ZIP_STORED).replace(b"title", b"tilte", 1),
        "damaged",
        ALL,
    ),
    # archives in it
    (named("inner.zip"), r"inner\.zip.*is an archive inside the zip", ("upload", "course")),
    (named("inner.tar.gz"), "is an archive inside the zip", ("upload", "course")),
    (zipped(("inner.txt", named("a.cpp"))), r"inner\.txt.*is a zip inside the zip", ("upload",)),
    # sizes
    (
        lambda: zipped(("a.cpp", b"0" * (1 + (1 << 20)))),
        r"a\.cpp.*larger than 1 MiB.*may be a zip bomb",
        ("upload", "course"),
    ),
    (
        lambda: zipped(("a.cpp", b"0" * (50 << 20))),
        r"a\.cpp.*larger than 1 MiB.*may be a zip bomb",
        ("upload", "course"),
    ),
    (
        lambda: zipped(("a.cpp", bytes(1 + (1 << 20))), method=zipfile.ZIP_STORED),
        r"a\.cpp.*larger than 1 MiB. Make it smaller",
        ("upload", "course"),
    ),
    (lying_bomb, "may be a zip bomb|damaged", ALL),
    (
        lambda: zipped(*((f"{n}.cpp", b"0" * (512 << 10)) for n in range(3))),
        r"The zip unpacks to more than 1 MiB.*may be a zip bomb",
        ("upload",),
    ),
    (
        lambda: zipped(*((f"x{n}", bytes(1 << 20)) for n in range(65))),
        "more than 64 MiB, the limit|larger than 1 MiB|more than 1 MiB",
        ("upload", "course"),
    ),
)


def opened(kind: str, content: bytes, folder: Path) -> None:
    """Read it. Raises the kind's own error."""
    if kind == "upload":
        upload.open_parts([("a.zip", SentBytes(content))])
    elif kind == "course":
        files.read_zip(SentBytes(content))
    else:
        (folder / "a.zip").write_bytes(content)
        package = open_package(folder / "a.zip")
        for path in package.sizes:
            package.read(path, 1 << 20)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(("content", "words", "kinds"), WALLS, ids=range(len(WALLS)))
def test_what_is_refused(
    content: bytes | Callable[[], bytes], words: str, kinds: tuple[str, ...], kind: str, tmp_path: Path
) -> None:
    content = content if isinstance(content, bytes) else content()
    if kind not in kinds:
        opened(kind, content, tmp_path)
        return
    with pytest.raises((UploadError, CourseError, PackageError), match=f"(?s){words}"):
        opened(kind, content, tmp_path)


@pytest.mark.parametrize("kind", ALL)
def test_the_number_of_files_has_a_limit_and_hidden_ones_count(kind: str, tmp_path: Path) -> None:
    with pytest.raises((UploadError, CourseError, PackageError), match=f"at most {MOST[kind]:,} are allowed"):
        opened(kind, named(*(f".git/{n}" for n in range(MOST[kind]))), tmp_path)


@pytest.mark.parametrize("kind", ALL)
def test_what_is_left_out_may_have_any_name_in_its_folder(kind: str, tmp_path: Path) -> None:
    opened(kind, named("__MACOSX/._Icon\r", "__MACOSX/inner.zip", "uno/problem.yaml"), tmp_path)


@given(st.dictionaries(st.from_regex(r"[a-z]{1,5}(/[a-z]{1,3})?", fullmatch=True), st.binary(max_size=20)))
def test_what_we_pack_we_unpack_and_equal_files_give_equal_bytes(files: dict[str, bytes]) -> None:
    packed = pack(files)
    assert unpack(packed) == files
    assert pack(dict(reversed(files.items()))) == packed
