"""What the dates of sections make of one student's dates."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from grader.definition.local_times import OwnDates, own_dates, parse
from grader.marks.scheme import LatePolicy, lateness

MELBOURNE = ZoneInfo("Australia/Melbourne")


def at(text: str) -> datetime:
    return parse(text, MELBOURNE).at


def stored(**dates: str) -> dict[str, str]:
    return {field: parse(text, MELBOURNE).at.isoformat() for field, text in dates.items()}


GENERAL = OwnDates(at("2026-09-20 09:00"), at("2026-10-02 23:59"))
DATES = {
    "Mon 9": stored(due_at="2026-10-04 23:59", cut_off_at="2026-10-06 23:59"),
    "Tue": stored(visible_from="2026-09-21 09:00", due_at="2026-10-01 23:59"),
    "Wed": stored(visible_from="2026-09-18 09:00", cut_off_at="2026-10-03 12:00"),
}


@pytest.mark.parametrize(
    ("sections", "released", "due", "ends"),
    [
        (set(), "2026-09-20 09:00", "2026-10-02 23:59", None),
        ({"fri"}, "2026-09-20 09:00", "2026-10-02 23:59", None),
        ({"mon 9"}, "2026-09-20 09:00", "2026-10-04 23:59", "2026-10-06 23:59"),
        ({"tue"}, "2026-09-21 09:00", "2026-10-01 23:59", None),
        ({"mon 9", "tue"}, "2026-09-20 09:00", "2026-10-04 23:59", None),
        ({"tue", "fri"}, "2026-09-20 09:00", "2026-10-02 23:59", None),
        ({"mon 9", "wed"}, "2026-09-18 09:00", "2026-10-04 23:59", "2026-10-06 23:59"),
    ],
)
def test_of_several_sections_the_first_release_and_the_latest_ends_hold(
    sections: set[str], released: str, due: str, ends: str | None
) -> None:
    assert own_dates(GENERAL, DATES, sections) == OwnDates(at(released), at(due), ends and at(ends))


def test_everybody_else_can_have_an_end_of_uploads() -> None:
    general = own_dates(GENERAL, {"": stored(cut_off_at="2026-10-05 12:00"), **DATES}, {"tue"})
    assert general.cut_off_at == at("2026-10-05 12:00")


def test_no_deadline_and_no_release_are_the_latest_and_the_first() -> None:
    assert own_dates(OwnDates(), DATES, {"tue", "fri"}) == OwnDates()
    assert own_dates(OwnDates(), DATES, {"tue"}).due_at == at("2026-10-01 23:59")


def test_a_date_is_an_instant_across_the_change_of_daylight_saving() -> None:
    """The clocks there go forward in the night to 4 October 2026."""
    due = own_dates(GENERAL, DATES, {"mon 9"}).due_at
    assert due == datetime(2026, 10, 4, 12, 59, tzinfo=UTC)
    assert own_dates(GENERAL, DATES, {"tue"}).due_at == datetime(2026, 10, 1, 13, 59, tzinfo=UTC)


def test_an_extension_goes_further_and_moves_the_end_of_uploads_as_far() -> None:
    own, day = own_dates(GENERAL, DATES, {"mon 9"}), timedelta(days=1)
    assert own.due_at
    assert own.cut_off_at
    longer = own.extended(own.due_at + day)
    assert (longer.due_at, longer.cut_off_at) == (own.due_at + day, own.cut_off_at + day)
    assert own.extended(own.due_at - day) == own
    assert own.extended(None) == own


@pytest.mark.parametrize(
    ("hours", "cut_off", "counts"), [(None, None, True), (24, None, False), (24, 48, True), (None, 24, False)]
)
def test_an_own_end_of_uploads_takes_the_place_of_that_of_the_policy(
    hours: int | None, cut_off: int | None, counts: bool
) -> None:
    policy, due = LatePolicy(percent=10, cut_off_hours=hours), at("2026-10-02 23:59")
    ends = due + timedelta(hours=cut_off) if cut_off else None
    late = lateness(policy, MELBOURNE, due, due + timedelta(hours=30), 0, ends)
    assert (late is not None) == counts
