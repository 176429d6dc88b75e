"""The rules that instructors set: how the mark of an assignment and the total of a course are calculated, and what
lateness costs. All functions are plain functions on plain data.

Lateness is counted in started days or hours. A day ends when the clocks of the course show the time of the deadline
again: after a deadline at 23:59, each day ends at 23:59, even if daylight saving begins or ends in between. An hour is
60 minutes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from math import ceil
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import Field, model_validator

from grader.definition.question import DefinitionModel, Title
from tournament.games.text import count

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


class Per(StrEnum):
    """The unit of lateness. Each started unit costs a percentage."""

    DAY = "day"
    HOUR = "hour"


class LatePolicy(DefinitionModel):
    """The cost of uploads after a student's own deadline. Uploads within `grace_minutes` cost nothing. After that, each
    started `per` costs `percent` of the possible points (None: late uploads do not count). Up to `late_days` of the
    student's late days in the course are spent first, automatically; a day covered this way costs nothing. Uploads
    more than `cut_off_hours` after the deadline never count (None: no cut-off)."""

    grace_minutes: int = Field(default=0, ge=0, le=10_000)
    percent: float | None = Field(default=None, ge=0, le=100, allow_inf_nan=False)
    per: Per = Per.DAY
    cut_off_hours: int | None = Field(default=None, ge=1, le=10_000)
    late_days: int = Field(default=0, ge=0, le=100)

    def within(self, days: int) -> "LatePolicy":
        """Return the policy for students who have this number of late days in the whole course."""
        return self.model_copy(update={"late_days": min(self.late_days, days)})

    @property
    def takes_late(self) -> bool:
        """Whether any upload after the grace period can count."""
        return self.percent is not None or self.late_days > 0


@dataclass(frozen=True, slots=True)
class Lateness:
    """The lateness of an upload that counts: the `started` days or hours that cost points, the late days that the
    upload spends, and the `share` of the possible points that it loses, from 0 to 1."""

    started: int = 0
    days_spent: int = 0
    share: float = 0.0


IN_TIME = Lateness()


@lru_cache(maxsize=4096)  # called often for the same few deadlines
def day_end(due: datetime, days: int, zone: ZoneInfo) -> datetime:
    """Return the instant, this many days later, when the zone's clocks show the deadline's time again. If they show it
    twice, return the later instant; if they skip it, return the instant at which unchanged clocks would have shown
    it."""
    clock = due.astimezone(zone).replace(tzinfo=None) + days * DAY
    return due if not days else max(clock.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))


def started_days(due: datetime, at: datetime, zone: ZoneInfo) -> int:
    """Return how many days after the deadline have started by this time."""
    days = max(0, ceil((at - due) / DAY) - 1)  # some days have 23 or 25 hours
    while at > day_end(due, days, zone):
        days += 1
    return days


def last_to_count(policy: LatePolicy, due: datetime, cut_off: datetime | None) -> datetime | None:
    """Return the time after which uploads do not count: the student's own cut-off, or else the cut-off of the policy;
    None if there is no cut-off."""
    return cut_off or (None if policy.cut_off_hours is None else due + policy.cut_off_hours * HOUR)


def lateness(
    policy: LatePolicy,
    zone: ZoneInfo,
    due: datetime | None,
    at: datetime,
    days_left: int,
    cut_off: datetime | None = None,
) -> Lateness | None:
    """Return how late an upload is; None if it does not count. The dates are the student's own; `days_left` is the
    number of unspent late days."""
    if due is None or at <= due + timedelta(minutes=policy.grace_minutes):
        return IN_TIME
    last = last_to_count(policy, due, cut_off)
    if last is not None and at > last:
        return None
    spent = min(started_days(due, at, zone), policy.late_days, days_left)
    begins = day_end(due, spent, zone)
    if at <= begins:
        return Lateness(days_spent=spent)
    if policy.percent is None:
        return None
    started = started_days(begins, at, zone) if policy.per is Per.DAY else ceil((at - begins) / HOUR)
    return Lateness(started, spent, min(1.0, started * policy.percent / 100))


def lateness_in_words(policy: LatePolicy) -> str:
    """Describe the late policy to students."""
    grace = count(policy.grace_minutes, "minute")
    said = [f"Uploads up to {grace} after the deadline lose no points."] if policy.grace_minutes else []
    if policy.late_days:
        said.append(
            f"Up to {policy.late_days} of your late days can be used for this assignment. This happens automatically."
        )
    if policy.percent is not None:
        unit = "hour or part of an hour" if policy.per is Per.HOUR else "day or part of a day"
        after = "Beyond your late days, each" if policy.late_days else "Each"
        said.append(f"{after} {unit} after the deadline costs {policy.percent:g}% of the possible points.")
    if policy.takes_late and policy.cut_off_hours is not None:
        said.append(f"Uploads more than {count(policy.cut_off_hours, 'hour')} after the deadline do not count.")
    if not policy.takes_late:
        said.append(f"{'Later' if said else 'Late'} uploads do not count.")
    return " ".join(said)


LARGEST = 10_000.0
MOST_ITEMS = 20
Worth = Annotated[float, Field(ge=0, le=LARGEST, allow_inf_nan=False)]


class RubricItem(DefinitionModel):
    """An item that staff mark by hand, such as style, with at most `most` marks. Marks for a `bonus` are not part of
    the maximum mark. `key` stays the same when the title changes."""

    key: str = Field(pattern=r"^[a-z0-9]{1,12}$")
    title: Title
    most: float = Field(gt=0, le=LARGEST, allow_inf_nan=False)
    bonus: bool = False


class MarkScheme(DefinitionModel):
    """The rules for the mark of an assignment. `points_worth` is the number of marks for all points of the questions,
    and `tournament_worth` for first place in the final. A value of None means that the points, or the mark of the
    final, are added without scaling."""

    late: LatePolicy = LatePolicy()
    points_worth: Worth | None = None
    tournament_worth: Worth | None = None
    rubric: Annotated[tuple[RubricItem, ...], Field(max_length=MOST_ITEMS)] = ()
    decimals: int = Field(default=2, ge=0, le=4)

    @model_validator(mode="after")
    def _has_different_items(self) -> "MarkScheme":
        keys, titles = [each.key for each in self.rubric], [each.title.casefold() for each in self.rubric]
        if len({*keys}) < len(keys) or len({*titles}) < len(titles):
            raise ValueError("Two items of the rubric have the same name.")
        return self

    @property
    def rubric_most(self) -> float:
        """The maximum marks of the rubric, without bonuses."""
        return sum(each.most for each in self.rubric if not each.bonus)


class CourseScheme(DefinitionModel):
    """The rules for the total of a course: the weight of each assignment by id (by default, its maximum mark), and the
    number of late days that each student can spend in the whole course."""

    weights: Mapping[int, Worth] = Field(default_factory=dict)
    late_days: int = Field(default=0, ge=0, le=1000)


def divisions_by_nothing(scheme: MarkScheme, points_most: float, tournament_most: float) -> dict[str, str]:
    """Return, by field, an explanation of what cannot be scaled because its maximum is 0."""
    found = {}
    if scheme.points_worth and not points_most:
        found["points_worth"] = (
            "The questions have 0 points in total, so they cannot be scaled. Give the questions points, or leave this "
            "empty."
        )
    if scheme.tournament_worth and not tournament_most:
        found["tournament_worth"] = "The best mark in the tournament is 0, so it cannot be scaled. Leave this empty."
    return found


def scheme_in_words(scheme: MarkScheme, points_most: float, tournament_most: float) -> list[str]:
    """Describe the formula of an assignment's mark, with a line for each part."""
    said: list[str] = []
    for what, worth, most in (
        ("the points of the questions", scheme.points_worth, points_most),
        ("the mark of the final", scheme.tournament_worth, tournament_most),
    ):
        if most:
            scaled = "" if worth is None or worth == most else f", scaled to {worth:g}"
            said.append(f"{what} (of {most:g}{scaled})")
    said += [f"{'the bonus ' if each.bonus else ''}“{each.title}” (of {each.most:g})" for each in scheme.rubric]
    return [f"{'plus ' if at else ''}{each}" for at, each in enumerate(said)] + (
        ["minus the deduction for lateness"] if scheme.late.percent else []
    )


def course_in_words(parts: Sequence[tuple[str, float]]) -> str:
    """Describe the formula of a course total, given the titles and weights of the assignments."""
    weighted = [f"{title} {weight:g}" for title, weight in parts if weight]
    in_all = sum(weight for _, weight in parts)
    return f"{in_all:g} in all: {'; '.join(weighted)}." if weighted else "No assignment counts."
