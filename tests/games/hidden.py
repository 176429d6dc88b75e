"""The hidden cases as they are graded, made once for all tests, and how answers to them are judged."""

from functools import cache
from typing import Any

from grader.author_code.authored import CheckerProcess
from grader.authoring.course_folder.course import builtin
from grader.comparing import comparators
from grader.comparing.comparators import judging_of
from grader.comparing.judging import Judgement, Judging
from grader.definition.paper import authored_of
from grader.definition.question import FunctionQuestion
from sandbox.choose import open_sandbox
from tests.papers import hidden_cases
from tournament.games.api import Case


def hidden(slug: str, question: FunctionQuestion) -> list[Case]:
    """Those of a question of a game's assignment; none if it has none."""
    return list(hidden_cases(slug).get(question.slug, ()))


def judged(slug: str, question: FunctionQuestion, case: Case, got: Any) -> Judgement:
    """How an answer to that question of a game's assignment is judged."""
    return _judging(slug, question.slug)(case, got, "")


@cache
def _judging(slug: str, question_slug: str) -> Judging:
    (question,) = (each for each in builtin(slug).questions if each.slug == question_slug)
    if not isinstance(question.comparator, comparators.Checker):
        return judging_of(question.comparator)
    modules, trusted = authored_of(builtin(slug), question).modules, open_sandbox("trusted")
    return judging_of(question.comparator, CheckerProcess(lambda: trusted, question.comparator.source, modules))
