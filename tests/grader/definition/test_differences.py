"""What differs between two definitions, as a preview tells it."""

from datetime import UTC, datetime
from typing import Any

import pytest

from grader.comparing.comparators import Floats
from grader.comparing.outputs import SameText
from grader.definition.differences import Touches, differences
from grader.definition.model import Definition, Ladder
from grader.definition.question import FunctionQuestion, Gate, ProgramCase, ProgramQuestion, Shows

Q1 = FunctionQuestion(slug="q1", title="Twice", function="twice", parameters=("x",), text="one\ntwo\nthree\n")
Q2 = FunctionQuestion(slug="q2", title="Thrice", function="thrice")
BEFORE = Definition(title="Bo", game="bo", questions=(Q1, Q2), tournaments=(Ladder(),), submissions={"wrong/a.py": "x"})
MARKS, SEASON, NOTHING = Touches.MARKS, Touches.SEASON, Touches.NOTHING


def q1(**changes: Any) -> dict[str, Any]:
    return {"questions": (Q1.model_copy(update=changes), Q2)}


@pytest.mark.parametrize(
    ("changes", "sentences", "touches"),
    [
        ({}, [], []),
        ({"title": "Bo!"}, ["title: Bo → Bo!"], [NOTHING]),
        ({"options": {"hand_size": 4}}, ["options: nothing → hand_size = 4"], [SEASON]),
        ({"due_at": datetime(2027, 5, 1, tzinfo=UTC)}, ["due_at: nothing → 2027-05-01T00:00:00+00:00"], [NOTHING]),
        (q1(points=2.5), ["questions.q1.points: 1 → 2.5"], [MARKS]),
        (
            q1(visible=False),
            ["questions.q1.visible: yes → no", "questions.q1.gate: examples → none"],
            [MARKS, SEASON],
        ),
        (
            q1(visible=False, gate=Gate.NONE),
            ["questions.q1.visible: yes → no", "questions.q1.gate: examples → none"],
            [MARKS, SEASON],
        ),
        (q1(gate=Gate.ALL), ["questions.q1.gate: examples → all"], [SEASON]),
        (q1(text="one\n2\nthree\nfour\n"), ["questions.q1.text: 2 lines added, 1 line removed"], [NOTHING]),
        (
            q1(comparator=Floats()),
            ["questions.q1.comparator: exact → floats (relative = 1e-09, absolute = 0)"],
            [MARKS],
        ),
        ({"questions": (Q2, Q1)}, ["questions: q1, q2 → q2, q1"], [NOTHING]),
        ({"questions": (Q1,)}, ["questions.q2: removed", "questions.q2.gate: examples → none"], [MARKS, SEASON]),
        (
            {"questions": (Q1, Q2, Q2.model_copy(update={"slug": "q3"}))},
            ["questions.q3: new", "questions.q3.gate: none → examples"],
            [MARKS, SEASON],
        ),
        (
            {"questions": (Q1, Q2, Q2.model_copy(update={"slug": "q3", "gate": Gate.NONE}))},
            ["questions.q3: new"],
            [MARKS],
        ),
        ({"tournaments": (Ladder(fault_limit=5),)}, ["tournaments.standard.fault_limit: 10 → 5"], [NOTHING]),
        ({"tournaments": ()}, ["tournaments.standard: removed"], [NOTHING]),
        (
            {"submissions": {"wrong/b.py": "x"}},
            ["submissions/wrong/a.py: removed", "submissions/wrong/b.py: new"],
            [NOTHING] * 2,
        ),
    ],
)
def test_each_change_is_a_sentence(changes: dict[str, Any], sentences: list[str], touches: list[Touches]) -> None:
    found = differences(BEFORE, BEFORE.model_copy(update=changes))
    assert ([each.sentence for each in found], [each.touches for each in found]) == (sentences, touches)


CASE = ProgramCase(slug="01-two-bots", title="Two bots", hidden=False, input="2\n", output="a\nb\nc\n")
PROGRAM = ProgramQuestion(
    slug="q1",
    title="Uno",
    language="cpp17",
    given={"Deck.cpp": "// TODO\n", "Deck.h": "// a deck\n"},
    options=("-O2",),
    cases=(CASE,),
    solution={"Deck.cpp": "one\ntwo\n"},
)


@pytest.mark.parametrize(
    ("changes", "sentences", "touches"),
    [
        ({"options": ("-O2", "-Wall")}, ["options: -O2 → -O2, -Wall"], [MARKS]),
        ({"gate": Gate.ALL}, ["gate: examples → all"], [SEASON]),
        ({"shows": Shows.ALL}, ["shows: verdicts → all"], [NOTHING]),
        (
            {"given": {"Deck.cpp": "// TODO: two\n", "Card.h": ""}},
            ["files/Card.h: new", "files/Deck.cpp: 1 line added, 1 line removed", "files/Deck.h: removed"],
            [MARKS] * 3,
        ),
        ({"solution": {"Deck.cpp": "one\n"}}, ["solution/Deck.cpp: 0 lines added, 1 line removed"], [NOTHING]),
        ({"submissions": {"WA/a/Deck.cpp": "x"}}, ["submissions/WA/a/Deck.cpp: new"], [NOTHING]),
        ({"comparator": SameText()}, ["comparator: lines → exact"], [MARKS]),
        (
            {"cases": (CASE.model_copy(update={"output": "a\nB\nc\n", "title": "2 bots", "files": {"x.txt": "1\n"}}),)},
            [
                "cases/01-two-bots.title: Two bots → 2 bots",
                "cases/01-two-bots.output: 1 line added, 1 line removed",
                "cases/01-two-bots.files/x.txt: new",
            ],
            [NOTHING, MARKS, MARKS],
        ),
        (
            {"cases": (CASE.model_copy(update={"slug": "02-more"}),)},
            ["cases/01-two-bots: removed", "cases/02-more: new"],
            [MARKS, MARKS],
        ),
    ],
)
def test_a_program_changes_file_by_file_and_case_by_case(
    changes: dict[str, Any], sentences: list[str], touches: list[Touches]
) -> None:
    before, after = (
        Definition(title="Uno", questions=(each,)) for each in (PROGRAM, PROGRAM.model_copy(update=changes))
    )
    found = differences(before, after)
    assert [each.sentence for each in found] == [f"questions.q1.{sentence}" for sentence in sentences]
    assert [each.touches for each in found] == touches


def test_a_function_that_becomes_a_program_is_one_change() -> None:
    (found,) = differences(Definition(title="Bo", questions=(Q1,)), Definition(title="Bo", questions=(PROGRAM,)))
    assert (found.sentence, found.touches) == ("questions.q1: a function → a program", MARKS)


def test_a_new_assignment_is_one_change() -> None:
    assert [each.sentence for each in differences(None, BEFORE)] == ["assignment: new"]


def test_a_changed_text_is_shown_like_a_patch() -> None:
    (change,) = differences(BEFORE, BEFORE.model_copy(update=q1(text="one\n2\nthree\n")))
    assert change.lines() == ["@@ -1,3 +1,3 @@", " one", "-two", "+2", " three"]
