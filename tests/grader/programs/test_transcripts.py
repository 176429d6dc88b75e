"""What is kept of a transcript: what surrounds the line that differs, or the end where that is what matters."""

import pytest

from grader.programs.running import LINES_BEFORE, transcript_of
from grader.programs.shown import TEXT
from sandbox.programs import Ended, Stop

LONG = b"x" * (TEXT - 3)
TALK = (("out", b"Name? "), ("in", b"Ada\n"), ("out", LONG), ("out", b""), ("in", b"\xff\n"), ("out", b"Bye\n"))


@pytest.mark.parametrize("line", [0, 1, LINES_BEFORE + 1])
def test_a_short_one_is_kept_whole(line: int) -> None:
    kept = transcript_of(_ended(("out", b"Name? "), ("in", b"Ada\n"), ("out", b"")), line)
    assert kept == [("out", "Name? "), ("in", "Ada\n")]


def test_a_long_one_is_cut() -> None:
    first, last = transcript_of(_ended(*TALK), line=1), transcript_of(_ended(*TALK))
    assert [kind for kind, _ in first] == ["out", "in", "out"]
    assert [kind for kind, _ in last] == ["out", "in", "out"]
    assert last[1:] == [("in", "\\xff\n"), ("out", "Bye\n")]
    assert sum(len(text) for _, text in first) == sum(len(text) for _, text in last) == TEXT


def test_it_begins_a_few_lines_before_the_line_that_differs() -> None:
    numbers = b"".join(b"%d\n" % number for number in range(1, 30))
    talk = _ended(("out", b"1\n2\n"), ("in", b"x\n"), ("out", numbers[4:]), ("in", b"y\n"), ("out", b"30\n"))
    (_, above), *rest = transcript_of(talk, line=20)
    assert above.splitlines() == [str(number) for number in range(20 - LINES_BEFORE, 30)]
    assert rest == [("in", "y\n"), ("out", "30\n")]
    assert transcript_of(talk, line=31 + LINES_BEFORE) == []


def _ended(*transcript: tuple[str, bytes]) -> Ended:
    return Ended(Stop.EXITED, 0, b"", b"", {}, 0.0, 0.0, 0, transcript=transcript)
