"""The hidden cases as they are graded, made once for all tests."""

from grader.definition.model import Question
from tests.papers import hidden_cases
from tournament.games.api import Case


def hidden(slug: str, question: Question) -> list[Case]:
    """Those of a question of a game's assignment; none if it has none."""
    return list(hidden_cases(slug).get(question.slug, ()))
