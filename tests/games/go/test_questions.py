"""The questions: the seed's examples, the hidden cases, the tournaments, and the player files that must pass them."""

from collections import Counter
from itertools import chain
from typing import Any

import pytest

from grader.authoring.course_folder.course import builtin
from grader.definition.paper import parse_examples
from grader.definition.question import FunctionQuestion
from sandbox.api import Verdict
from tests.games.hidden import hidden, judged
from tournament.games.api import Case
from tournament.games.go import groups, huxxy, partitions

BY_SLUG = {question.slug: question for question in builtin("go").questions}
HIDDEN = [question for question in builtin("go").questions if question.cases]
RULES = {"q1": huxxy.valid_table, "q2": groups.valid_groups, "bonus": partitions.best_partitions}


def by_slug(question: FunctionQuestion) -> str:
    return question.slug


def passes(question: FunctionQuestion, expected: Any, got: Any) -> bool:
    return judged("go", question, Case((), expected), got).verdict is Verdict.AC


@pytest.mark.parametrize("slug", RULES)
def test_the_rules_agree_with_every_example(slug: str) -> None:
    question = BY_SLUG[slug]
    for case in parse_examples(question.examples, question.function):
        assert passes(question, case.expected, RULES[slug](*case.args)), case


def test_all_examples_of_the_seed_are_there() -> None:
    numbers = [len(parse_examples(question.examples, question.function)) for question in builtin("go").questions]
    assert numbers == [15, 4, 1, 1, 4]


def test_the_bonus_question_allows_what_the_staffs_own_solution_takes() -> None:
    assert BY_SLUG["bonus"].call_s == 4.0


def test_the_bonus_tournament_hangs_on_the_bonus_question() -> None:
    assert {each.slug: each.title for each in builtin("go").tournaments} == {
        "standard": "Standard tournament",
        "bonus": "Bonus tournament",
    }


def test_a_game_without_a_bonus_question_has_the_standard_tournament_alone() -> None:
    assert {each.slug: each.title for each in builtin("bo").tournaments} == {"standard": "Standard tournament"}


@pytest.mark.parametrize("slug", ["q1", "q2"])
def test_hidden_cases_are_half_true_and_half_false(slug: str) -> None:
    mix = Counter(case.expected for case in hidden("go", BY_SLUG[slug]))
    assert set(mix) == {True, False}
    assert min(mix.values()) >= 450


def cards_of(case: Case) -> list[str]:
    return list(chain.from_iterable(case.args[0]))


def test_no_hidden_case_of_q1_rests_on_what_the_seed_leaves_open() -> None:
    for case in hidden("go", BY_SLUG["q1"]):
        assert all(case.args[0]), "an empty group"


def test_no_hidden_case_of_q2_rests_on_what_the_seed_leaves_open() -> None:
    for case in hidden("go", BY_SLUG["q2"]):
        assert all(case.args[0]), "an empty group"
        assert len(set(cards_of(case))) == len(cards_of(case)) <= 10


@pytest.mark.parametrize(
    ("slug", "edge", "is_there"),
    [
        ("q1", "eight of a kind", lambda case: any(len(group) == 8 for group in case.args[0]) and case.expected),
        ("q1", "a run that is not sorted", lambda case: case.expected and case.args[0][0][0] > case.args[0][0][-1]),
        ("q1", "King and Ace", lambda case: not case.expected and {"A", "K"} <= {card[0] for card in cards_of(case)}),
        ("q2", "two Aces in a run", lambda case: case.expected and max(map(aces_in_run, case.args[0])) == 2),
        ("q2", "three Aces in a run", lambda case: case.expected and max(map(aces_in_run, case.args[0])) == 3),
        ("q2", "ten cards", lambda case: len(cards_of(case)) == 10),
        ("q2", "a quartet", lambda case: case.expected and max(map(len, case.args[0])) == 4),
        ("bonus", "one card", lambda case: len(case.args[0]) == 1),
        ("bonus", "more than two best", lambda case: len(case.expected) > 2),
        ("bonus", "Aces in runs", lambda case: max(map(aces_in_run, chain(*case.expected))) > 0),
    ],
)
def test_the_hidden_cases_hold_the_edges(slug: str, edge: str, is_there: Any) -> None:
    assert sum(bool(is_there(case)) for case in hidden("go", BY_SLUG[slug])) >= 1, edge


def aces_in_run(group: list[str]) -> int:
    return sum(card[0] == "A" for card in group) if len(group) > 1 else 0


def test_refused_cases_are_titled_with_the_reason() -> None:
    for question in HIDDEN[:2]:
        refused = [case for case in hidden("go", question) if case.expected is False]
        assert all(" is not a group: " in case.title and case.title.endswith(".") for case in refused)


@pytest.mark.parametrize(
    ("got", "right"),
    [
        (
            [
                [["8H", "5C", "AH", "AS"], ["0D", "KS", "QH", "AC"]],
                [["0D", "AS", "KS", "QH"], ["5C", "8H", "AH", "AC"]],
            ],
            True,
        ),
        (
            [
                [["0D", "AS", "KS", "QH"], ["5C", "8H", "AH", "AC"]],
                [["AS", "5C", "8H", "AH"], ["0D", "KS", "QH", "AC"]],
            ],
            True,
        ),
        ([[["AS", "5C", "8H", "AH"], ["0D", "KS", "QH", "AC"]]], False),
        ([[["AS", "5C", "8H", "AH"], ["0D", "KS", "QH", "AC"]]] * 2, False),
        ([["AS", "5C", "8H", "AH"], ["0D", "KS", "QH", "AC"]], False),
        (None, False),
    ],
)
def test_the_order_of_groupings_groups_and_cards_means_nothing_but_all_must_be_there(got: Any, right: bool) -> None:
    question = BY_SLUG["bonus"]
    example = parse_examples(question.examples, question.function)[-1]
    assert passes(question, example.expected, got) is right
