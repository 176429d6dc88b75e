"""Dates in the settings of an assignment."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

from grader.course_folder.layout import SECTION_DATES
from grader.course_folder.toml import Place
from grader.dates.local_times import YEARS, BadTime, at_clock
from grader.dates.sections import OwnDates, as_stored, contradiction, own_dates, plain
from grader.definition.model import Definition


def contradictions(definition: Definition) -> Iterator[tuple[Place, str]]:
    """Where the dates of sections contradict each other, and how."""
    stored, keys = as_stored(definition.section_dates or {}), {field: key for key, field in SECTION_DATES.items()}
    for name in stored:
        dates = own_dates(OwnDates(definition.visible_from, definition.due_at), stored, {plain(name)})
        if wrong := contradiction(dates):
            yield ("sections", name, keys[wrong[0]]), wrong[1]


def toml_instant(given: Any, zone: ZoneInfo) -> datetime:
    """The instant, in UTC, that a TOML value means. Raises BadTime."""
    if not isinstance(given, datetime):
        shown = given.isoformat() if isinstance(given, date | time) else "2027-05-29"
        day = shown if isinstance(given, date) else "2027-05-29"
        raise BadTime(f"Write a date and a time without quotes, as in {day}T23:59:00.")
    if given.year not in YEARS:
        raise BadTime(f"{given.date()} is not in one of the years {YEARS[0]} to {YEARS[-1]}. Check the year.")
    return given.astimezone(UTC) if given.tzinfo else at_clock(given, zone).at
