"""What grading again has changed, of two reports."""

import pytest

from grader.grading.report import QuestionReport, Report
from grader.regrade.batches import question_words
from grader.regrade.difference import (
    CasesPassed,
    QuestionChange,
    ReportDifference,
    difference,
    difference_in,
    question_changes,
)
from grader.store.models import Regrade


def question(slug: str, passed: int, total: int) -> QuestionReport:
    points = round(passed / total, 2)
    return QuestionReport(slug, slug, "f", passed, total, points, 1.0, True, {}, [])


@pytest.mark.parametrize(
    ("former", "now", "words"),
    [
        ([("q1", 9, 9)], [("q1", 9, 9)], ""),
        ([("q1", 9, 9)], [("q1", 12, 12)], ""),  # more cases, all of which pass
        ([("q1", 1000, 2000)], [("q1", 1001, 2002)], ""),  # and the same points
        ([("q1", 9, 10)], [("q1", 10, 10)], "Q1: 10 of 10 cases passed; previously, 9 of 10 did."),
        (
            [("q1", 1999, 2000)],
            [("q1", 2000, 2000)],
            "Q1: 2,000 of 2,000 cases passed; previously, 1,999 of 2,000 did.",
        ),
        ([("q1", 10, 10)], [("q1", 9, 10)], "Q1: 9 of 10 cases passed; previously, 10 of 10 did."),
        ([("q1", 9, 9)], [("q1", 9, 9), ("q2", 1, 2)], "Q2: 1 of 2 cases passed; the question is new."),
        ([("q1", 9, 9), ("q2", 1, 2)], [("q1", 9, 9)], "Q2 is no longer part of the assignment."),
        ([], [("q1", 0, 2)], ""),  # worth nothing before and now
    ],
)
def test_what_matters_to_a_student_and_in_which_words(
    former: list[tuple[str, int, int]], now: list[tuple[str, int, int]], words: str
) -> None:
    changes = question_changes([question(*each) for each in former], [question(*each) for each in now])
    assert " ".join(question_words(each) for each in changes) == words


def test_it_is_kept_as_plain_data() -> None:
    change = QuestionChange("q1", CasesPassed(1, 2, 0.5), None)
    kept = ReportDifference((0.5, 0.0), [change], [3], [])
    assert difference_in(Regrade(difference=kept.to_json())) == kept
    assert (kept.changed, change.gained) == (True, False)


def test_a_tournament_alone_is_a_change_too() -> None:
    same = Report(True, 1.0, 1.0, [question("q1", 1, 1)])
    assert not difference(same, same, {1}, {1}).changed
    found = difference(same, same, {1, 2}, {1, 3})
    assert (found.changed, found.gained, found.lost) == (True, [3], [2])
