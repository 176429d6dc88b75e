"""Where a value is drawn, and which values are written beside an axis."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil, floor, log10
from typing import TypeVar
from zoneinfo import ZoneInfo

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps `low` to `start` and `high` to `end`, linearly."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / ((self.high - self.low) or 1) * (self.end - self.start)


@dataclass(frozen=True, slots=True)
class Axis:
    """What is drawn along one side: from `low` to `high`, with the values that are written there."""

    low: float
    high: float
    ticks: Sequence[tuple[float, str]]


def thinned(items: Sequence[Item], most: int) -> Sequence[Item]:
    """At most that many of the items, evenly, the last one among them."""
    every = -(-len(items) // most) or 1
    return items[(len(items) - 1) % every :: every]


def ticks(low: float, high: float, most: int = 6, whole: bool = False) -> Sequence[float]:
    """Round values (1, 2 or 5 times a power of ten apart) from `low` to `high`, at most that many."""
    least = (high - low) / max(1, most - 1) or 1.0
    power = 10.0 ** floor(log10(least))
    step = next(each for each in (power, 2 * power, 5 * power, 10 * power) if each >= least * (1 - 1e-9))
    step = max(1.0, step) if whole else step
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [round(number * step, 12) for number in range(first, last + 1)]


def numbers(low: float, high: float, most: int = 6, write: Callable[[float], str] = "{:,.0f}".format) -> Axis:
    """An axis of whole numbers."""
    return Axis(low, high, [(each, write(each)) for each in ticks(low, high, most, whole=True)])


def shares(high: float = 1.0, most: int = 6) -> Axis:
    """An axis of shares from 0, written in percent."""
    return Axis(0.0, high, [(each / 100, f"{each:g}%") for each in ticks(0.0, high * 100, most)])


HOURS = (1, 3, 6, 12, 24, 48, 7 * 24, 14 * 24, 28 * 24, 84 * 24)


def times(first: datetime, last: datetime, zone: ZoneInfo, most: int = 5) -> Axis:
    """An axis of time, in seconds since 1970: the hours, or the days, of that zone."""
    hours = (last - first).total_seconds() / 3600
    step = next((each for each in HOURS if hours / each <= most), HOURS[-1])
    local = first.astimezone(zone)
    at = local.replace(minute=0, second=0, microsecond=0, tzinfo=None)
    at = at.replace(hour=0 if step >= 24 else at.hour // step * step)
    written = []
    while (moment := at.replace(tzinfo=zone)) <= last:
        if moment >= first:
            written.append((moment.timestamp(), f"{at:%H:%M}" if step < 24 else f"{at.day} {at:%b}"))
        at += timedelta(hours=step)  # on the clock: across a change of daylight saving, days begin at midnight
    return Axis(first.timestamp(), last.timestamp(), written)
