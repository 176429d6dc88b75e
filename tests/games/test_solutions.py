"""The built-in assignments: in a jail, each question's solution answers its examples, and checkers accept what is
right."""

from collections.abc import Iterator

import pytest

from grader.author_code.authored import CheckerProcess
from grader.author_code.solving import check_solution
from grader.authoring.course_folder.course import builtin
from grader.comparing import comparators
from grader.definition.model import Definition
from grader.definition.paper import authored_of, examples_of
from grader.definition.question import FunctionQuestion
from sandbox.api import Sandbox, SandboxUnavailable, Verdict
from sandbox.choose import open_sandbox
from tests.services import missing
from tournament.play.games import GAMES

QUESTIONS = [(builtin(slug), question) for slug in GAMES for question in builtin(slug).questions]
NAMES = [f"{definition.game} {question.slug}" for definition, question in QUESTIONS]


@pytest.fixture(scope="module")
def jail() -> Iterator[Sandbox]:
    try:
        opened = open_sandbox()
    except SandboxUnavailable:
        missing("a sandbox")
    with opened:
        yield opened


@pytest.mark.parametrize(("definition", "question"), QUESTIONS, ids=NAMES)
def test_the_solution_passes_the_examples(jail: Sandbox, definition: Definition, question: FunctionQuestion) -> None:
    check_solution(jail, authored_of(definition, question), examples_of(question), question.comparator.agreement())


def test_the_checkers_accept_each_right_turn_and_tell_what_else_is(jail: Sandbox) -> None:
    for question in builtin("kotc").questions:
        assert isinstance(question.comparator, comparators.Checker)
        modules = authored_of(builtin("kotc"), question).modules
        with CheckerProcess(lambda: jail, question.comparator.source, modules) as checker:
            for case in examples_of(question):
                assert all(checker(case.args, turn).verdict is Verdict.AC for turn in case.expected)
                assert checker(case.args, ("XX", 0)).message == "The bot returned XX, which is not a Card."
    assert checker((["6H", "9D"], "6C", [], [5]), (None, 0)).message == (
        "The bot skipped the turn (None); the right answer is '6H' (6♥)."
    )
