"""Release, deadline and end of uploads of single sections, and what they make of one student's dates. Plain functions
on plain data.

They are stored by the section's name as it was written, each date in ISO 8601 with its offset; the dates of
everybody else, beside those of the assignment itself, under the empty name.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

FIELDS: Final = ("visible_from", "due_at", "cut_off_at")
EVERYBODY_ELSE: Final = ""
Stored = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class OwnDates:
    """From when a student sees an assignment, their deadline, and when their uploads end. None: at once; no deadline;
    and no end beside that of the late policy."""

    visible_from: datetime | None = None
    due_at: datetime | None = None
    cut_off_at: datetime | None = None

    def extended(self, until: datetime | None) -> "OwnDates":
        """The same with an extension, which moves the end of uploads as far as the deadline."""
        if until is None or self.due_at is None or until <= self.due_at:
            return self
        moved = self.cut_off_at + (until - self.due_at) if self.cut_off_at else None
        return replace(self, due_at=until, cut_off_at=moved)


def contradiction(dates: OwnDates) -> tuple[str, str] | None:
    """The field that contradicts another, and a sentence that says so."""
    if dates.due_at and dates.visible_from and dates.due_at <= dates.visible_from:
        return "due_at", "The deadline is not after the release."
    if dates.due_at and dates.cut_off_at and dates.cut_off_at < dates.due_at:
        return "cut_off_at", "Uploads cannot end before the deadline."
    return None


def plain(section: str) -> str:
    """A section's name as it is compared."""
    return " ".join(section.casefold().split())


def instant(stored: str) -> datetime | None:
    """The moment of a stored date; None of an empty one."""
    return datetime.fromisoformat(stored) if stored else None


def as_instants(stored: Stored) -> dict[str, dict[str, datetime]]:
    """The dates as definitions have them."""
    found = {name: {field: instant(each) for field, each in dates.items()} for name, dates in stored.items()}
    return {name: {field: at.astimezone(UTC) for field, at in dates.items() if at} for name, dates in found.items()}


def as_stored(dates: Mapping[str, Mapping[Any, datetime]]) -> dict[str, dict[str, str]]:
    """The dates of a definition as they are stored."""
    return {name: {field: at.isoformat() for field, at in each.items()} for name, each in dates.items()}


def own_dates(general: OwnDates, stored: Stored, sections: Collection[str]) -> OwnDates:
    """The dates of a student of these sections, whose names are plain. Of several sections the first release, the
    latest deadline and the latest end of uploads hold."""
    if not stored:
        return general
    found = {plain(name): {field: instant(dates.get(field, "")) for field in FIELDS} for name, dates in stored.items()}
    general = replace(general, cut_off_at=found.get(EVERYBODY_ELSE, {}).get("cut_off_at"))
    each = [_over(general, found.get(name, {})) for name in sections] or [general]
    return OwnDates(
        _of(min, [dates.visible_from for dates in each]),
        _of(max, [dates.due_at for dates in each]),
        _of(max, [dates.cut_off_at for dates in each]),
    )


def _over(general: OwnDates, dates: Mapping[str, datetime | None]) -> OwnDates:
    return OwnDates(*(dates.get(field) or getattr(general, field) for field in FIELDS))


def _of(pick: Callable[..., datetime], dates: Collection[datetime | None]) -> datetime | None:
    """The first or the latest; one that is missing is before and after all others."""
    there = [each for each in dates if each]
    return pick(there) if len(there) == len(dates) else None
