"""The built-in assignments: in a jail, each question's solution answers its examples, and its files make its cases."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import pytest

from grader.authoring.authored import Authored
from grader.authoring.checker import Checker
from grader.authoring.drawing import draw_some
from grader.authoring.program import GameModules, game_modules
from grader.authoring.solving import Solution, check_solution
from grader.examples import parse_examples
from grader.judging import solution_judge_of
from sandbox.api import Sandbox, SandboxUnavailable, Verdict
from sandbox.choose import open_sandbox
from tests.services import missing
from tournament.games import GAMES, kotc
from tournament.games.api import Game, Question
from tournament.games.judges import OneOf, Unordered

QUESTIONS = [(game, question) for game in GAMES.values() for question in game.questions]
NAMES = [f"{game.slug} {question.slug}" for game, question in QUESTIONS]
SOME = 20


@pytest.fixture(scope="module")
def jail() -> Iterator[Sandbox]:
    try:
        opened = open_sandbox()
    except SandboxUnavailable:
        missing("a sandbox")
    with opened:
        yield opened


@cache
def modules(slug: str) -> GameModules:
    return game_modules(GAMES[slug])


def text(game: Game[Any], question: Question, name: str) -> str:
    file = game.folder / "assignment" / "questions" / question.slug / name
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def authored(game: Game[Any], question: Question) -> Authored:
    cases, solution = (text(game, question, name) for name in ("cases.py", "solution.py"))
    seed = f"quadrille hidden {question.slug}"
    return Authored(cases, solution, question.function, question.arities, seed, modules(game.slug), question.call_s)


@pytest.mark.parametrize(("game", "question"), QUESTIONS, ids=NAMES)
def test_the_solution_passes_the_examples(jail: Sandbox, game: Game[Any], question: Question) -> None:
    free = question.accepts.levels if isinstance(question.accepts, Unordered) else 0
    kind, parameters = ("unordered", {"levels": free}) if free else ("exact", {})
    if type(question.accepts) is OneOf:
        kind = "any"
    examples = parse_examples(question.examples, question.function, question.parameters)
    check_solution(jail, authored(game, question), examples, solution_judge_of(kind, parameters))


@pytest.mark.parametrize(("game", "question"), QUESTIONS, ids=NAMES)
def test_the_files_make_the_first_hidden_cases(jail: Sandbox, game: Game[Any], question: Question) -> None:
    """All of them are the same, too; to make them all takes a minute."""
    made = authored(game, question)
    assert bool(made.cases) is bool(question.hidden)
    if question.hidden:
        own = question.hidden(Random(made.seed))
        with Solution(jail, made) as solution:
            for case in draw_some(jail, made, SOME):
                assert repr(next(own)) == repr(replace(case, expected=solution.answer(case)))


def test_the_checkers_accept_each_right_turn_and_tell_what_else_is(jail: Sandbox) -> None:
    for question in kotc.questions:
        with Checker(lambda: jail, text(kotc, question, "checker.py"), modules("kotc")) as checker:
            for case in parse_examples(question.examples, question.function):
                assert all(checker(case.args, turn).verdict is Verdict.AC for turn in case.expected)
                assert checker(case.args, ("XX", 0)).message == "The bot returned XX, which is not a Card."
    assert checker((["6H", "9D"], "6C", [], [5]), (None, 0)).message == (
        "The bot skipped the turn (None); only '6H' (6♥) is right."
    )
