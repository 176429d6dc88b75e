"""The hidden cases follow from the games alone: every worker asks the same."""

import os
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from grader.cases import checks
from tournament.games import GAMES

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
TELL = "from tests.grader.test_cases import digests; print(*digests(), sep='\\n')"


def digests() -> Iterator[str]:
    """Of the cases of each question."""
    for slug, game in GAMES.items():
        for question in game.questions:
            text = repr([(check.call, check.expected) for check in checks(question)])
            yield f"{slug} {question.slug} {sha256(text.encode()).hexdigest()}"


def test_every_process_has_the_same_cases() -> None:
    """Though sets have another order in each."""
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    done = subprocess.run(
        [sys.executable, "-c", TELL], env=environment, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.stdout.splitlines(), done.stderr) == ([*digests()], "")
