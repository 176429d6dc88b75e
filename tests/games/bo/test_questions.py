"""The questions: the seed's examples, the hidden cases, and the player files that must pass them."""

import re
from collections import Counter
from typing import Any

import pytest

from grader.authoring.course_folder.course import builtin
from grader.definition.paper import parse_examples
from grader.definition.question import FunctionQuestion
from tests.games.hidden import hidden
from tournament.games import bo
from tournament.games.bo import plays

HIDDEN = [question for question in builtin("bo").questions if question.cases]
MIX = {"q1": {True: 400, False: 500}, "q2": {0: 400, 1: 300, 2: 250}, "q3": {0: 500, 1: 400, 2: 150, 3: 90}}


def by_slug(question: FunctionQuestion) -> str:
    return question.slug


def same(got: Any, expected: Any) -> bool:
    return type(got) is type(expected) and got == expected


@pytest.mark.parametrize("question", HIDDEN, ids=by_slug)
def test_the_rules_agree_with_every_example(question: FunctionQuestion) -> None:
    function = getattr(plays, question.function.removeprefix("comp10001bo_"))
    for case in parse_examples(question.examples, question.function):
        assert same(function(*case.args), case.expected), case.title


def test_all_examples_of_the_seed_are_there() -> None:
    assert [len(parse_examples(question.examples, question.function)) for question in builtin("bo").questions] == [
        5,
        8,
        16,
        5,
    ]


@pytest.mark.slow
@pytest.mark.parametrize("question", HIDDEN, ids=by_slug)
def test_hidden_cases_are_mixed(question: FunctionQuestion) -> None:
    mix = Counter(case.expected for case in hidden("bo", question))
    assert all(mix[value] >= least for value, least in MIX[question.slug].items()), mix
    assert set(mix) == set(MIX[question.slug])


def test_no_hidden_case_rests_on_the_last_card_of_a_stockpile() -> None:
    last = [case for case in hidden("bo", HIDDEN[2]) if case.args[0][0] == 2 and case.args[3][case.args[1]][1] == 1]
    assert last == []


@pytest.mark.parametrize(
    ("edge", "is_there"),
    [
        ("an empty hand", lambda play, seat, hand, *_: not hand),
        ("only Aces", lambda play, seat, hand, *_: hand and {card[0] for card in hand} == {"A"}),
        (
            "an Ace that completes a pile",
            lambda play, seat, hand, tops, discards, builds: play[0] == 0 and play[1][0] == "A" and play[2][0] == 0,
        ),
        (
            "another player's empty pile",
            lambda play, seat, hand, tops, discards, builds: (
                play[2][0] == 1
                and play[2][1][0] != seat
                and max(play[2][1]) < 4
                and not discards[play[2][1][0]][play[2][1][1]]
            ),
        ),
        (
            "the top card of somebody else's stockpile",
            lambda play, seat, hand, tops, *_: play[0] == 2 and play[1] != tops[seat][0] and play[1] in dict(tops),
        ),
    ],
)
def test_the_hidden_cases_of_q3_hold_the_edges(edge: str, is_there: Any) -> None:
    assert sum(bool(is_there(*case.args)) for case in hidden("bo", HIDDEN[2])) >= 5, edge


@pytest.mark.parametrize(("card", "top"), [("K", "2"), ("2", "K")])
def test_the_hidden_cases_of_q1_and_q2_hold_the_way_round_from_king_to_two(card: str, top: str) -> None:
    for question in HIDDEN[:2]:
        assert any(
            case.args[0][0] == card and case.args[1] and case.args[1][-1][0] == top for case in hidden("bo", question)
        )


def test_refused_cases_are_titled_with_the_reason() -> None:
    titles = [case.title for case in hidden("bo", HIDDEN[2]) if case.expected == 0]
    assert all(title.endswith(".") for title in titles)
    assert sum("You do not hold" in title for title in titles) >= 50


@pytest.mark.parametrize("name", ["README.md", "starter.py"])
def test_the_rules_and_the_starter_allow_a_single_global_variable(name: str) -> None:
    text = " ".join((bo.folder / name).read_text().split())
    assert re.search("single global variable|only one global variable", text)
