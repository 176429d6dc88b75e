"""What each part of a picture counts: submissions, or students. Pages list them, pictures draw how many they are."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from tournament.store.tables import EntryState
from web.insight.facts import NEAR, Facts
from web.site.text import signed

HOUR = timedelta(hours=1)
WINDOW = 96
"""The hours that are drawn: a day after the deadline is the last of them."""

BINS = 10
STRETCHES = 24
LENGTHS = (1, 3, 6, 12, 24, 48, 7 * 24, 28 * 24, 365 * 24)  # hours


@dataclass(frozen=True, slots=True)
class PicturePart:
    """Ids of submissions, or of students. `at`: where it begins in time."""

    label: str
    submissions: Sequence[int] = ()
    students: Sequence[int] = ()
    at: datetime | None = None
    waits: Sequence[float] = ()  # seconds from each upload to its report

    @property
    def number(self) -> int:
        """How many it counts."""
        return len(self.submissions) + len(self.students)


def hours(facts: Facts) -> list[PicturePart]:
    """The uploads of each hour of the window, empty hours too."""
    if not facts.uploads:
        return []
    last = max((at for at in (facts.due_at, *facts.section_due) if at), default=None)
    end = min(facts.at, last + timedelta(days=1)) if last else facts.at
    end = max(end, facts.uploads[0].at).replace(minute=0, second=0, microsecond=0)
    first = facts.uploads[0].at.replace(minute=0, second=0, microsecond=0)
    number = min(WINDOW, round((end - first) / HOUR) + 1)
    begins = [end - HOUR * back for back in reversed(range(number))]
    found: dict[int, list[int]] = defaultdict(list)
    for each in facts.uploads:
        found[(each.at - begins[0]) // HOUR].append(each.id)
    return [PicturePart(_clock(facts, at), found[index], at=at) for index, at in enumerate(begins)]


def _clock(facts: Facts, at: datetime) -> str:
    return f"{at.astimezone(facts.zone):%Y-%m-%d %H:%M}"


def funnel(facts: Facts) -> list[PicturePart]:
    """The students who came this far, step by step."""
    uploaded = {each.author_id for each in facts.uploads}
    steps = [
        ("enrolled", list(facts.students)),
        ("signed in", [id_ for id_, signed_in in facts.students.items() if signed_in]),
        ("uploaded", sorted(uploaded)),
        ("qualifying", sorted({each.author_id for each in facts.uploads if each.qualifies})),
    ]
    if facts.has_ladder:
        alive = [id_ for id_, each in facts.entries.items() if each.state is EntryState.ACTIVE]
        steps += [("entered", list(facts.entries)), ("surviving", alive)]
    return [PicturePart(label, students=ids) for label, ids in steps]


def questions(facts: Facts) -> list[PicturePart]:
    """The latest graded uploads with all the points of each question."""
    return [
        PicturePart(slug, [id_ for id_, points in facts.latest.items() if points.get(slug, 0.0) >= worth])
        for slug, worth in facts.worth.items()
        if worth > 0 and facts.latest
    ]


def points(facts: Facts) -> list[PicturePart]:
    """The students' latest graded uploads in classes of their points; the best class has full points too."""
    whole = sum(facts.worth.values())
    if not whole or not facts.latest:
        return []
    bins: list[list[int]] = [[] for _ in range(BINS)]
    for id_, each in facts.latest.items():
        bins[max(0, min(BINS - 1, int(sum(each.values()) / whole * BINS)))].append(id_)
    ends = [signed(round(whole * index / BINS, 2)) for index in range(BINS + 1)]
    return [PicturePart(f"{ends[index]} to {ends[index + 1]}", ids) for index, ids in enumerate(bins)]


def waits(facts: Facts) -> list[PicturePart]:
    """The graded uploads in stretches of equal length, with how long each waited for its report."""
    graded = [(each, each.reported_at) for each in facts.uploads if each.reported_at]
    if len(graded) < 2:
        return []
    hours = (graded[-1][0].at - graded[0][0].at) / HOUR
    length = next((each for each in LENGTHS if hours / each < STRETCHES), LENGTHS[-1]) * 3600
    found: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for each, reported_at in graded:
        begin = int(each.at.timestamp()) // length * length  # so its address stays the same when others upload
        found[begin].append((each.id, max(0.0, (reported_at - each.at).total_seconds())))
    return [
        PicturePart(_clock(facts, at), [id_ for id_, _ in inside], at=at, waits=sorted(wait for _, wait in inside))
        for begin, inside in sorted(found.items())
        for at in (datetime.fromtimestamp(begin, UTC),)
    ]


def at_risk(facts: Facts) -> list[PicturePart]:
    """The students who may end with nothing."""
    uploaded = {each.author_id for each in facts.uploads}
    qualifying = {each.author_id for each in facts.uploads if each.qualifies}
    ends = {id_: facts.deadline(id_) for id_ in facts.students if id_ not in uploaded}
    late = [id_ for id_, end in ends.items() if end and end - facts.at <= NEAR]
    found = [
        PicturePart("no upload, and the deadline is less than two days away or over", students=late),
        PicturePart("uploads, but none that qualifies", students=sorted(uploaded - qualifying)),
    ]
    if facts.has_ladder:
        out = [id_ for id_, each in facts.entries.items() if each.state is EntryState.OUT]
        found.append(PicturePart("the latest entry is out by its faults", students=out))
    return found


PARTS: Mapping[str, Callable[[Facts], list[PicturePart]]] = {
    "uploads": hours,
    "funnel": funnel,
    "questions": questions,
    "points": points,
    "waits": waits,
    "risk": at_risk,
}
"""By the names of the pictures, as they are in addresses."""


def keyed(parts: Sequence[PicturePart]) -> dict[int, PicturePart]:
    """The parts by their numbers in addresses. One in time has its moment: its number must not change meanwhile."""
    return {int(each.at.timestamp()) if each.at else number: each for number, each in enumerate(parts)}
