"""The questions: examples out of the Sample Runs, the hidden cases, and the player files that must pass them."""

from collections import Counter
from typing import Any

import pytest

from grader.authoring.course_folder.course import builtin
from grader.definition.paper import parse_examples
from grader.definition.question import FunctionQuestion
from sandbox.api import Verdict
from tests.games.hidden import hidden, judged
from tests.games.uno.tables import legal, table
from tournament.games.api import Case
from tournament.games.uno import pack
from tournament.games.uno.pack import COLOURS

PICK, CHOOSE = builtin("uno").questions[3:]


def by_slug(question: FunctionQuestion) -> str:
    return question.slug


@pytest.mark.parametrize("question", builtin("uno").questions[:3], ids=by_slug)
def test_the_rules_agree_with_every_example(question: FunctionQuestion) -> None:
    function = getattr(pack, question.function.removeprefix("uno_"))
    for case in parse_examples(question.examples, question.function):
        assert function(*case.args) == case.expected, case.title


def test_the_rules_agree_with_every_example_of_q4() -> None:
    for case in parse_examples(PICK.examples, PICK.function):
        _, hand, top, colour, draw_pile_size, *_ = case.args
        state = table(" ".join(hand) + " | Y1", top, colour, draw="R1 " * draw_pile_size)
        assert sorted(legal(state)) == sorted(case.expected), case.title


def test_the_results_are_mixed() -> None:
    matching = Counter(case.expected for case in hidden("uno", builtin("uno").questions[0]))
    assert min(matching[True], matching[False]) >= 400
    colours = Counter(case.expected for case in hidden("uno", builtin("uno").questions[2]))
    assert min(colours[colour] for colour in COLOURS) >= 80
    assert len({case.expected for case in hidden("uno", builtin("uno").questions[1])}) >= 150


@pytest.mark.parametrize(
    ("edge", "is_there"),
    [
        ("must draw", lambda picks, *_: picks == (-2,)),
        ("cannot draw", lambda picks, *_: -2 not in picks),
        ("one card only", lambda picks, *_: len(picks) == 1 and picks[0] >= 0),
        ("a colour that nobody chose", lambda picks, seat, hand, top, colour, *_: colour == "W"),
        ("a draw 2 under a wild draw 4", lambda picks, seat, hand, top, *_: top == "WD" and "RD" in hand),
        ("two players", lambda picks, seat, hand, top, colour, pile, sizes, _: len(sizes) == 2),
        ("five players", lambda picks, seat, hand, top, colour, pile, sizes, _: len(sizes) == 5),
        ("many cards", lambda picks, seat, hand, *_: len(hand) > 10),
        ("the first turn", lambda picks, *args: args[-1] == []),
    ],
)
def test_the_hidden_cases_of_q4_hold_the_edges(edge: str, is_there: Any) -> None:
    assert sum(bool(is_there(case.expected, *case.args)) for case in hidden("uno", PICK)) >= 5, edge


def test_a_hand_fits_the_other_arguments() -> None:
    for case in hidden("uno", PICK) + hidden("uno", CHOOSE):
        seat, hand, top, colour, _, sizes, _ = case.args
        assert sizes[seat] == len(hand) > 0
        assert top[0] in (colour, "W")


@pytest.mark.parametrize(
    ("expected", "got", "verdict", "message"),
    [
        ((0, 3, -2), 3, Verdict.AC, ""),
        ((0, 3, -2), 1, Verdict.WA, "Returned 1; the right answers are 0, 3, -2."),
        ((0, 3, -2), False, Verdict.WA, "Returned False; the right answers are 0, 3, -2."),
        ((-2,), None, Verdict.WA, "Returned None; the right answer is -2: is a return statement missing?"),
        ((-2,), (-2,), Verdict.WA, "Returned (-2,); the right answer is -2."),
        (("R", "Y"), "G", Verdict.WA, "Returned 'G'; the right answers are 'R', 'Y'."),
    ],
)
def test_any_right_answer_will_do(expected: Any, got: Any, verdict: Verdict, message: str) -> None:
    found = judged("uno", PICK, Case((), expected), got)
    assert (found.verdict, found.message) == (verdict, message)
