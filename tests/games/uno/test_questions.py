"""The questions: examples out of the Sample Runs, the hidden cases, and the player files that must pass them."""

from ast import literal_eval
from collections import Counter
from doctest import DocTestParser
from typing import Any

import pytest

from grader.comparator import compare
from grader.examples import parse_examples
from sandbox.api import Verdict
from tests.games.hidden import hidden
from tests.games.uno.tables import legal, table
from tournament.games import uno
from tournament.games.api import Case, Question
from tournament.games.uno import pack, reference
from tournament.games.uno.bots import first_match, random_legal, watcher, wild_last
from tournament.games.uno.pack import COLOURS

PLAYERS = [reference, first_match, random_legal, watcher, wild_last]
PICK, CHOOSE = uno.questions[3:]


def by_slug(question: Question) -> str:
    return question.slug


def cases(question: Question) -> list[Case]:
    return parse_examples(question.examples, question.function) + hidden(question)


def wrong(player: Any, question: Question) -> list[Case]:
    function = getattr(player, question.function)
    return [
        case
        for case in cases(question)
        if compare(case.expected, function(*case.args), question.accepts).verdict != Verdict.AC
    ]


@pytest.mark.parametrize("player", PLAYERS, ids=lambda player: player.__name__.rsplit(".", 1)[-1])
@pytest.mark.parametrize("question", [PICK, CHOOSE], ids=by_slug)
def test_every_house_bot_qualifies(player: Any, question: Question) -> None:
    assert wrong(player, question) == []


@pytest.mark.parametrize("question", uno.questions[:3], ids=by_slug)
def test_the_rules_agree_with_every_example(question: Question) -> None:
    function = getattr(pack, question.function.removeprefix("uno_"))
    for case in parse_examples(question.examples, question.function):
        assert function(*case.args) == case.expected, case.title


def test_the_rules_agree_with_every_example_of_q4() -> None:
    for case in parse_examples(PICK.examples, PICK.function):
        _, hand, top, colour, draw_pile_size, *_ = case.args
        state = table(" ".join(hand) + " | Y1", top, colour, draw="R1 " * draw_pile_size)
        assert sorted(legal(state)) == sorted(case.expected), case.title


def test_picking_and_choosing_qualify_and_the_rest_does_not() -> None:
    assert [question.qualifies for question in uno.questions] == [False, False, False, True, True]


@pytest.mark.parametrize("question", uno.questions, ids=by_slug)
def test_hidden_cases_are_many_and_distinct(question: Question) -> None:
    found = hidden(question)
    assert len({repr(case.args) for case in found}) == len(found) >= (300 if question is CHOOSE else 1000)
    assert {len(case.args) for case in found} == set(question.arities)


def test_the_results_are_mixed() -> None:
    matching = Counter(case.expected for case in hidden(uno.questions[0]))
    assert min(matching[True], matching[False]) >= 400
    colours = Counter(case.expected for case in hidden(uno.questions[2]))
    assert min(colours[colour] for colour in COLOURS) >= 80
    assert len({case.expected for case in hidden(uno.questions[1])}) >= 150


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
    assert sum(bool(is_there(case.expected, *case.args)) for case in hidden(PICK)) >= 5, edge


def test_a_hand_fits_the_other_arguments() -> None:
    for case in hidden(PICK) + hidden(CHOOSE):
        seat, hand, top, colour, _, sizes, _ = case.args
        assert sizes[seat] == len(hand) > 0
        assert top[0] in (colour, "W")


@pytest.mark.parametrize(
    ("expected", "got", "verdict", "message"),
    [
        ((0, 3, -2), 3, Verdict.AC, ""),
        ((0, 3, -2), 1, Verdict.WA, "Returned 1; any of 0, 3, -2 is right."),
        ((0, 3, -2), False, Verdict.WA, "Returned False; any of 0, 3, -2 is right."),
        ((-2,), None, Verdict.WA, "Returned None; only -2 is right: is a return statement missing?"),
        ((-2,), (-2,), Verdict.WA, "Returned (-2,); only -2 is right."),
        (("R", "Y"), "G", Verdict.WA, "Returned 'G'; any of 'R', 'Y' is right."),
    ],
)
def test_any_right_answer_will_do(expected: Any, got: Any, verdict: Verdict, message: str) -> None:
    found = compare(expected, got, PICK.accepts)
    assert (found.verdict, found.message) == (verdict, message)


def test_the_starter_shows_every_function_with_an_example_that_holds() -> None:
    source = (uno.folder / "starter.py").read_text("utf-8")
    starter: dict[str, Any] = {}
    exec(compile(source, "starter.py", "exec"), starter)
    for question in uno.questions:
        function, right = starter[question.function], getattr(reference, question.function)
        assert function.__code__.co_varnames == right.__code__.co_varnames[: function.__code__.co_argcount]
        (example,) = DocTestParser().get_examples(function.__doc__)
        assert eval(example.source, vars(reference)) == literal_eval(example.want)
