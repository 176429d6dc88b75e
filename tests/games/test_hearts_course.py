"""The questions of the example course: the solutions pass their examples, and each of its submissions gets the result
that its first line says."""

import tomllib
from copy import deepcopy
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from grader.examples import parse_examples
from tests.games.hearts import COURSE

ASSIGNMENT = COURSE / "assignments" / "hearts"
QUESTIONS = tomllib.loads((ASSIGNMENT / "assignment.toml").read_text("utf-8"))["questions"]
PLAYERS = sorted((ASSIGNMENT / "submissions").glob("*/*.py"))
RIGHT = {
    "exact": lambda expected, got: (type(got), got) == (type(expected), expected),
    "unordered": lambda expected, got: type(got) is list and sorted(got) == sorted(expected),
    "any": lambda expected, got: got in expected,
}


def defined(file: Path) -> dict[str, Any]:
    """What our own file defines."""
    found: dict[str, Any] = {}
    exec(compile(file.read_bytes(), file.name, "exec"), found)
    return found


@cache
def cases(slug: str, function: str) -> list[tuple[Any, Any]]:
    """The arguments and the right value of every hidden case."""
    folder = ASSIGNMENT / "questions" / slug
    solution = defined(folder / "solution.py")[function]
    return [(each["args"], solution(*each["args"])) for each in defined(folder / "cases.py")["cases"](Random(1))]


def result(source: dict[str, Any], question: dict[str, Any]) -> str:
    """`all`, `some` or `none` of a question's cases pass."""
    right = RIGHT[question.get("comparator", "exact")]
    passed = [
        right(expected, value(source, question["function"], args))
        for args, expected in cases(question["slug"], question["function"])
    ]
    return "all" if all(passed) else "some" if any(passed) else "none"


def value(source: dict[str, Any], function: str, args: Any) -> Any:
    """What the player returns; a wrong one may lack the function or fail."""
    try:
        return source[function](*deepcopy(args))
    except (KeyError, IndexError):
        return None


@pytest.mark.parametrize("player", PLAYERS, ids=[f"{each.parent.name}/{each.name}" for each in PLAYERS])
def test_a_player_gets_the_result_in_its_first_line(player: Path) -> None:
    results = [f"{question['slug']}={result(defined(player), question)}" for question in QUESTIONS]
    assert player.read_text("utf-8").split("\n")[0] == f"# expect: {' '.join(results)}"


@pytest.mark.parametrize("question", QUESTIONS, ids=[question["slug"] for question in QUESTIONS])
def test_a_solution_passes_its_examples_and_the_starter_has_its_function(question: dict[str, Any]) -> None:
    folder, function = ASSIGNMENT / "questions" / question["slug"], question["function"]
    solution = defined(folder / "solution.py")[function]
    for case in parse_examples((folder / "examples.txt").read_text("utf-8"), function):
        assert solution(*case.args) == case.expected
    starter = defined(ASSIGNMENT / "starter.py")[function].__code__
    assert list(starter.co_varnames[: starter.co_argcount]) == question["parameters"]


def test_the_reference_and_the_house_bots_pass_the_gate() -> None:
    (gate,) = (question for question in QUESTIONS if question.get("gate") == "all")
    game = COURSE / "games" / "hearts"
    assert all(result(defined(game / "reference.py"), question) == "all" for question in QUESTIONS)
    assert {result(defined(bot), gate) for bot in game.glob("bots/[!_]*.py")} == {"all"}
