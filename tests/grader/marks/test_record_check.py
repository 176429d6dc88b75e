"""The signed record of published marks: what was changed is found."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

import pytest

from grader.definition.local_times import find_zone
from grader.definition.model import Counts
from grader.marks.mark import (
    AskedQuestion,
    Choosing,
    Decision,
    GradedUpload,
    Mark,
    MarkRules,
    Possible,
    account,
    counting,
    mark_of,
)
from grader.marks.record_check import FORMAT, CaseCount, check_marks, inputs_of, is_of_marks
from grader.marks.scheme import LatePolicy, MarkScheme, RubricItem
from tournament.final.record import canonical_json, signed
from tournament.games.signing import new_key, public_key

KEY = new_key()
RUBRIC = (RubricItem(key="r1", title="Style", most=5), RubricItem(key="r2", title="Tests", most=2, bonus=True))
SCHEME = MarkScheme(late=LatePolicy(percent=10, late_days=1), points_worth=50, rubric=RUBRIC, decimals=1)
POSSIBLE = Possible(3, 1)
QUESTIONS = (AskedQuestion(slug="q1", title="Cards", points=1), AskedQuestion(slug="q2", title="Plays", points=2))
RULES = MarkRules(scheme=SCHEME, possible=POSSIBLE, counts=Counts.LAST, questions=QUESTIONS, zone="Australia/Melbourne")
DUE = datetime(2026, 10, 4, 12, 59, tzinfo=UTC)
CASES = {"q1": CaseCount(passed=3, total=4, most=1), "q2": CaseCount(passed=13, total=20, most=2, cost=0.05)}
UPLOAD = GradedUpload(7, DUE + timedelta(days=2, hours=-1), 2.0, {"q1": 0.75, "q2": 1.25})
LATE = counting([UPLOAD], Choosing(SCHEME.late, Counts.LAST, find_zone(RULES.zone), DUE, 3, days_left=4))
Lines: TypeAlias = list[dict[str, Any]]


def lines(*marks: Mark) -> Lines:
    """The lines of a record, not signed."""
    head = {"record": "marks", "format": FORMAT, "title": "Warm-up", **RULES.model_dump(mode="json")}
    told = [account(RULES, each).model_dump(mode="json") for each in marks]
    inputs = [inputs_of(each, CASES).model_dump(mode="json") for each in marks]
    both = enumerate(zip(told, inputs, strict=True))
    return [head, *({"student": id_, **each, "inputs": made} for id_, (each, made) in both)]


def written(lines: Lines, key: str = KEY) -> list[bytes]:
    return [*signed(map(canonical_json, lines), key)]


MARKS = [
    mark_of(SCHEME, POSSIBLE, upload, final, decision)
    for upload in (None, LATE)
    for final in (None, 0.7)
    for decision in (
        Decision(),
        Decision({"r1": 4, "r2": 1.5}),
        Decision({"r1": 0}),
        Decision(override=33, reason="x"),
        Decision(override=33, excused=True, reason="x"),
    )
]


WHOLE = mark_of(SCHEME, POSSIBLE, LATE, 0.7, Decision({"r1": 4, "r2": 1}))
INSTEAD = mark_of(SCHEME, POSSIBLE, LATE, 0.7, Decision(override=33, reason="ill"))
EXCUSED = mark_of(SCHEME, POSSIBLE, LATE, 0.7, Decision(excused=True, reason="moved"))


def test_a_record_is_good() -> None:
    record = written(lines(*MARKS))
    assert is_of_marks(record[0])
    found = check_marks(record, public_key(KEY))
    assert (found.problems, found.notes) == ([], [])
    assert list(found.totals.values()) == [mark.total for mark in MARKS]


def more(data: Lines) -> None:
    data[1]["total"] += 1


def sum_of(data: Lines) -> None:
    data[1]["steps"][-2]["marks"] = 5


def twice(data: Lines) -> None:
    data.append(data[1])


def nonsense(data: Lines) -> None:
    data[1] = {"student": "x"}


def bad_head(data: Lines) -> None:
    data[0]["scheme"] = None


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (more, "Student 0 has the total 35.0; the recorded steps lead to 34.0"),
        (sum_of, "Student 0 has the total 34.0; the recorded steps lead to 35.0"),
        (twice, "Student 0 has a line already"),
        (nonsense, "This is not a line of a record of marks"),
        (bad_head, "Line 1: This is not a line of a record of marks"),
    ],
)
def test_totals_that_do_not_follow_are_found_although_they_are_signed(
    change: Callable[[Lines], None], why: str
) -> None:
    data = lines(WHOLE)
    change(data)
    found = check_marks(written(data))
    assert any(why in each for each in found.problems), found.problems


def test_what_was_changed_afterwards_or_signed_by_somebody_else_is_found() -> None:
    record = written(lines(*MARKS))
    for changed in (
        [record[0], *record[2:]],
        [*record[:-2], record[-2].replace(b'"remark":""', b'"remark":"x"'), record[-1]],
    ):
        problems = check_marks(changed).problems
        assert [each.partition(": ")[2] for each in problems] == [
            "The record was changed after it was signed: its digest differs.",
            "The signature does not fit the record.",
        ]
    assert "not with the one that you named" in check_marks(record, public_key(new_key())).problems[0]
    assert "cut short" in check_marks([*record[:-1], record[-1][:-1]]).problems[0]
    for cut in ([], record[:1], record[:-1]):
        assert "This is not the signature" in check_marks(cut).problems[0]


@pytest.mark.parametrize("former", [None, 1])
def test_a_record_in_another_format_is_refused_by_name(former: int | None) -> None:
    data = lines(*MARKS)
    data[0]["format"] = former
    (problem,) = check_marks(written(data)).problems
    assert problem.startswith(f"Line 1: This record has the format {former}, and this version of Quadrille checks only")


STEPS = (
    *("Upload that counts", "Q1: Cards", "Q2: Plays", "Points of the questions", "Late days", "Lateness"),
    *("Mark of the final", "Style", "Tests"),
)


def test_all_kinds_of_steps_are_in_the_records_of_these_tests() -> None:
    """If a word here has changed, give the record another format: former records are refused then."""
    assert tuple(each.what for each in account(RULES, WHOLE).steps) == STEPS
    assert [str(each) for each in account(RULES, WHOLE).steps] == [
        "“Upload that counts (the last one that is not too late: submission 7, Tue 6 Oct 2026, 22:59 AEDT "
        "(UTC+11:00))”",
        "“Q1: Cards (0.75 of 1 points)”",
        "“Q2: Plays (1.25 of 2 points)”",
        "“Points of the questions (2 of 3 points, scaled to 50)”: 33.33333333333333",
        "“Late days (1 used, at no cost)”",
        "“Lateness (1 day late: 0.1 × 50)”: -5.0",
        "“Mark of the final (0.7 of 1)”: 0.7",
        "“Style (4 of 5, marked by hand)”: 4.0",
        "“Tests (1 bonus, marked by hand)”: 1.0",
    ]


@pytest.mark.parametrize(
    ("mark", "step"),
    [*((WHOLE, step) for step in STEPS), (INSTEAD, "Decided by an instructor"), (EXCUSED, "Excused")],
)
@pytest.mark.parametrize("key", ["how", "marks"])
def test_each_step_that_was_changed_is_named(mark: Mark, step: str, key: str) -> None:
    """Even if the total was changed with it, and signed."""
    data = lines(mark)
    [one] = [each for each in data[1]["steps"] if each["what"] == step]
    one[key] = "another" if key == "how" else (one["marks"] or 0) + 1
    if key == "marks" and mark is WHOLE:
        data[1]["total"] = round(data[1]["total"] + 1, 1)
    found = check_marks(written(data))
    assert any(f"is recorded as “{step} (" in each for each in found.problems), found.problems


def upload(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda inputs: inputs["upload"].update(values)


def given(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda inputs: inputs.update(values)


@pytest.mark.parametrize(
    ("mark", "change", "why"),
    [
        (WHOLE, upload(submission=8), "“Upload that counts ("),
        (WHOLE, upload(at=(DUE + timedelta(hours=1)).isoformat()), "“Lateness ("),
        (WHOLE, upload(due=(DUE + timedelta(days=1)).isoformat()), "“Lateness ("),
        (WHOLE, upload(days_left=0), "“Late days ("),
        (WHOLE, upload(cut_off=(DUE + timedelta(hours=1)).isoformat()), "came too late to count"),
        (WHOLE, upload(points=3.0), "those of the questions add up to another number"),
        (WHOLE, upload(questions={"q1": 1.0, "q2": 1.0}), "“Q1: Cards” has 1.0 points; 3 of 4 cases lead to 0.75"),
        (
            WHOLE,
            upload(cases={"q1": {"passed": 4, "total": 4, "most": 1}}),
            "“Q1: Cards” has 0.75 points; 4 of 4 cases",
        ),
        (WHOLE, given(upload=None), "“Points of the questions ("),
        (WHOLE, given(final=1.0), "“Mark of the final ("),
        (WHOLE, given(rubric={"r1": 5, "r2": 1}), "“Style ("),
        (WHOLE, given(rubric={"r1": 4, "r2": 2}), "“Tests ("),
        (WHOLE, given(excused=True, reason="x"), "The excused is recorded as False"),
        (INSTEAD, given(override=34.0), "“Decided by an instructor ("),
        (INSTEAD, given(reason="not ill"), "“Decided by an instructor ("),
        (EXCUSED, given(reason="not moved"), "“Excused ("),
    ],
)
def test_inputs_that_lead_to_something_else_are_found(
    mark: Mark, change: Callable[[dict[str, Any]], None], why: str
) -> None:
    data = lines(mark)
    change(data[1]["inputs"])
    found = check_marks(written(data))
    assert any(why in each for each in found.problems), found.problems


def test_cases_that_the_points_do_not_follow_from_are_left_out_and_counted() -> None:
    inputs = inputs_of(WHOLE, {**CASES, "q2": CaseCount(passed=1, total=2, most=2)})
    assert inputs.upload
    assert [*inputs.upload.cases] == ["q1"]
    data = lines(WHOLE)
    data[1]["inputs"] = inputs.model_dump(mode="json")
    found = check_marks(written(data))
    assert (found.problems, found.unchecked, len(found.notes)) == ([], 1, 1)
