"""What is kept of a transcript: its beginning, or its end where that is what matters."""

import pytest

from grader.programs.running import transcript_of
from grader.programs.shown import TEXT
from sandbox.programs import Ended, Stop

LONG = b"x" * (TEXT - 3)
TALK = (("out", b"Name? "), ("in", b"Ada\n"), ("out", LONG), ("out", b""), ("in", b"\xff\n"), ("out", b"Bye\n"))


@pytest.mark.parametrize("last", [False, True])
def test_a_short_one_is_kept_whole(last: bool) -> None:
    kept = transcript_of(_ended(("out", b"Name? "), ("in", b"Ada\n"), ("out", b"")), last)
    assert kept == [("out", "Name? "), ("in", "Ada\n")]


def test_a_long_one_is_cut() -> None:
    first, last = transcript_of(_ended(*TALK)), transcript_of(_ended(*TALK), last=True)
    assert [kind for kind, _ in first] == ["out", "in", "out"]
    assert [kind for kind, _ in last] == ["out", "in", "out"]
    assert last[1:] == [("in", "\\xff\n"), ("out", "Bye\n")]
    assert sum(len(text) for _, text in first) == sum(len(text) for _, text in last) == TEXT


def _ended(*transcript: tuple[str, bytes]) -> Ended:
    return Ended(Stop.EXITED, 0, b"", b"", {}, 0.0, 0.0, 0, transcript=transcript)
