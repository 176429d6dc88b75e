"""Gates: what must pass before a player may enter, by default and as instructors choose."""

import json
import zlib
from dataclasses import replace
from typing import Any

import pytest

from grader.authoring.course_folder.course import builtin
from grader.definition.question import Gate
from grader.grading.report import (
    Report,
    assemble,
    barring,
    for_tournament,
    gated,
    gates_of,
    in_words,
    pack,
    shortfall,
    trim,
    unpack,
)
from grader.programs.shown import CaseResult
from sandbox.api import Verdict
from tests.papers import examples_only
from tournament.play.games import GAMES

NONE, EXAMPLES, ALL = Gate
GO = builtin("go")


def report(failing: str, gates: dict[str, Gate] | None = None) -> Report:
    """Of Comp10001-Go, each question having an example and a hidden case; `q1!` names the example of Q1, `q1?` its
    hidden case."""
    cases = []
    for question in GO.asked:
        for mark, hidden in (("!", False), ("?", True)):
            verdict = Verdict.WA if question.slug + mark in failing.split() else Verdict.AC
            cases.append(CaseResult(question.slug, "", "f()", "1", "1", verdict, "", 1.0, hidden))
    made = assemble(examples_only("go"), cases)
    return made if gates is None else gated(made, gates)


DEFAULTS = {
    "bo": "all cases of Q4",
    "phazed": "all cases of Q5",
    "go": "all cases of Q3A and Q3B",
    "kotc": "",
    "uno": "all cases of Q4",
}


@pytest.mark.parametrize("slug", GAMES)
def test_by_default_all_of_the_play_question_and_nothing_else(slug: str) -> None:
    assert in_words(gates_of(builtin(slug))) == DEFAULTS[slug]


def test_what_an_instructor_chooses_takes_the_place_of_the_default() -> None:
    assert gates_of(GO, {"q1": "all", "q2": "none"}) == {
        "q1": ALL, "q2": NONE, "q3a": ALL, "q3b": ALL, "bonus": NONE,
    }  # fmt: skip
    assert in_words(gates_of(GO, dict.fromkeys(["q1", "q2", "q3a", "q3b"], "none"))) == ""


@pytest.mark.parametrize(
    ("failing", "standard", "bonus"),
    [
        ("", "", ""),
        ("q1?", "", ""),
        ("q1!", "Q1: 1 of 1 visible example failed", "Q1: 1 of 1 visible example failed"),
        ("q1! q1?", "Q1: 1 of 1 visible example failed", "Q1: 1 of 1 visible example failed"),
        ("q2!", "", ""),
        ("q3a?", "Q3A: 1 of 2 cases failed", "Q3A: 1 of 2 cases failed"),
        ("bonus! bonus?", "", "Bonus question: 2 of 2 cases failed"),
    ],
)
def test_a_question_keeps_a_player_out_by_what_its_gate_asks_for(failing: str, standard: str, bonus: str) -> None:
    made = trim(report(failing, gates_of(GO, {"q1": "examples"})))
    assert ", ".join(map(shortfall, barring(made, "standard"))) == standard
    assert ", ".join(map(shortfall, barring(made, "bonus"))) == bonus
    assert made.qualifies is (standard == "")


@pytest.mark.parametrize(
    ("gate", "failing", "qualifies"),
    [
        (NONE, "q1! q1?", True),
        (EXAMPLES, "q1?", True),
        (EXAMPLES, "q1!", False),
        (ALL, "q1?", False),
        (ALL, "", True),
    ],
)
def test_a_report_qualifies_by_the_gates_in_force(gate: Gate, failing: str, qualifies: bool) -> None:
    assert report(failing, {"q1": gate}).qualifies is qualifies


def test_the_tournament_of_a_question_asks_for_all_of_it() -> None:
    assert for_tournament(gates_of(GO), "bonus")["bonus"] is ALL
    assert for_tournament(gates_of(GO), "standard") == gates_of(GO)


def test_a_report_says_by_which_gates_it_was_made_and_an_old_one_asked_for_all_cases() -> None:
    made = report("q1!", {"q1": EXAMPLES, "q2": ALL})
    assert unpack(pack(made)) == made
    old: dict[str, Any] = made.to_json()
    for question in old["questions"]:
        del question["gate"]
    former = unpack(zlib.compress(json.dumps(old).encode()))
    assert [each.asked for each in former.questions] == [ALL, ALL, NONE, NONE, NONE]
    assert [each.slug for each in barring(former, "standard")] == ["q1"]
    assert replace(former, questions=[]).qualifies is made.qualifies
