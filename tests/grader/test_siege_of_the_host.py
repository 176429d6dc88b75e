"""What people sent that once held a process of the host: no reader takes more than its share of time or memory."""

import stat
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from time import process_time

import pytest

from grader.authoring.course_folder.files import read_zip
from grader.authoring.course_folder.problems import CourseError, TomlFile
from grader.authoring.problem_packages.package import (
    Metadata,
    PackageError,
    ProblemPackage,
    open_package,
    read_metadata,
)
from grader.authoring.problem_packages.statement import read_statement
from grader.comparing.outputs import readable
from grader.definition.paper import ExampleError, parse_examples
from grader.programs import compiling
from grader.programs.running import last_words
from grader.programs.upload import open_parts
from grader.store.uploads import UploadError
from sandbox import readers
from sandbox.api import SentBytes, SentText
from tournament.games.api import MalformedPlay
from tournament.play.memory import Habits
from web.marks.extensions import BadExtensions, read_file
from web.marks.lms import BadMarkFile, open_sheet
from web.marks.sheet import read_sheet
from web.practice import hand
from web.replay import frames
from web.site.assets import markdown
from web.site.people_file import BadPeople, read_people


def of_blank_lines(size: int) -> None:
    compiling._included_names.cache_clear()
    compiling.reached("Deck.cpp", {"Deck.cpp": b"\n" * size + b'#include "Deck.h"\n'})


def of_assertions(size: int) -> None:
    last_words(SentBytes(b"Assertion `" * (size // 11)))


def of_control_characters(size: int) -> None:
    readable(SentBytes(b"\x01" * size))


GROWING: dict[str, tuple[Callable[[int], None], int]] = {
    "900,000 blank lines above an #include": (of_blank_lines, 900_000),
    "64 KiB of assertions on standard error": (of_assertions, 64 << 10),
    "1 MiB of control characters": (of_control_characters, 1 << 20),
}
"""Each with its size."""


@pytest.mark.parametrize("what", GROWING)
def test_texts_take_linear_time(what: str) -> None:
    function, size = GROWING[what]
    few, more = (min(_seconds(function, each) for _ in range(3)) for each in (size // 4, size))
    assert more < 9 * few, "halfway from linear time to quadratic time"


def _seconds(function: Callable[[int], None], size: int) -> float:
    began = process_time()
    function(size)
    return process_time() - began


def zipped(name: str, content: bytes, mode: int = stat.S_IFREG | 0o644) -> SentBytes:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        entry = zipfile.ZipInfo(name)
        entry.external_attr, entry.compress_type = mode << 16, zipfile.ZIP_DEFLATED
        archive.writestr(entry, content)
        archive.writestr("problem.yaml", "name: x\n")
    return SentBytes(packed.getvalue())


@pytest.mark.full
def test_a_link_in_a_package_is_not_unpacked_whole(tmp_path: Path) -> None:
    """It would take more memory than a reader has; the message would be another one."""
    (tmp_path / "a.zip").write_bytes(zipped("a", b"\0" * (600 << 20), stat.S_IFLNK | 0o777))
    with pytest.raises(PackageError, match="which is not a file in the zip"):
        open_package(tmp_path / "a.zip")


MARKS = b"\xcc\x81\xcc\xa3" * 16_000
"""Combining marks in the wrong order: to sort them took seconds."""


def test_a_name_is_cut_before_it_is_normalised() -> None:
    for parts in ([(MARKS.decode(), SentBytes(b"x"))], [("a.zip", zipped(MARKS[:60_000].decode(), b"x"))]):
        with pytest.raises(Exception, match=r"characters that cannot be shown|more than 200 characters"):
            open_parts(parts)


def test_a_file_of_marks_has_a_limit_of_cells() -> None:
    with pytest.raises(BadMarkFile, match="500 columns"):
        open_sheet(SentBytes(b"," * 1_000_000))
    with pytest.raises(BadMarkFile, match="200,000 cells"):
        open_sheet(SentBytes((b"," * 400 + b"\n") * 2_000))


def test_a_class_list_has_a_limit_of_length() -> None:
    with pytest.raises(BadPeople, match="more than 5,000 people"):
        read_people(SentText("login,name\n" + "a,b\n" * 900_000))


def nothing(path: str, most: int) -> bytes:
    return b""


PACKAGE = ProblemPackage("a", {}, nothing)
NO_TIME: dict[str, tuple[Callable[[Path], object], type[Exception]]] = {
    "a course's zip": (lambda path: read_zip(zipped("a", b"")), CourseError),
    "a zip of programs": (lambda path: open_parts([("a.zip", zipped("a", b""))]), UploadError),
    "examples": (lambda path: parse_examples(SentText(">>> f(1)\n1\n"), "f"), ExampleError),
    "a list of extensions": (lambda path: read_file(SentBytes(b"a,b\n")), BadExtensions),
    "a sheet": (lambda path: read_sheet(SentBytes(b"a,b\n")), BadPeople),
    "a class list": (lambda path: read_people(SentText("a,b\n")), BadPeople),
    "a package": (open_package, PackageError),
    "a package's settings": (lambda path: read_metadata(PACKAGE), PackageError),
    "a package's statement": (lambda path: read_statement(PACKAGE, Metadata()), PackageError),
    "TOML": (lambda path: TomlFile("a.toml", b"a = 1"), CourseError),
}
"""What reads them, and how what takes too long is refused."""


@pytest.fixture
def no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "WALL_S", 0.0)


@pytest.mark.parametrize("what", NO_TIME)
def test_what_reads_it_can_be_stopped(what: str, no_time: None, tmp_path: Path) -> None:
    function, refused = NO_TIME[what]
    (tmp_path / "a.zip").write_bytes(zipped("a", b""))
    with pytest.raises(refused, match="cannot be read within"):
        function(tmp_path / "a.zip")


def test_markdown_that_takes_too_long_stays_text(no_time: None) -> None:
    assert markdown(SentText("*a* test of the readers")) == '<pre tabindex="0">*a* test of the readers</pre>'


def test_a_player_that_cannot_be_read_may_do_anything(no_time: None) -> None:
    assert frames._habits(SentBytes(b"def play(): return 7")) == Habits(remembers=True, draws=True)


DEEP = ["(" * 900, "[" * 190 + "]" * 190, "-" * 900 + "1", "{" * 90 + ":" * 90, "not " * 240, "(a for a in " * 80]
ODD = ["9" * 900, "a" + "\u0301\u0323" * 490, "lambda:" * 140, "f'{" * 300, "\0", "1+" * 499, "''" * 490]


@pytest.mark.parametrize("text", DEEP + ODD)
def test_short_texts_are_parsed_here_whatever_they_are(text: str) -> None:
    """Longer ones are refused. Whatever is nested or quadratic in so few costs a moment, and leaves the stack alone."""
    with pytest.raises(MalformedPlay):
        hand.typed_value(f"{text}~")
    with pytest.raises(MalformedPlay, match=r"1,000 characters"):
        hand.typed_value("1" * 1001)
