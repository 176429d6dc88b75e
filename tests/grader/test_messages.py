"""Every verdict is explained."""

from importlib.resources import files

import pytest

from grader.messages import meaning
from sandbox.api import Verdict


@pytest.mark.parametrize("verdict", Verdict)
def test_a_verdict_says_what_happened_and_what_to_do(verdict: Verdict) -> None:
    explained = meaning(verdict)
    assert explained.title
    for sentence in (explained.what, explained.advice):
        assert sentence[0].isupper()
        assert sentence.endswith(".")
        assert "!" not in sentence
        assert verdict.value not in sentence.split()


@pytest.mark.parametrize("verdict", Verdict)
def test_the_readme_lists_every_verdict_under_its_title(verdict: Verdict) -> None:
    readme = files("grader").joinpath("README.md").read_text(encoding="utf-8")
    assert f"| {verdict.value} | {meaning(verdict).title} |" in readme
