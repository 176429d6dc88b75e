"""What reports say about the cases of the built-in games: a title for each, and why the answer is wrong."""

from typing import Any

import pytest

from grader.authoring.course_folder.course import builtin
from grader.grading.case_words import worded, words_of
from grader.grading.causes import diagnosis
from grader.grading.report import QuestionReport, Report
from grader.programs.shown import CaseResult
from sandbox.api import Verdict
from tests.papers import hidden_cases
from tournament.play.games import find_game


def reported(function: str, call: str, got: str, verdict: Verdict = Verdict.WA) -> Report:
    case = CaseResult("q1", "", call, "", got, verdict, "No.", 0, hidden=True)
    question = QuestionReport("q1", "Groups", function, 0, 1, 0, 1, False, {verdict: 1}, [case], twin=case)
    return Report(False, 0, 1, [question])


def why(game: str, call: str, got: str) -> str:
    function = call.partition("(")[0]
    (question,) = worded(reported(function, call, got), find_game(game)).questions
    return question.cases[0].why


WHY = [
    ("phazed", "phazed_group_type(['4H', '4D', '5C'])", "[1]", "4♥ and 5♣ do not have the same value."),
    ("phazed", "phazed_group_type(['4H', 'AS', '4C'])", "[]", "4♥ A♠ 4♣ is a set of three cards of the same value"),
    ("phazed", "phazed_group_type(['4H', 'AS', '4C'])", "[1, 6]", "its total is 9."),
    ("phazed", "phazed_group_type(['4H', '5H', '6C', '7H'])", "[5]", "4♥ and 6♣ do not have the same colour."),
    ("phazed", "phazed_group_type(['4H', '6H', '7H', '8H'])", "[5]", "6♥ cannot stand 1 place after 4♥."),
    ("phazed", "phazed_group_type(['AH', 'AS', 'AC'])", "[1]", "fewer than two of its cards are not Aces."),
    ("phazed", "phazed_phase_type([['4H', '4D', '4C']])", "[1]", "Phase 1 has 2 groups, not 1."),
    ("phazed", "phazed_phase_type([['4H', '4D', '4C'], ['5H', '5D', '6C']])", "[1]", "5♥ and 6♣ do not have the same"),
    ("go", "comp10001huxxy_valid_table([['2C', '2H', '2D']])", "False", "2♣ 2♥ 2♦ is a 3-of-a-kind."),
    (
        "go",
        "comp10001go_valid_groups([['2C', 'AH', '4S'], ['KS']])",
        "False",
        "is a run of 3 with Aces in its gaps; K♠",
    ),
    ("kotc", "kotc_turn(['2C', '3D'], '8D', [], [2])", "('2C', 0)", "The 2 of clubs cannot be played on an Eight"),
    ("kotc", "kotc_turn(['2C', '3D'], '9D', [], [2])", "('2C', 0)", "The 2 of clubs cannot be played on the 9 of dia"),
    ("kotc", "kotc_turn(['2C', '3D'], '9D', [], [2])", "(5, 0)", ""),
    ("phazed", "phazed_group_type(7)", "[1]", ""),
    ("phazed", "phazed_group_type(['4H', '4D', …", "[1]", ""),
    ("phazed", "phazed_group_type(" + "[" * 5000, "[1]", ""),
]


@pytest.mark.parametrize(("game", "call", "got", "told"), WHY)
def test_a_wrong_answer_is_told_why(game: str, call: str, got: str, told: str) -> None:
    found = why(game, call, got)
    assert (told in found) if told else not found


@pytest.mark.parametrize("slug", ["bo", "go", "kotc", "phazed", "uno"])
def test_every_hidden_case_of_a_builtin_game_has_a_title(slug: str) -> None:
    words = words_of(find_game(slug))
    assert words
    for question in builtin(slug).functions:
        for case in hidden_cases(slug).get(question.slug, ()):
            assert case.title or words(question.function, case.args, None).title


def test_a_case_without_words_has_the_title_of_its_question() -> None:
    for game in (None, find_game("bo")):
        (question,) = worded(reported("other", "other(1)", "2"), game).questions
        assert question.cases[0].title == "Groups"
        assert question.cases == question.twins, "words change none of the counts"


def test_words_for_whatever_a_player_returns() -> None:
    group = ["4H", "4D", "5C"]
    values: list[Any] = [None, "", "[" * 9000, "...", "{}", "[[1]]", "1e999", "('2C', 'x')"]
    for got in values:
        assert why("phazed", f"phazed_group_type({group!r})", got or "") == ""
    assert diagnosis(worded(reported("f", "f(1)", ""), None)).causes


def test_a_call_is_read_and_never_run() -> None:
    assert why("phazed", "phazed_group_type(__import__('os').listdir())", "[1]") == ""
