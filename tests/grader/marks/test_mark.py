"""How a mark is calculated: which upload counts, what is added and taken off, and the total of a course."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.definition.local_times import UTC_ZONE
from grader.definition.model import Counts
from grader.marks.mark import (
    Choosing,
    CountedUpload,
    Decision,
    GradedUpload,
    Possible,
    Weighted,
    counting,
    course_total,
    mark_of,
    rounded,
)
from grader.marks.scheme import Lateness, LatePolicy, MarkScheme, RubricItem, divisions_by_nothing, scheme_in_words

DUE = datetime(2026, 5, 29, 12, tzinfo=UTC)
STYLE, EXTRA = RubricItem(key="a", title="Style", most=5), RubricItem(key="b", title="Extra", most=2, bonus=True)


def upload(id_: int, points: float, hours: float = -1) -> GradedUpload:
    return GradedUpload(id_, DUE + timedelta(hours=hours), points)


@pytest.mark.parametrize(
    ("counts", "chosen", "counted"),
    [(Counts.LAST, None, 4), (Counts.BEST, None, 1), (Counts.CHOSEN, 2, 2), (Counts.CHOSEN, None, 4)],
)
def test_which_upload_counts(counts: Counts, chosen: int | None, counted: int) -> None:
    uploads = [upload(1, 9), upload(2, 3), upload(3, 9), upload(4, 5, 1), upload(5, 10, 100)]
    by = Choosing(LatePolicy(percent=50, cut_off_hours=24), counts, UTC_ZONE, DUE, 10, chosen=chosen)
    found = counting(uploads, by)
    assert found
    assert found.submission_id == counted, "upload 5 is too late; upload 3 is not better than 1"


def test_a_late_upload_that_is_better_even_so_is_the_best() -> None:
    by = Choosing(LatePolicy(percent=10), Counts.BEST, UTC_ZONE, DUE, 10)
    found = counting([upload(1, 5), upload(2, 8, 1)], by)
    assert found
    assert (found.submission_id, found.late.share) == (2, 0.1)


def test_nothing_counts_if_all_is_too_late() -> None:
    assert counting([upload(1, 5, 1)], Choosing(LatePolicy(), Counts.LAST, UTC_ZONE, DUE, 10)) is None


def counted(points: float, share: float = 0) -> CountedUpload:
    return CountedUpload(1, points, DUE, Lateness(1 if share else 0, 0, share))


@pytest.mark.parametrize(
    ("scheme", "mark", "total"),
    [
        ({}, {"upload": counted(15)}, 15),
        ({}, {"upload": counted(15), "tournament": 0.7}, 15.7),
        ({"points_worth": 60, "tournament_worth": 40}, {"upload": counted(15), "tournament": 0.7}, 73),
        ({"points_worth": 60}, {"upload": counted(15, 0.1)}, 39),
        ({}, {"upload": counted(1, 0.1)}, 0),
        ({"rubric": (STYLE, EXTRA)}, {"upload": counted(15), "decision": Decision({"a": 4, "b": 2, "gone": 9})}, 21),
        ({"rubric": (STYLE,)}, {"decision": Decision({"a": 0})}, 0),
        ({}, {"upload": counted(15), "decision": Decision(override=3.5)}, 3.5),
        ({}, {"upload": counted(15), "decision": Decision(excused=True)}, None),
        ({}, {}, None),
        ({"tournament_worth": 0}, {"tournament": 0.7}, None),
        ({"points_worth": 1, "decimals": 1}, {"upload": counted(5)}, 0.3),
    ],
)
def test_the_total(scheme: dict[str, object], mark: dict[str, object], total: float | None) -> None:
    made = MarkScheme.model_validate(scheme)
    given = {"upload": None, "tournament": None, **mark}
    assert mark_of(made, Possible(20, 1), **given).total == total  # type: ignore[arg-type]


def test_what_there_is_none_of_cannot_be_scaled() -> None:
    scheme = MarkScheme(points_worth=60, tournament_worth=40)
    assert [*divisions_by_nothing(scheme, 0, 0)] == ["points_worth", "tournament_worth"]
    assert not divisions_by_nothing(scheme, 20, 1)
    assert mark_of(scheme, Possible(0), counted(0), None).total == 0


def test_the_formula_in_words() -> None:
    late = LatePolicy(percent=10)
    scheme = MarkScheme(points_worth=60, rubric=(STYLE, EXTRA), late=late)
    assert scheme_in_words(scheme, 20, 0) == [
        "the points of the questions (of 20, scaled to 60)",
        "plus “Style” (of 5)",
        "plus the bonus “Extra” (of 2)",
        "minus the deduction for lateness",
    ]


@pytest.mark.parametrize(("value", "found"), [(0.125, 0.13), (1.005, 1.01), (2.675, 2.68), (0.1 + 0.2, 0.3), (7, 7)])
def test_a_half_is_rounded_up(value: float, found: float) -> None:
    assert rounded(value, 2) == found


@pytest.mark.parametrize(
    ("parts", "total"),
    [
        ([Weighted(60, 5, 10), Weighted(40, 10, 10)], 70),
        ([Weighted(60, None, 10), Weighted(40, 10, 10)], 40),
        ([Weighted(60, None, 10, excused=True), Weighted(40, 5, 10)], 50),
        ([Weighted(60, None, 10, excused=True)], None),
        ([Weighted(60, 5, 0), Weighted(40, 10, 10)], 40),
        ([], None),
    ],
)
def test_the_total_of_a_course(parts: list[Weighted], total: float | None) -> None:
    assert course_total(parts) == total


@given(st.floats(0, 20), st.floats(0, 1), st.floats(0, 1), st.none() | st.floats(0, 100), st.floats(0, 5))
def test_a_total_is_the_sum_of_its_parts_and_never_below_nothing(
    points: float, share: float, tournament: float, worth: float | None, style: float
) -> None:
    scheme = MarkScheme(points_worth=worth, rubric=(STYLE,))
    found = mark_of(scheme, Possible(20, 1), counted(points, share), tournament, Decision({"a": style}))
    parts = (found.points or 0) + (found.tournament or 0) + (found.manual or 0) + found.bonus - found.deduction
    assert found.total is not None
    assert 0 <= found.total <= found.most + 0.01
    assert abs(found.total - parts) <= 0.00501
    later = mark_of(scheme, Possible(20, 1), counted(points, min(1, share + 0.1)), tournament, Decision({"a": style}))
    assert later.total is not None
    assert later.total <= found.total
