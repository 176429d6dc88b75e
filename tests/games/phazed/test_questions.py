"""The questions: the seed's examples, the hidden cases, and the player files that must pass them."""

from collections import Counter
from typing import Any

import pytest

from grader.authoring.course_folder.course import builtin
from grader.definition.paper import parse_examples
from grader.definition.question import FunctionQuestion
from tests.games.hidden import hidden
from tournament.games.phazed import groups, plays

RULES = {
    "q1": groups.group_types,
    "q2": groups.phase_types,
    "q3": plays.is_valid_play,
    "q4": groups.score,
}
HIDDEN = [question for question in builtin("phazed").questions if question.cases]
BY_SLUG = {question.slug: question for question in builtin("phazed").questions}


def by_slug(question: FunctionQuestion) -> str:
    return question.slug


def same(got: Any, expected: Any) -> bool:
    return type(got) is type(expected) and got == expected


@pytest.mark.parametrize("question", HIDDEN, ids=by_slug)
def test_the_rules_agree_with_every_example(question: FunctionQuestion) -> None:
    function: Any = RULES[question.slug]
    for case in parse_examples(question.examples, question.function):
        assert same(function(*case.args), case.expected), case.title


def test_all_examples_of_the_seed_are_there() -> None:
    assert [len(parse_examples(each.examples, each.function)) for each in builtin("phazed").questions] == [
        9,
        8,
        3,
        3,
        1,
    ]


def test_hidden_cases_are_mixed() -> None:
    kinds = Counter(kind for case in hidden("phazed", BY_SLUG["q1"]) for kind in case.expected or [0])
    assert all(kinds[kind] >= 90 for kind in range(1, 8))
    assert 300 <= kinds[0] <= 600
    phases = Counter(phase for case in hidden("phazed", BY_SLUG["q2"]) for phase in case.expected or [0])
    assert all(phases[phase] >= 60 for phase in range(1, 8))
    assert 300 <= phases[0] <= 600
    valid = Counter(case.expected for case in hidden("phazed", BY_SLUG["q3"]))
    assert min(valid[True], valid[False]) >= 400
    assert set(valid) == {True, False}


def test_hidden_cases_place_cards_inside_runs_only() -> None:
    inside = set()
    for case in hidden("phazed", BY_SLUG["q3"]):
        (kind, content), table = case.args[0], case.args[2]
        if kind == 4:
            _, (owner, number, index) = content
            phase, on_table = table[owner]
            inside |= {groups.PHASES[phase][number]} if 0 < index < len(on_table[number]) else set()
    assert inside == set(groups.RUNS)


def test_hidden_positions_are_consistent() -> None:
    for case in hidden("phazed", BY_SLUG["q3"]):
        _, player, table, history, status, hand, _ = case.args
        on_table = [card for _, groups in table for group in groups for card in group]
        assert max(Counter([*hand, *on_table]).values()) <= 2
        assert all(phase is None or phase == status[owner] for owner, (phase, _) in enumerate(table))
        assert all(plays[-1][0] == 5 for _, plays in history[:-1])
        assert not history or history[-1][0] == player or history[-1][1][-1][0] == 5


@pytest.mark.parametrize(
    "words",
    [
        "You have already picked up",
        "A turn begins",
        "is not the top card of the discard pile",
        "You do not hold",
        "only one phase in each hand",
        "the phase you must play is",
        "must be a set of three",
        "must be a run of eight",
        "you have not played your phase",
        "only at its ends",
        "all twelve values",
        "or an ace fits",
        "only cards of value",
        "the cards of this group are",
        "is the highest total",
        "the next total is",
        "before your turn ends",
    ],
)
def test_refused_cases_of_q3_are_titled_with_every_reason(words: str) -> None:
    titles = [case.title for case in hidden("phazed", BY_SLUG["q3"]) if case.expected is False]
    assert all(title.endswith(".") for title in titles)
    assert any(words in title for title in titles)
