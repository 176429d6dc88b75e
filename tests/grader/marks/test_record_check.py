"""The signed record of published marks: what was changed is found."""

import json
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from grader.dates.local_times import UTC_ZONE
from grader.definition.model import Definition
from grader.marks.account import account
from grader.marks.late import Lateness
from grader.marks.mark import CountedUpload, Decision, Mark, Possible, mark_of
from grader.marks.record_check import FORMAT, check_marks, is_of_marks
from grader.marks.scheme import MarkScheme, RubricItem
from tournament.final.record import canonical, signed
from tournament.signing import new_key, public_key
from tournament.store.database import now

KEY = new_key()
SCHEME = MarkScheme(points_worth=50, rubric=(RubricItem(key="r1", title="Style", most=5),), decimals=1)
POSSIBLE = Possible(3, 1)
LATE = CountedUpload(7, 2, now(), Lateness(1, 0, 0.1))
Lines: TypeAlias = list[dict[str, Any]]


def lines(*marks: Mark) -> Lines:
    """The lines of a record, not signed."""
    definition = Definition.model_construct(questions=())
    head = {"record": "marks", "format": FORMAT, "scheme": SCHEME.model_dump(mode="json"), "title": "Warm-up"}
    told = [account(SCHEME, POSSIBLE, definition, each, UTC_ZONE).model_dump(mode="json") for each in marks]
    return [head, *({"student": id_, **each} for id_, each in enumerate(told))]


def written(lines: Lines, key: str = KEY) -> list[bytes]:
    return [*signed(map(canonical, lines), key)]


MARKS = [
    mark_of(SCHEME, POSSIBLE, upload, final, decision)
    for upload in (None, LATE)
    for final in (None, 0.7)
    for decision in (
        Decision(),
        Decision({"r1": 4}),
        Decision({"r1": 0}),
        Decision(override=33, reason="x"),
        Decision(override=33, excused=True, reason="x"),
    )
]


def test_a_record_is_good() -> None:
    record = written(lines(*MARKS))
    assert is_of_marks(record[0])
    found = check_marks(record, public_key(KEY))
    assert (found.problems, found.notes) == ([], [])
    assert list(found.totals.values()) == [mark.total for mark in MARKS]


def more(data: Lines) -> None:
    data[1]["total"] += 1


def sum_of(data: Lines) -> None:
    data[1]["steps"][-1]["marks"] = 5


def twice(data: Lines) -> None:
    data.append(data[1])


def nonsense(data: Lines) -> None:
    data[1] = {"student": "x"}


def bad_head(data: Lines) -> None:
    data[0]["scheme"] = None


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (more, "Student 0 has the total 34.0; the recorded steps lead to 33.0"),
        (sum_of, "Student 0 has the total 33.0; the recorded steps lead to 34.0"),
        (twice, "Student 0 has a line already"),
        (nonsense, "This is not a line of a record of marks"),
        (bad_head, "Line 1: This is not a line of a record of marks"),
    ],
)
def test_totals_that_do_not_follow_are_found_although_they_are_signed(
    change: Callable[[Lines], None], why: str
) -> None:
    data = lines(mark_of(SCHEME, POSSIBLE, LATE, 0.7, Decision({"r1": 4})))
    change(data)
    found = check_marks(written(data))
    assert any(why in each for each in found.problems), found.problems


def test_what_was_changed_afterwards_or_signed_by_somebody_else_is_found() -> None:
    record = written(lines(*MARKS))
    for changed in ([record[0], *record[2:]], [*record[:-2], record[-2].replace(b"Style", b"Taste"), record[-1]]):
        problems = check_marks(changed).problems
        assert [each.partition(": ")[2] for each in problems] == [
            "The record was changed after it was signed: its digest differs.",
            "The signature does not fit the record.",
        ]
    assert "not with the one that you named" in check_marks(record, public_key(new_key())).problems[0]
    assert "cut short" in check_marks([*record[:-1], record[-1][:-1]]).problems[0]
    for cut in ([], record[:1], record[:-1]):
        assert "This is not the signature" in check_marks(cut).problems[0]


def test_a_record_from_before_steps_were_numbers_is_only_checked_for_its_signature() -> None:
    data = lines(*MARKS)
    del data[0]["format"]
    data[1]["total"] = 99
    found = check_marks(written(data))
    assert (found.problems, len(found.notes)) == ([], 1)
    assert json.loads(written(data)[-1])["public_key"] == found.public_key
