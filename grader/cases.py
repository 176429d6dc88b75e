"""The cases of a question: its examples, then the hidden ones, with their texts; made once per process."""

from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from grader.examples import parse_examples
from tournament.games.api import Case, Game, Question, Request
from tournament.play.referee import call_text, value_text


@dataclass(frozen=True, slots=True)
class Check:
    """A case ready to be run. `call` is its exact text, `expected` the expected value as Python writes it."""

    case: Case
    hidden: bool
    call: str
    expected: str


@cache
def checks(question: Question) -> tuple[Check, ...]:
    """All checks of a question, each call once; the same in every process.

    Raises ExampleError for a lecturer's mistake.
    """
    examples = parse_examples(question.examples, question.function, question.parameters)
    hidden = question.hidden(Random(f"quadrille hidden {question.slug}")) if question.hidden else ()
    shown = {repr(case.args) for case in examples}
    return (
        *(_check(question, case, False) for case in examples),
        *(_check(question, case, True) for case in hidden if repr(case.args) not in shown),
    )


def warm(game: Game[Any]) -> None:
    """Make a game's cases now, so that the first submission does not wait for them."""
    for question in game.questions:
        checks(question)


def _check(question: Question, case: Case, hidden: bool) -> Check:
    call = call_text(Request(0, question.function, case.args))
    return Check(case, hidden, call, value_text(case.expected))
