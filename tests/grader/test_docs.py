"""`docs/write-a-question.md` is true: its verdicts, its question and its example."""

import re
from pathlib import Path

import pytest

from grader.examples import parse_examples
from grader.messages import meaning
from sandbox.api import Verdict
from tournament.games import bo
from tournament.games.api import Question

DOCUMENT = (Path(__file__).parents[2] / "docs" / "write-a-question.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"```(\w*)\n(.*?)```", DOCUMENT, re.DOTALL))


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_is_listed_under_its_title(verdict: Verdict) -> None:
    assert f"| {verdict.value} | {meaning(verdict).title} |" in DOCUMENT


def test_the_question_and_its_example_can_be_used() -> None:
    names = {"EXAMPLES": BLOCKS[""], "build_cases": bo.questions[0].hidden}
    exec(BLOCKS["python"].replace("\nQuestion(", "\nquestion = Question("), names)
    question = names["question"]
    assert isinstance(question, Question)
    (case,) = parse_examples(question.examples, question.function)
    assert (case.title, case.expected) == ("the colour does not match", False)
