"""Whatever is in a student's file, what reads it on the host takes time in proportion to its length."""

from collections.abc import Callable
from contextlib import suppress
from time import process_time

import numpy as np
import pytest

from grader.uploads import UploadError, check_upload
from sandbox.host import fault_messages, mistake_hints
from sandbox.imports import leads_outward, on_demand
from tournament.watch.similarity import RUN, parts_of

pytestmark = pytest.mark.slow

SIZE = 20_000
"""Bytes. What took quadratic time took eight seconds for so many."""

MOST_S = 0.5

RUNS = np.array([(7, 12, n, n + 3) for n in range(1, SIZE // 8)], RUN)

READERS: dict[str, Callable[[bytes], object]] = {
    "check_upload": check_upload,
    "on_demand": on_demand,
    "leads_outward": leads_outward,
    "indented": lambda source: mistake_hints.indented("play", fault_messages.SourceFile(source, "player.py").lines),
    "line": lambda source: fault_messages.SourceFile(source, "player.py").line(7),
    "parts_of": lambda source: parts_of(source.decode("utf-8", "replace"), RUNS, {7}),
}
PIECES = (
    *(b"'", b'"', b"\"'", b"'''", b"'''\n", b'\\"""\n', b"\\", b"'\\\n", b"\\'''", b"rb'", b'f"""', b"'''\\"),
    *(b"#", b"#\r", b"\r", b"\n", b"(", b"\t", b" ", b"    \n", b"#coding:", b"# coding: \t", b"x", b"0.", b"_"),
    *(b"import ", b"import a,", b"from ", b"from .", b"import\t", b"\timport ", b"os", b"sock", b" import"),
    *(b"    def ", b"    async ", b" async def play", b"async\t", "é".encode(), "\u202e".encode(), b"\xff"),
)


@pytest.mark.parametrize("reader", READERS)
def test_the_time_to_read_a_file_is_bounded_by_its_length(reader: str) -> None:
    """With a beginning that starts a text or a comment, and an ending that starts another or none."""
    slow = []
    for piece in PIECES:
        for begin, end in ((b"#\r'''\n", b"'''\n"), (b"from a", b" import"), (b"\t", b"(")):
            source = begin + piece * (SIZE // len(piece)) + end
            began = process_time()
            with suppress(UploadError):
                READERS[reader](source)
            if process_time() - began > MOST_S:
                slow.append((begin, piece, end))
    assert slow == []
