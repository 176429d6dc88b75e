"""Every verdict is explained."""

import pytest

from grader.grading.messages import meaning
from sandbox.api import Verdict


@pytest.mark.parametrize("program", [False, True])
@pytest.mark.parametrize("verdict", Verdict)
def test_a_verdict_says_what_happened_and_what_to_do(verdict: Verdict, program: bool) -> None:
    explained = meaning(verdict, program)
    assert explained.title
    for sentence in (explained.what, explained.advice):
        assert sentence[0].isupper()
        assert sentence.endswith(".")
        assert "!" not in sentence
        assert verdict.value not in sentence.split()
