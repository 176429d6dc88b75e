"""What people sent that once held a process of the host: no reader takes more than its share of time or memory."""

import stat
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from time import process_time

import pytest

from grader.problem_packages.files import PackageError, open_package
from grader.programs.compile import compiling
from grader.programs.judge.comparing import readable
from grader.programs.run.running import last_words
from grader.programs.upload.opening import open_parts
from sandbox.api import SentBytes, SentText
from web.gradebook.lms import BadMarkFile, open_sheet
from web.people.people_file import BadPeople, read_people


def of_blank_lines(size: int) -> None:
    compiling._included.cache_clear()
    compiling.reached("Deck.cpp", {"Deck.cpp": b"\n" * size + b'#include "Deck.h"\n'})


def of_assertions(size: int) -> None:
    last_words(SentBytes(b"Assertion `" * (size // 11)))


def of_control_characters(size: int) -> None:
    readable(SentBytes(b"\x01" * size))


GROWING: dict[str, tuple[Callable[[int], None], int, float]] = {
    "900,000 blank lines above an #include": (of_blank_lines, 900_000, 1.0),
    "64 KiB of assertions on standard error": (of_assertions, 64 << 10, 0.2),
    "1 MiB of control characters": (of_control_characters, 1 << 20, 0.4),
}
"""Each with its size, and with seconds of processor time, of which it needs a tenth and once took at least twice."""


@pytest.mark.parametrize("what", GROWING)
def test_texts_take_linear_time(what: str) -> None:
    function, size, most_s = GROWING[what]
    began = process_time()
    function(size)
    assert process_time() - began < most_s


def zipped(name: str, content: bytes, mode: int = stat.S_IFREG | 0o644) -> SentBytes:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        entry = zipfile.ZipInfo(name)
        entry.external_attr, entry.compress_type = mode << 16, zipfile.ZIP_DEFLATED
        archive.writestr(entry, content)
        archive.writestr("problem.yaml", "name: x\n")
    return SentBytes(packed.getvalue())


@pytest.mark.slow
def test_a_link_in_a_package_is_not_unpacked_whole(tmp_path: Path) -> None:
    """It would take more memory than a reader has; the message would be another one."""
    (tmp_path / "a.zip").write_bytes(zipped("a", b"\0" * (600 << 20), stat.S_IFLNK | 0o777))
    with pytest.raises(PackageError, match="which is not a file of the zip"):
        open_package(tmp_path / "a.zip")


MARKS = b"\xcc\x81\xcc\xa3" * 16_000
"""Combining marks in the wrong order: to sort them took seconds."""


def test_a_name_is_cut_before_it_is_normalised() -> None:
    for parts in ([(MARKS.decode(), SentBytes(b"x"))], [("a.zip", zipped(MARKS[:60_000].decode(), b"x"))]):
        began = process_time()
        with pytest.raises(Exception, match=r"characters that cannot be shown|more than 200 characters"):
            open_parts(parts)
        assert process_time() - began < 1


def test_a_file_of_marks_has_a_limit_of_cells() -> None:
    began = process_time()
    with pytest.raises(BadMarkFile, match="500 columns"):
        open_sheet(SentBytes(b"," * 1_000_000))
    with pytest.raises(BadMarkFile, match="200,000 cells"):
        open_sheet(SentBytes((b"," * 400 + b"\n") * 2_000))
    assert process_time() - began < 1


def test_a_class_list_has_a_limit_of_length() -> None:
    began = process_time()
    with pytest.raises(BadPeople, match="more than 5,000 people"):
        read_people(SentText("login,name\n" + "a,b\n" * 900_000))
    assert process_time() - began < 1
