"""The hidden cases follow from the games alone: every worker asks the same."""

import os
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from subprocess import PIPE, Popen

import pytest

from tests.papers import thinned
from tournament.play.games import GAMES

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
TELL = "from tests.grader.grading.test_cases import digests; print(*digests(), sep='\\n')"


def digests() -> Iterator[str]:
    """Of a part of the cases of each question."""
    for slug in GAMES:
        for question, checks in thinned(slug, 5).checks.items():
            text = repr([(check.call, check.expected) for check in checks])
            yield f"{slug} {question} {sha256(text.encode()).hexdigest()}"


@pytest.mark.full
def test_every_process_has_the_same_cases() -> None:
    """Though sets have another order in each."""
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    command = [sys.executable, "-c", TELL]
    with Popen(command, env=environment, cwd=ROOT, stdout=PIPE, stderr=PIPE, text=True) as other:
        own = [*digests()]  # while the other makes its own
        said, errors = other.communicate()
    assert (said.splitlines(), errors) == (own, "")
