"""What lateness costs: grace, days and hours, cut-off, late days, and the change of daylight saving."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.definition.local_times import parse
from grader.marks.scheme import IN_TIME, Lateness, LatePolicy, Per, day_end, lateness, lateness_in_words, started_days

MELBOURNE = ZoneInfo("Australia/Melbourne")
DUE = parse("2026-05-29 23:59", MELBOURNE).at
TENTH = LatePolicy(percent=10)


def at(text: str) -> datetime:
    return parse(text, MELBOURNE).at


@pytest.mark.parametrize(
    ("policy", "uploaded", "found"),
    [
        (LatePolicy(), "2026-05-29 23:59", IN_TIME),
        (LatePolicy(), "2026-05-29 23:59:01", None),
        (LatePolicy(grace_minutes=10), "2026-05-30 00:09", IN_TIME),
        (LatePolicy(grace_minutes=10), "2026-05-30 00:09:01", None),
        (LatePolicy(grace_minutes=10, percent=10), "2026-05-30 00:09:01", Lateness(1, 0, 0.1)),
        (TENTH, "2026-05-30 23:59", Lateness(1, 0, 0.1)),
        (TENTH, "2026-05-30 23:59:01", Lateness(2, 0, 0.2)),
        (TENTH, "2026-06-28 23:59", Lateness(30, 0, 1.0)),
        (LatePolicy(percent=5, per=Per.HOUR), "2026-05-30 02:00", Lateness(3, 0, 0.15)),
        (LatePolicy(percent=0), "2026-06-29 23:59", Lateness(31, 0, 0.0)),
        (LatePolicy(percent=10, cut_off_hours=48), "2026-05-31 23:59", Lateness(2, 0, 0.2)),
        (LatePolicy(percent=10, cut_off_hours=48), "2026-05-31 23:59:01", None),
        (LatePolicy(late_days=2), "2026-05-31 12:00", Lateness(0, 2, 0.0)),
        (LatePolicy(late_days=2), "2026-06-01 00:00", None),
        (LatePolicy(late_days=1, percent=10), "2026-06-01 00:00", Lateness(2, 1, 0.2)),
        (LatePolicy(late_days=5, percent=10), "2026-06-03 00:00", Lateness(2, 3, 0.2)),  # only three are left
    ],
)
def test_what_an_upload_loses(policy: LatePolicy, uploaded: str, found: Lateness | None) -> None:
    assert lateness(policy, MELBOURNE, DUE, at(uploaded), days_left=3) == found


def test_without_a_deadline_nothing_is_late() -> None:
    assert lateness(LatePolicy(), MELBOURNE, None, DUE, 0) == IN_TIME


@pytest.mark.parametrize(
    ("due", "last", "hours"),
    [
        ("2026-10-03 23:59", "2026-10-04 23:59", 23),  # daylight saving begins on 4 October
        ("2026-04-04 23:59", "2026-04-05 23:59", 25),  # and ends on 5 April
        ("2026-10-03 02:30", "2026-10-04 03:30", 24),  # 02:30 is skipped on that day
        ("2026-04-04 02:30", "2026-04-05 02:30", 25),  # comes twice: the later one
    ],
)
def test_a_day_ends_when_the_clock_shows_the_time_of_the_deadline_again(due: str, last: str, hours: int) -> None:
    ends = day_end(at(due), 1, MELBOURNE)
    assert (ends, ends - at(due)) == (at(last), timedelta(hours=hours))
    assert started_days(at(due), ends, MELBOURNE) == 1
    assert started_days(at(due), ends + timedelta(seconds=1), MELBOURNE) == 2


POLICIES = st.builds(
    LatePolicy,
    grace_minutes=st.integers(0, 200),
    percent=st.none() | st.floats(0, 100),
    per=st.sampled_from(Per),
    cut_off_hours=st.none() | st.integers(1, 300),
    late_days=st.integers(0, 5),
)
MINUTES = st.integers(-500, 60 * 24 * 20)
DUES = st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1)).map(lambda each: each.replace(tzinfo=UTC))


@given(POLICIES, DUES, MINUTES, MINUTES, st.integers(0, 5))
def test_who_is_later_never_loses_less(policy: LatePolicy, due: datetime, one: int, other: int, left: int) -> None:
    first, second = (
        lateness(policy, MELBOURNE, due, due + timedelta(minutes=each), left) for each in sorted((one, other))
    )
    if first is None:
        assert second is None
    elif second is not None:
        assert (first.share, first.days_spent) <= (second.share, second.days_spent) or first.share < second.share
        assert 0 <= first.share <= second.share <= 1
        assert second.days_spent <= min(left, policy.late_days)


@given(POLICIES, DUES, st.integers(0, 60 * 24 * 20), st.integers(0, 5))
def test_a_later_deadline_or_another_late_day_never_costs_anything(
    policy: LatePolicy, due: datetime, minutes: int, left: int
) -> None:
    uploaded = due + timedelta(minutes=minutes)
    found = lateness(policy, MELBOURNE, due, uploaded, left)
    extended = lateness(policy, MELBOURNE, due + timedelta(days=3), uploaded, left)
    richer = lateness(policy, MELBOURNE, due, uploaded, left + 1)
    for better in (extended, richer):
        assert found is None or (better is not None and better.share <= found.share)


def test_the_policy_in_words() -> None:
    policy = LatePolicy(grace_minutes=5, percent=10, cut_off_hours=72, late_days=2)
    assert lateness_in_words(LatePolicy()) == "Late uploads do not count."
    assert lateness_in_words(policy) == (
        "Uploads up to 5 minutes after the deadline lose no points. Up to 2 of your late days can be used for this "
        "assignment. This "
        "happens automatically. Beyond your late days, each day or part of a day after the deadline costs 10% of the "
        "possible points. Uploads more than 72 hours after the deadline do not count."
    )
    assert lateness_in_words(LatePolicy(grace_minutes=1, percent=0, per=Per.HOUR, cut_off_hours=1)) == (
        "Uploads up to 1 minute after the deadline lose no points. Each hour or part of an hour after the deadline "
        "costs 0% of the possible points. Uploads more than 1 hour after the deadline do not count."
    )
