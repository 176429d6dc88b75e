"""Times on the clock of a zone, with the hours that daylight saving skips and repeats."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.definition.local_times import (
    IN_WORDS,
    UTC_ZONE,
    BadTime,
    LocalTime,
    UnknownZone,
    find_zone,
    instant_of,
    listed_zones,
    lost_zone,
    parse,
    zone_or_utc,
)

MELBOURNE, NEW_YORK, LORD_HOWE = "Australia/Melbourne", "America/New_York", "Australia/Lord_Howe"
KATHMANDU = "Asia/Kathmandu"
INSTANTS = st.datetimes(datetime(2000, 1, 2), datetime(2999, 12, 30), timezones=st.just(UTC))
ZONES = st.sampled_from([MELBOURNE, NEW_YORK, LORD_HOWE, KATHMANDU, "UTC", "Europe/Dublin", "Africa/Casablanca"])


@pytest.mark.parametrize(
    ("zone", "typed", "instant", "words"),
    [
        (MELBOURNE, "2026-11-29 23:59", "2026-11-29 12:59", "Sun 29 Nov 2026, 23:59 AEDT (UTC+11:00)"),
        (MELBOURNE, "2026-05-29T23:59", "2026-05-29 13:59", "Fri 29 May 2026, 23:59 AEST (UTC+10:00)"),
        (MELBOURNE, "2026-10-04 01:59", "2026-10-03 15:59", "Sun 4 Oct 2026, 01:59 AEST (UTC+10:00)"),
        (MELBOURNE, "2026-10-04 03:00", "2026-10-03 16:00", "Sun 4 Oct 2026, 03:00 AEDT (UTC+11:00)"),
        (MELBOURNE, "2026-05-29T13:59Z", "2026-05-29 13:59", "Fri 29 May 2026, 23:59 AEST (UTC+10:00)"),
        (MELBOURNE, "2026-05-29T15:59+02:00", "2026-05-29 13:59", "Fri 29 May 2026, 23:59 AEST (UTC+10:00)"),
        (NEW_YORK, " 2026-12-31 23:59:00 ", "2027-01-01 04:59", "Thu 31 Dec 2026, 23:59 EST (UTC-05:00)"),
        (LORD_HOWE, "2026-10-04 02:30", "2026-10-03 15:30", "Sun 4 Oct 2026, 02:30 UTC+11:00"),
        (KATHMANDU, "2026-05-29 23:59", "2026-05-29 18:14", "Fri 29 May 2026, 23:59 UTC+05:45"),
        ("Europe/London", "2026-12-01 10:00", "2026-12-01 10:00", "Tue 1 Dec 2026, 10:00 GMT (UTC+00:00)"),
        ("UTC", "2026-05-29 23:59", "2026-05-29 23:59", "Fri 29 May 2026, 23:59 UTC"),
    ],
)
def test_a_time_on_the_clock_is_an_instant(zone: str, typed: str, instant: str, words: str) -> None:
    time = parse(typed, find_zone(zone))
    assert (f"{time.at:%Y-%m-%d %H:%M}", time.at.tzinfo, time.in_words, time.remark) == (instant, UTC, words, "")


@pytest.mark.parametrize(
    ("zone", "typed", "why", "nearest"),
    [
        (
            MELBOURNE,
            "2026-10-04 02:30",
            "forward from 02:00 AEST to 03:00 AEDT",
            "Sun 4 Oct 2026, 01:59 AEST and Sun 4 Oct 2026, 03:00 AEDT",
        ),
        (MELBOURNE, "2026-10-04 02:00", "forward from 02:00 AEST to 03:00 AEDT", "03:00 AEDT"),
        (MELBOURNE, "2026-10-04 02:59", "forward from 02:00 AEST to 03:00 AEDT", "01:59 AEST"),
        (
            NEW_YORK,
            "2027-03-14 02:00",
            "forward from 02:00 EST to 03:00 EDT",
            "Sun 14 Mar 2027, 01:59 EST and Sun 14 Mar 2027, 03:00 EDT",
        ),
        (
            LORD_HOWE,
            "2026-10-04 02:15",
            "forward from 02:00 UTC+10:30 to 02:30 UTC+11:00",
            "Sun 4 Oct 2026, 01:59 UTC+10:30 and Sun 4 Oct 2026, 02:30 UTC+11:00",
        ),
        (
            "Pacific/Apia",  # which skipped a whole day
            "2011-12-30 12:00",
            "forward from Fri 30 Dec, 00:00 UTC-10:00 to Sat 31 Dec, 00:00 UTC+14:00",
            "Thu 29 Dec 2011, 23:59 UTC-10:00 and Sat 31 Dec 2011, 00:00 UTC+14:00",
        ),
    ],
)
def test_a_time_that_the_clocks_skip_is_refused(zone: str, typed: str, why: str, nearest: str) -> None:
    with pytest.raises(BadTime) as refused:
        parse(typed, find_zone(zone))
    said = str(refused.value)
    assert f"{typed[11:]} does not exist in {zone}, because the clocks there go {why}." in said
    assert said.endswith(f"{nearest}.") or nearest in said.partition("nearest times are")[2]


@pytest.mark.parametrize(
    ("zone", "typed", "instant", "why"),
    [
        (MELBOURNE, "2027-04-04 02:30", "2027-04-03 16:30", "back from 03:00 AEDT to 02:00 AEST"),
        (MELBOURNE, "2027-04-04 02:00", "2027-04-03 16:00", "back from 03:00 AEDT to 02:00 AEST"),
        (NEW_YORK, "2026-11-01 01:30", "2026-11-01 06:30", "back from 02:00 EDT to 01:00 EST"),
        (LORD_HOWE, "2027-04-04 01:45", "2027-04-03 15:15", "back from 02:00 UTC+11:00 to 01:30 UTC+10:30"),
    ],
)
def test_a_time_that_comes_twice_is_the_later_one_and_that_is_said(
    zone: str, typed: str, instant: str, why: str
) -> None:
    time = parse(typed, find_zone(zone))
    assert f"{time.at:%Y-%m-%d %H:%M}" == instant
    assert time.remark == f"This time occurs twice, because the clocks there go {why}. The later one is used."


def test_the_earlier_of_two_can_be_given_by_its_offset() -> None:
    time = parse("2027-04-04 02:30+11:00", find_zone(MELBOURNE))
    assert time.at == datetime(2027, 4, 3, 15, 30, tzinfo=UTC)
    assert time.in_words == "Sun 4 Apr 2027, 02:30 AEDT (UTC+11:00)"
    assert "The earlier one is used" in time.remark


@pytest.mark.parametrize("zone", [MELBOURNE, NEW_YORK, LORD_HOWE])
@pytest.mark.parametrize(("typed", "ends"), [("2027-04-04 03:00", "03:00"), ("2027-04-04 01:00", "01:00")])
def test_the_minutes_around_a_doubled_hour_come_once(zone: str, typed: str, ends: str) -> None:
    time = parse(typed, find_zone(zone))
    assert (time.field[11:], time.remark) == (ends, "")


@pytest.mark.parametrize(
    ("typed", "problem"),
    [
        ("", "Enter a date and time such as 2026-05-29 23:59"),
        ("tomorrow", "“tomorrow” is not a date and time"),
        ("2026-05-29", "is not a date and time"),  # whose start is never what was meant
        ("20260529T2359", "is not a date and time"),
        ("2026-02-30 10:00", "is not a date and time"),
        ("2026-05-29 24:00", "is not a date and time"),
        ("2026-05-29 10:00+99:00", "is not a date and time"),
        ("0026-05-29 10:00", "is not in one of the years 2000 to 2999"),
        ("9999-12-31 23:59", "is not in one of the years 2000 to 2999"),
    ],
)
def test_what_is_not_a_time_is_refused(typed: str, problem: str) -> None:
    with pytest.raises(BadTime, match=problem):
        parse(typed, find_zone(NEW_YORK))


@given(INSTANTS, ZONES)
def test_what_a_field_shows_means_the_same_time_again_or_a_later_one_on_the_same_clock(at: datetime, zone: str) -> None:
    shown = LocalTime(at.replace(microsecond=0), find_zone(zone))
    again = parse(shown.field, shown.zone)
    assert again.field == shown.field
    assert again.at == shown.at or (again.at > shown.at and again.remark)


@given(INSTANTS, ZONES)
def test_a_time_in_a_text_is_found_again(at: datetime, zone: str) -> None:
    time = LocalTime(at, find_zone(zone))
    found = IN_WORDS.search(f"It ends {time.in_words}. Then (UTC) it is over.")
    assert found is not None
    assert found[0] == time.in_words
    assert datetime.fromisoformat(instant_of(found)) == at.replace(second=0, microsecond=0)


# Zones


@pytest.mark.parametrize("name", ["Australia/Melbourne", "australia/melbourne", " AUSTRALIA/MELBOURNE "])
def test_a_zone_is_found_in_capitals_or_not(name: str) -> None:
    assert find_zone(name).key == MELBOURNE


def test_a_zone_is_found_with_spaces_as_people_write() -> None:
    assert find_zone("America/New York").key == NEW_YORK


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Melbourne", "Did you mean Australia/Melbourne?"),
        ("new york", "Did you mean America/New_York?"),
        ("Australia/Melborne", "Did you mean Australia/Melbourne"),
        ("", "Choose one such as"),
        ("../../etc/passwd", "Choose one such as"),
        ("Australia", "There is no time zone “Australia”"),
        ("localtime", "There is no time zone"),
    ],
)
def test_an_unknown_zone_is_refused_with_similar_ones(name: str, hint: str) -> None:
    with pytest.raises(UnknownZone) as refused:
        find_zone(name)
    assert hint in str(refused.value)


def test_a_zone_that_the_database_has_lost_is_utc_and_that_is_said() -> None:
    assert zone_or_utc("Atlantis/Capital") is UTC_ZONE
    assert "The time zone Atlantis/Capital is not in this server’s time-zone database" in lost_zone("Atlantis/Capital")
    assert (zone_or_utc(MELBOURNE).key, lost_zone(MELBOURNE)) == (MELBOURNE, "")


def test_the_zones_to_choose_from_exist() -> None:
    assert {MELBOURNE, NEW_YORK, LORD_HOWE, KATHMANDU} <= {*listed_zones()}
    assert listed_zones()[0] == "UTC"
    assert [find_zone(name).key for name in listed_zones()] == [*listed_zones()]
