"""Find the submissions or students that each part of a picture counts. Pages list them; pictures show their number."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from grader.assignment.failed_cases import FailedCase
from grader.definition.question import label
from tournament.store.database import Recent
from tournament.store.tables import EntryState
from web.insight.facts import LATEST_WAITS, NEAR, Facts
from web.site.text import signed

HOUR = timedelta(hours=1)
WINDOW = 96
"""The most hours that are drawn; the last hour is at most a day after the deadline."""

BINS = 10
STRETCHES = 24
LENGTHS = (1, 3, 6, 12, 24, 48, 7 * 24, 28 * 24, 365 * 24)  # hours

TITLES = {
    "uploads": "Uploads per hour",
    "funnel": "From enrolment to tournament",
    "questions": "Pass rate of each question",
    "cases": "Most failed cases",
    "points": "Points",
    "waits": "From upload to report",
    "leaders": "Ranks of the leaders over time",
    "matchups": "Matchups between the leaders",
    "final": "Confidence intervals in the final",
    "risk": "Students at risk",
}
"""The titles of the pictures, and of the list of students at risk."""
WITHOUT_GAME = {**TITLES, "funnel": "From enrolment to upload"}


def title_of(facts: Facts, name: str) -> str:
    """Return the title of a picture of an assignment, which may have no game."""
    return (TITLES if facts.seen.assignment.game else WITHOUT_GAME)[name]


@dataclass(frozen=True, slots=True)
class PicturePart:
    """A part of a picture. It counts the submissions or students with these `ids` or, if it has a time, the uploads
    from `at` to `until`. `key`: the part's number in addresses, which must not change when others upload."""

    key: int
    label: str
    number: int
    ids: Sequence[int] = ()
    of_students: bool = False
    at: datetime | None = None
    until: datetime | None = None
    waits: Sequence[float] = ()  # seconds from each counted upload to its report


Parts = Sequence[PicturePart]


def _submissions(key: int, label: str, ids: Sequence[int]) -> PicturePart:
    return PicturePart(key, label, len(ids), ids)


def _students(key: int, label: str, ids: Sequence[int]) -> PicturePart:
    return PicturePart(key, label, len(ids), ids, of_students=True)


def hours(facts: Facts) -> Parts:
    """The uploads in each hour of the picture's time span, including empty hours."""
    if facts.span is None:
        return []
    first, last = facts.span
    due = max((at for at in (facts.due_at, *facts.section_due) if at), default=None)
    end = min(facts.at, due + timedelta(days=1)) if due else min(facts.at, last)
    end = max(end, first).replace(minute=0, second=0, microsecond=0)
    number = min(WINDOW, round((end - first.replace(minute=0, second=0, microsecond=0)) / HOUR) + 1)
    begins = [end - HOUR * back for back in reversed(range(number))]
    counts = zip(begins, facts.uploaded_in(begins, HOUR), strict=True)
    return [_in_time(facts, at, at + HOUR, number) for at, number in counts]


def _in_time(facts: Facts, at: datetime, until: datetime, number: int, waits: Sequence[float] = ()) -> PicturePart:
    shown = f"{at.astimezone(facts.zone):%Y-%m-%d %H:%M}"
    return PicturePart(int(at.timestamp()), shown, number, at=at, until=until, waits=waits)


def funnel(facts: Facts) -> Parts:
    """The students who reached each step."""
    steps = [
        ("enrolled", [each.id for each in facts.students]),
        ("signed in", [each.id for each in facts.students if each.signed_in]),
        ("uploaded", [each.id for each in facts.students if each.uploaded]),
    ]
    if facts.seen.assignment.game:
        steps.append(("qualifying", [each.id for each in facts.students if each.qualifies]))
    if facts.ladder:
        steps.append(("entered", [each.id for each in facts.students if each.state]))
        steps.append(("surviving", [each.id for each in facts.students if each.state == EntryState.ACTIVE]))
    return [_students(key, step, ids) for key, (step, ids) in enumerate(steps)]


_known = Recent[Parts](32)


def questions(facts: Facts) -> Parts:
    """For each question, the students' latest graded uploads that got all points of the question."""
    return _known.get(facts.session, ("questions", *_points_key(facts)), lambda: _with_all_points(facts))


def _points_key(facts: Facts) -> tuple[Hashable, ...]:
    """The cache key of the counts by points: all values on which the counts depend."""
    return facts.id, facts.graded, tuple(facts.worth.items())


def _with_all_points(facts: Facts) -> Parts:
    return [
        _submissions(key, label(slug), [id_ for id_, points in facts.latest.items() if points.get(slug, 0.0) >= worth])
        for key, (slug, worth) in enumerate(facts.worth.items())
        if worth > 0 and facts.latest
    ]


def cases(facts: Facts) -> Parts:
    """For each of the most failed cases, the students' latest graded uploads that fail the case."""
    return [_submissions(each.number, case_label(each), each.submissions) for each in facts.most_failed.cases]


def case_label(each: FailedCase) -> str:
    """The name of a case, with its question."""
    return f"{label(each.question)}: {each.name}"


def points(facts: Facts) -> Parts:
    """The students' latest graded uploads, grouped by their points; the highest group includes full points."""
    return _known.get(facts.session, ("points", *_points_key(facts)), lambda: _by_points(facts))


def _by_points(facts: Facts) -> Parts:
    whole = sum(facts.worth.values())
    if not whole or not facts.latest:
        return []
    bins: list[list[int]] = [[] for _ in range(BINS)]
    for id_, each in facts.latest.items():
        bins[max(0, min(BINS - 1, int(sum(each.values()) / whole * BINS)))].append(id_)
    ends = [signed(round(whole * index / BINS, 2)) for index in range(BINS + 1)]
    return [_submissions(index, f"{ends[index]} to {ends[index + 1]}", ids) for index, ids in enumerate(bins)]


def waits(facts: Facts) -> Parts:
    """The latest graded uploads, grouped into periods of equal length, with the time that each upload waited for its
    report."""
    times, seconds = facts.waits
    if len(times) < 2:
        return []
    hours = (times[-1] - times[0]) / 3600
    length = next((each for each in LENGTHS if hours / each < STRETCHES), LENGTHS[-1]) * 3600
    # Periods begin at multiples of their length, so that an address stays the same when others upload
    begins, starts = np.unique(times // length * length, return_index=True)
    found = list(zip(begins.tolist(), np.split(seconds, starts[1:]), strict=True))
    if len(times) == LATEST_WAITS:
        del found[0]  # only the end of this period was read
    return [
        _in_time(facts, at, at + timedelta(seconds=length), len(inside), inside.tolist())
        for begin, inside in found
        for at in (datetime.fromtimestamp(begin, UTC),)
    ]


def at_risk(facts: Facts) -> Parts:
    """The students who are at risk of ending up with no marks."""
    ends = {each.id: facts.deadline(each.id) for each in facts.students if not each.uploaded}
    late = [id_ for id_, end in ends.items() if end and end - facts.at <= NEAR]
    failing = [each.id for each in facts.students if each.uploaded and not each.qualifies]
    found = [
        _students(0, "no upload, and the deadline has passed or is less than two days away", late),
    ]
    if facts.seen.assignment.game:
        found.append(_students(1, "uploads, but none of them qualifies", failing))
    if facts.ladder:
        out = [each.id for each in facts.students if each.state == EntryState.OUT]
        where = f" ({facts.ladder.title})" if len(facts.ladders) > 1 else ""
        found.append(_students(2, f"the latest entry was removed because of its faults{where}", out))
    return found


def final(facts: Facts) -> Parts:
    """For each mark of a final, the players who get it."""
    found = facts.final
    if found is None:
        return []
    return [
        _students(each.number, f"mark {signed(each.mark)}", [found.authors[line.entry] or 0 for line in each.lines])
        for each in found.bands
    ]


PARTS: Mapping[str, Callable[[Facts], Parts]] = {
    "uploads": hours,
    "funnel": funnel,
    "questions": questions,
    "cases": cases,
    "points": points,
    "waits": waits,
    "final": final,
    "risk": at_risk,
}
"""The functions that find a picture's parts, by the name of the picture in its address."""


def part_of(facts: Facts, name: str, key: int) -> PicturePart | None:
    """The part of a picture with that number, or None. A case keeps its number even if other cases now fail more
    often."""
    if name == "cases":
        found = facts.failures(key).cases
        return _submissions(key, case_label(found[0]), found[0].submissions) if found else None
    return next((each for each in PARTS[name](facts) if each.key == key), None) if name in PARTS else None
