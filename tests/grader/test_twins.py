"""Twins: a case like the hidden one, that the player also fails, and always the same."""

from typing import Any

from grader.authoring.authored import Authored
from grader.authoring.twins import TRIES, twin, twin_seed
from sandbox.api import Sandbox
from tournament.games.api import Case
from tournament.games.judges import key

DRAWS = "def cases(rng):\n    while True:\n        yield {'args': (rng.randrange(1000),), 'title': 'a number'}\n"
QUESTION = Authored(DRAWS, "def half(n):\n    return n // 2\n", "half", (1,), "the hidden cases")
HIDDEN = Case((7,), 3)


def found(sandbox: Sandbox, fails: Any, source: bytes = b"", graded: frozenset[str] = frozenset()) -> Case | None:
    return twin(sandbox, QUESTION, ("version 1", HIDDEN, source), graded, fails)


def odd(case: Case) -> bool:
    return bool(case.args[0] % 2)


def test_a_twin_is_another_case_that_fails_with_what_is_right(sandbox: Sandbox) -> None:
    case = found(sandbox, odd)
    assert case is not None
    assert odd(case)
    assert (case.expected, case.title) == (case.args[0] // 2, "a number")


def test_the_same_file_gets_the_same_twin_and_others_get_another(sandbox: Sandbox) -> None:
    assert found(sandbox, odd) == found(sandbox, odd)
    assert len({str(found(sandbox, odd, bytes([number]))) for number in range(4)}) > 1
    seeds = {twin_seed(*each) for each in [("1", HIDDEN, b""), ("2", HIDDEN, b""), ("1", Case((8,), 3), b"")]}
    assert len(seeds) == 3


def test_what_is_graded_is_no_twin(sandbox: Sandbox) -> None:
    graded = frozenset(key((number,)) for number in range(1000))
    assert found(sandbox, odd, graded=graded) is None


def test_after_so_many_tries_there_is_none(sandbox: Sandbox) -> None:
    asked: list[Case] = []
    assert found(sandbox, lambda case: asked.append(case) or False) is None
    assert len(asked) == TRIES
