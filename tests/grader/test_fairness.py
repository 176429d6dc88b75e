"""A busy machine costs time and nothing else: no house bot is disqualified, and no verdict changes.

`quadrille bench fairness` does the same at full size."""

from contextlib import nullcontext

import pytest

from deploy.measure import fairness
from deploy.measure.fairness import PLAYERS, busy, changed_verdicts, confined, disqualified

pytestmark = pytest.mark.slow

SOON = ["raises_on_empty_piles", "floods", "misspelt", "returns_text", "wants_numpy"]


def test_under_load_no_house_bot_is_disqualified() -> None:
    with confined(), busy():
        assert disqualified(("go", "kotc", "uno"), 9) == 0


def test_under_load_every_submission_gets_the_same_verdicts() -> None:
    players = {name: (PLAYERS / f"{name}.py").read_bytes() for name in SOON}
    assert changed_verdicts(players, 6) == {}


def test_a_changed_verdict_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fairness, "busy", nullcontext)
    source = b"import os\ndef comp10001bo_match_build(card, pile):\n    return os.urandom(1)[0] < 128\n"
    assert changed_verdicts({"tosses a coin": source}, 1) == {"tosses a coin": 1}
