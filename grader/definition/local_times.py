"""Dates as people enter and read them: a local time in a time zone.

All instants are datetimes in UTC, here and in the database. Python would compare two datetimes in the same zone by
their local times, and count the repeated hour at the end of daylight saving only once.

Sections can have their own dates. These are stored by the section's name as entered, in ISO 8601 with the offset.
The end of uploads for everybody else is stored under the empty name.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from functools import cache, cached_property
from typing import Any, Final
from zoneinfo import ZoneInfo, available_timezones

from sandbox import patterns
from tournament.store.validation import Refusal

DEFAULT_ZONE: Final = "UTC"
UTC_ZONE: Final = ZoneInfo(DEFAULT_ZONE)
YEARS: Final = range(2000, 3000)
EXAMPLE: Final = "2026-05-29 23:59"
CLOCK = patterns.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?) ?(Z|[+-]\d\d:\d\d)?")
IN_WORDS = patterns.compile(
    r"\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?(\d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d) "
    r"(?:UTC(?P<bare>[+-]\d\d:\d\d)?|[A-Za-z]{2,6} \(UTC(?P<named>[+-]\d\d:\d\d)\))"
)
"""Matches a time in the format of `LocalTime.in_words`, or in the format of versions without time zones."""

UNLISTED = ("Etc/", "SystemV/", "US/")
"""The prefixes of zones that are not offered, because they are aliases of offered zones or because their signs have the
opposite meaning."""


class BadTime(Refusal, ValueError):
    """A text is not a valid time in the zone; the message says why, and what to enter instead."""

    status = 422


class UnknownZone(Refusal, ValueError):
    """There is no such time zone; the message names similar ones."""

    status, field = 422, "time_zone"


@cache
def zones() -> frozenset[str]:
    """Return the names of all time zones in the machine's database or, if the machine has no database, in the package
    `tzdata`."""
    return frozenset(available_timezones() - {"localtime", "Factory"})


@cache
def listed_zones() -> tuple[str, ...]:
    """Return the names to choose from: UTC, then places in alphabetical order."""
    places = (name for name in zones() if "/" in name and not name.startswith(UNLISTED))
    return (DEFAULT_ZONE, *sorted(places))


def find_zone(name: str) -> ZoneInfo:
    """Return the time zone with this name, ignoring case. Raises UnknownZone."""
    wanted = "_".join(name.split())
    if wanted in zones():
        return ZoneInfo(wanted)
    known = {each.lower(): each for each in sorted(zones())}
    if wanted.lower() in known:
        return ZoneInfo(known[wanted.lower()])
    cities = {each.rpartition("/")[2].lower(): each for each in listed_zones()}
    near = [cities[wanted.lower()]] if wanted.lower() in cities else []
    near = near or [known[each] for each in get_close_matches(wanted.lower(), known, n=3)]
    hint = f"Did you mean {' or '.join(near)}?" if near else "Choose one such as Australia/Melbourne."
    raise UnknownZone(f"There is no time zone “{name.strip()}”. {hint}")


def zone_or_utc(name: str) -> ZoneInfo:
    """Return a course's time zone, or UTC if the zone database no longer contains that time zone; `lost_zone` explains
    this to the user."""
    return ZoneInfo(name) if name in zones() else UTC_ZONE


def lost_zone(name: str) -> str:
    """Explain to people who can choose another time zone that this one no longer exists; "" if it exists."""
    if name in zones():
        return ""
    return (
        f"The time zone {name} is not in this server’s time-zone database: it was removed, or the database is too old. "
        "Until you choose another, times are entered and shown in UTC. The deadlines themselves have not moved."
    )


@dataclass(frozen=True)
class LocalTime:
    """An instant and its time zone. `at` is in UTC; `zone` is the zone in which the time was entered or is shown."""

    at: datetime
    zone: ZoneInfo

    @cached_property
    def clock(self) -> datetime:
        """The local time in the zone. It is for display only, and must not be compared or subtracted."""
        return self.at.astimezone(self.zone)

    @property
    def offset(self) -> str:
        """The offset from UTC, such as `+11:00`."""
        return self.clock.isoformat()[-6:]

    @property
    def zone_in_words(self) -> str:
        """The zone's abbreviation, or its offset (such as `UTC+05:45`) if it has no abbreviation."""
        name = self.clock.tzname() or ""
        return name if name.isalpha() else f"UTC{self.offset}"

    @property
    def short(self) -> str:
        """The time as shown on a page: `Sun 4 Oct 2026, 23:59 AEDT`."""
        return f"{self.clock:%a %-d %b %Y, %H:%M} {self.zone_in_words}"

    @property
    def in_words(self) -> str:
        """The time as shown in messages: `Sun 4 Oct 2026, 23:59 AEDT (UTC+11:00)`. The offset is included because
        abbreviations are ambiguous."""
        has_name = self.zone_in_words != DEFAULT_ZONE and self.zone_in_words.isalpha()
        return f"{self.short} (UTC{self.offset})" if has_name else self.short

    @property
    def iso(self) -> str:
        """The time for programs and files: ISO 8601 with the offset, to the second."""
        return self.clock.isoformat(timespec="seconds")

    @property
    def field(self) -> str:
        """The time in the format of `<input type="datetime-local">`."""
        return self.clock.replace(tzinfo=None).isoformat(timespec="seconds" if self.at.second else "minutes")

    @property
    def remark(self) -> str:
        """A remark about a local time that occurs twice; "" for other times."""
        first, second = (self.clock.replace(fold=fold).astimezone(UTC) for fold in (0, 1))
        if first == second:
            return ""
        back = _change_between(first, second, self.zone)
        which = "later" if self.at == second else "earlier"
        return f"This time occurs twice, because {_jump(back, self.zone, 'back')}. The {which} one is used."


def parse(text: str, zone: ZoneInfo) -> LocalTime:
    """Parse a time such as `2026-05-29 23:59`, which is in `zone` unless the text contains an offset. Raises
    BadTime."""
    if not text.strip():
        raise BadTime(f"Enter a date and time such as {EXAMPLE}.")
    match = CLOCK.fullmatch(text.strip())
    try:
        clock = datetime.fromisoformat("T".join(match.group(1, 2)) + (match[3] or "")) if match else None
    except ValueError:  # such as 31 February
        clock = None
    if clock is None:
        raise BadTime(f"“{text.strip()}” is not a date and time such as {EXAMPLE}.")
    if clock.year not in YEARS:
        raise BadTime(f"“{text.strip()}” is not in one of the years {YEARS[0]} to {YEARS[-1]}. Check the year.")
    return LocalTime(clock.astimezone(UTC), zone) if clock.tzinfo else at_clock(clock, zone)


def at_clock(clock: datetime, zone: ZoneInfo) -> LocalTime:
    """Return the time at which the clocks of the zone show `clock`. If they show it twice, return the later time, so
    that no deadline is earlier than readers expect. Raises BadTime for a time that the clocks skip."""
    late = clock.replace(tzinfo=zone, fold=1).astimezone(UTC)  # before the change, if `clock` is skipped
    if late.astimezone(zone).replace(tzinfo=None) == clock:
        return LocalTime(late, zone)
    forward = _change_between(late, clock.replace(tzinfo=zone, fold=0).astimezone(UTC), zone)
    last, first = LocalTime(forward - timedelta(minutes=1), zone), LocalTime(forward, zone)
    raise BadTime(
        f"{clock:%a %-d %b %Y, %H:%M} does not exist in {zone.key}, because {_jump(forward, zone, 'forward')}. The "
        f"nearest times are {last.short} and {first.short}."
    )


def _change_between(earlier: datetime, later: datetime, zone: ZoneInfo) -> datetime:
    """Find the instant, after `earlier` and not after `later`, at which the zone's offset changes."""
    former = earlier.astimezone(zone).utcoffset()
    seconds = round((later - earlier).total_seconds())
    low, high = 0, seconds
    while high - low > 1:
        middle = (low + high) // 2
        same = (earlier + timedelta(seconds=middle)).astimezone(zone).utcoffset() == former
        low, high = (middle, high) if same else (low, middle)
    return earlier + timedelta(seconds=high)


def _jump(change: datetime, zone: ZoneInfo, way: str) -> str:
    """Say how the zone's clocks are moved: from which time to which time."""
    just_before = change - timedelta(seconds=1)
    until = just_before.astimezone(zone).replace(tzinfo=None) + timedelta(seconds=1)
    start = change.astimezone(zone).replace(tzinfo=None)
    pattern = "%H:%M" if until.date() == start.date() else "%a %-d %b, %H:%M"
    names = LocalTime(just_before, zone).zone_in_words, LocalTime(change, zone).zone_in_words
    return f"the clocks there go {way} from {until:{pattern}} {names[0]} to {start:{pattern}} {names[1]}"


def instant_of(words: patterns.Match[str]) -> str:
    """Convert a match of IN_WORDS to ISO 8601 with its offset. Raises ValueError for a date such as 31 February."""
    clock = datetime.strptime(words[1], "%d %b %Y, %H:%M")  # the offset is added below
    return f"{clock.isoformat()}{words['bare'] or words['named'] or '+00:00'}"


# The dates of sections and of single students

DATE_FIELDS: Final = ("visible_from", "due_at", "cut_off_at")
EVERYBODY_ELSE: Final = ""
Stored = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class OwnDates:
    """A student's dates for an assignment: when it becomes visible (None: immediately), the deadline (None: no
    deadline), and the end of uploads (None: only the late policy can end uploads)."""

    visible_from: datetime | None = None
    due_at: datetime | None = None
    cut_off_at: datetime | None = None

    def extended(self, until: datetime | None) -> "OwnDates":
        """Return these dates with an extension, which moves the end of uploads by as much as the deadline."""
        if until is None or self.due_at is None or until <= self.due_at:
            return self
        moved = self.cut_off_at + (until - self.due_at) if self.cut_off_at else None
        return replace(self, due_at=until, cut_off_at=moved)


def contradiction(dates: OwnDates) -> tuple[str, str] | None:
    """Return the field that contradicts another field, and a sentence about it; None if there is no contradiction."""
    if dates.due_at and dates.visible_from and dates.due_at <= dates.visible_from:
        return "due_at", "The deadline is not after the release."
    if dates.due_at and dates.cut_off_at and dates.cut_off_at < dates.due_at:
        return "cut_off_at", "Uploads cannot end before the deadline."
    return None


def plain_section(section: str) -> str:
    """Return a section's name in normalized form, for comparisons."""
    return " ".join(section.casefold().split())


def stored_instant(stored: str) -> datetime | None:
    """Return the instant of a stored date; None for an empty string."""
    return datetime.fromisoformat(stored) if stored else None


def as_instants(stored: Stored) -> dict[str, dict[str, datetime]]:
    """Convert stored dates to the form used in a definition."""
    found = {name: {field: stored_instant(each) for field, each in dates.items()} for name, dates in stored.items()}
    return {name: {field: at.astimezone(UTC) for field, at in dates.items() if at} for name, dates in found.items()}


def as_stored(dates: Mapping[str, Mapping[Any, datetime]]) -> dict[str, dict[str, str]]:
    """Convert the dates of a definition to the form stored in the database."""
    return {name: {field: at.isoformat() for field, at in each.items()} for name, each in dates.items()}


def own_dates(general: OwnDates, stored: Stored, sections: Collection[str]) -> OwnDates:
    """Return the dates of a student in these sections: the earliest release, and the latest deadline and end of
    uploads. `sections` are names in the form of `plain_section`."""
    if not stored:
        return general
    found = {plain_section(name): dates for name, dates in as_instants(stored).items()}
    general = replace(general, cut_off_at=found.get(EVERYBODY_ELSE, {}).get("cut_off_at"))
    each = [replace(general, **found.get(name, {})) for name in sections] or [general]
    return OwnDates(
        _of(min, [dates.visible_from for dates in each]),
        _of(max, [dates.due_at for dates in each]),
        _of(max, [dates.cut_off_at for dates in each]),
    )


def _of(pick: Callable[..., datetime], dates: Collection[datetime | None]) -> datetime | None:
    """Pick the earliest or latest date; None if any date is missing. A missing release precedes all other dates, and a
    missing deadline or end of uploads follows them."""
    there = [each for each in dates if each]
    return pick(there) if len(there) == len(dates) else None
