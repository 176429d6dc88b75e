"""The questions that every game brings, and records of former rules."""

import re
from ast import literal_eval
from contextlib import closing
from doctest import DocTestParser
from pathlib import Path
from typing import Any

import pytest

from grader.authoring.course_folder.course import builtin
from grader.definition.paper import parse_examples
from grader.definition.question import FunctionQuestion, Gate
from sandbox.api import Fault, Limits, Program, Sandbox, Value, Verdict, call
from tests.games.hidden import hidden, judged
from tournament.games.api import Case, Game
from tournament.play.games import GAMES, UnknownGame, find_game
from tournament.play.table import house_bot

DOCS = Path(__file__).parents[2] / "docs" / "write-a-game.md"
QUESTIONS = [(slug, question.slug) for slug in GAMES for question in builtin(slug).questions]
BOTS = [(slug, bot.name) for slug, game in GAMES.items() for bot in game.bots]


def wrong(game: Game[Any], question: FunctionQuestion, source: bytes, trusted: Sandbox) -> list[tuple[Case, Any]]:
    """The cases of a question that a player fails, each with what it did."""
    functions = {question.function: question.arities}
    program = Program(source, functions, game.guest.modules, "player.py", game.guest.adapter)
    session = trusted.open(program, Limits(), seed=1)
    assert not isinstance(session, Fault), session
    failed = []
    with closing(session):
        for case in parse_examples(question.examples, question.function) + hidden(game.slug, question):
            reply = call(session, question.function, case.args)
            if not (isinstance(reply, Value) and judged(game.slug, question, case, reply.data).verdict is Verdict.AC):
                failed.append((case, reply))
    return failed


def loaded(game: Game[Any], name: str) -> dict[str, Any]:
    """What a file of the game's folder defines."""
    found: dict[str, Any] = {}
    exec(compile((game.folder / name).read_bytes(), name, "exec"), found)
    return found


@pytest.mark.parametrize("slug", GAMES)
def test_a_game_brings_its_questions(slug: str) -> None:
    game = GAMES[slug]
    assert game.slug == slug
    assert builtin(slug).questions


@pytest.mark.parametrize(("slug", "question_slug"), QUESTIONS)
def test_the_reference_passes_every_question(slug: str, question_slug: str, trusted: Sandbox) -> None:
    game = GAMES[slug]
    (question,) = (each for each in builtin(slug).questions if each.slug == question_slug)
    assert wrong(game, question, (game.folder / "reference.py").read_bytes(), trusted) == []


@pytest.mark.parametrize(("slug", "name"), BOTS)
def test_every_house_bot_qualifies(slug: str, name: str, trusted: Sandbox) -> None:
    game = GAMES[slug]
    for question in builtin(slug).questions:
        if question.gate is Gate.ALL:
            assert wrong(game, question, house_bot(game, name).source, trusted) == []


@pytest.mark.parametrize("slug", GAMES)
def test_the_starter_shows_every_function_with_an_example_that_holds(slug: str) -> None:
    game = GAMES[slug]
    written = [question for question in builtin(slug).questions if question.written == question.function]
    if not written:
        compile((game.folder / "starter.py").read_bytes(), "starter.py", "exec")
        return
    starter, reference = loaded(game, "starter.py"), loaded(game, "reference.py")
    for question in written:
        function, solved = starter[question.function], reference[question.function]
        names = function.__code__.co_varnames[: function.__code__.co_argcount]
        assert names == solved.__code__.co_varnames[: function.__code__.co_argcount]
        assert function.__defaults__ == solved.__defaults__
        examples = DocTestParser().get_examples(function.__doc__ or "")
        assert examples, f"show an example of {question.function} in tournament/games/{slug}/starter.py"
        for example in examples:
            shown, got = literal_eval(example.want), eval(example.source, reference)
            assert (type(got), got) == (type(shown), shown) or judged(
                slug, question, Case((), shown), got
            ).verdict is Verdict.AC


def test_an_unknown_game_is_an_error_that_names_the_known_ones() -> None:
    assert find_game("bo") is GAMES["bo"]
    with pytest.raises(UnknownGame, match=r"no game 'chess'; available: .*bo"):
        find_game("chess")


@pytest.mark.parametrize("slug", GAMES)
def test_the_modules_that_stored_questions_import_are_told(slug: str) -> None:
    """Copies of the questions are in courses: see docs/write-a-game.md."""
    folder = Path(str(GAMES[slug].folder)) / "assignment" / "questions"
    text = "\n".join(file.read_text() for file in folder.rglob("*.py"))
    (row,) = re.findall(rf"^\| `{slug}` \| (.*) \|$", DOCS.read_text(), re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", row)) == set(re.findall(r"from game\.(\w+) import", text))
