"""A busy machine costs time and nothing else: no house bot is disqualified, and no verdict changes.

`make bench ARGS=fairness` does the same at full size. Here it is less, since the machine is busy all the time."""

from contextlib import nullcontext

import pytest

from grader.authoring.course_folder.course import builtin
from grader.definition.paper import paper
from tests.bench import fairness
from tests.bench.fairness import GAME, PLAYERS, busy, changed_verdicts, confined, disqualified
from tests.papers import hidden_cases

pytestmark = pytest.mark.full

SOON = ["raises_on_empty_piles", "floods", "misspelt", "returns_text", "wants_numpy"]
EVERY = 8  # of so many hidden cases one is asked


@pytest.fixture(autouse=True)
def fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two graders at once, with a paper that was made for all test processes."""
    cases = {question: found[::EVERY] for question, found in hidden_cases(GAME).items()}
    monkeypatch.setattr(fairness, "_KEPT", [paper(builtin(GAME), cases)])
    monkeypatch.setattr(fairness, "GRADERS", 2)


def test_under_load_no_house_bot_is_disqualified() -> None:
    with confined(), busy():
        assert disqualified(("go", "kotc", "uno"), 3) == 0


def test_under_load_every_submission_gets_the_same_verdicts() -> None:
    players = {name: (PLAYERS / f"{name}.py").read_bytes() for name in SOON}
    assert changed_verdicts(players, len(SOON)) == {}


def test_a_changed_verdict_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fairness, "busy", nullcontext)
    source = b"import os\ndef comp10001bo_match_build(card, pile):\n    return os.urandom(1)[0] < 128\n"
    assert changed_verdicts({"tosses a coin": source}, 1) == {"tosses a coin": 1}
