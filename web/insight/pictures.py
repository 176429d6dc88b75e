"""The pictures of a class and an assignment. Each part leads to the list of what it counts."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import datetime

import numpy as np

from tournament.ladder.rank_history import Ranked
from web.insight.facts import LATEST_WAITS, Facts
from web.insight.finals import final_picture
from web.insight.matchups import matchup_picture
from web.insight.parts import TITLES, Parts, cases, funnel, hours, points, questions, waits
from web.pictures.lines import Curve, Marker, Stretch, line_picture
from web.pictures.picture import Picture
from web.pictures.rows import PictureRow, row_picture
from web.pictures.scales import Axis, numbers, shares, thinned, times
from web.site.rendering.text import count, duration

MOST_SAMPLES = 60
"""The number of samples of an entry's rank that are drawn."""


def pictures_of(facts: Facts) -> list[Picture]:
    """The pictures for which there is something to draw."""
    made = (draw(facts) for draw in PICTURES.values())
    return [each for each in made if each]


def _uploads(facts: Facts) -> Picture | None:
    parts = hours(facts)
    if not parts:
        return None
    begin, end = parts[0].key, parts[-1].key + 3600
    line = Curve([*((each.key, each.number) for each in parts), (end, parts[-1].number)], step=True)
    stretches = [
        Stretch(*hour, f"{each.label}: {count(each.number, 'upload')}", facts.link("uploads", each.key))
        for each in parts
        if each.number
        for hour in ((each.key, each.key + 3600),)
    ]
    due = facts.due_at.timestamp() if facts.due_at else 0.0
    marks = [Marker(due, "deadline", "The deadline for everybody without an extension")] if begin <= due <= end else []
    of_sections = {at.timestamp(): f"The deadline of {names}" for at, names in facts.section_due.items()}
    marks += [Marker(at, "deadline", words) for at, words in of_sections.items() if begin <= at <= end]
    shown = sum(each.number for each in parts)
    earlier = facts.span and facts.span[0].timestamp() < begin
    rest = f" Only {len(parts)} hours are drawn, up to a day after the deadline." if earlier else ""
    reading = f"{count(shown, 'upload')}, each counted in the hour of its upload, those of staff too.{rest}"
    across = times(_at(facts, begin), _at(facts, end), facts.zone, 4)
    top = numbers(0, max(1, *(each.number for each in parts)), 5)
    drawing = line_picture(TITLES["uploads"], [line], across, top, marks, stretches)
    rows = [[each.label, each.number] for each in parts if each.number]
    return Picture("uploads", TITLES["uploads"], reading, drawing, ("Hour", "Uploads"), rows)


def _at(facts: Facts, seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, facts.zone)


def _funnel(facts: Facts) -> Picture | None:
    whole, parts = len(facts.students), funnel(facts)
    if not whole:
        return None
    reading = f"How many of {count(whole, 'student')} came this far."
    reading += " Surviving: the latest entry is still playing." if facts.ladder else ""
    title, rows = TITLES["funnel"], _rows(facts, "funnel", parts, "student")
    drawing = row_picture(title, rows, numbers(0, whole, 5))
    table = [[each.label, each.number, f"{each.number / whole:.0%}"] for each in parts]
    return Picture("funnel", title, reading, drawing, ("Step", "Students", "Share"), table)


def _rows(facts: Facts, name: str, parts: Parts, what: str) -> list[PictureRow]:
    """A bar for each part."""
    return [
        PictureRow(
            each.label,
            each.number,
            f"{each.number:,}",
            f"{each.label}: {count(each.number, what)}",
            facts.link(name, each.key) if each.number else "",
        )
        for each in parts
    ]


def _questions(facts: Facts) -> Picture | None:
    parts = questions(facts)
    if not parts:
        return None
    graded, title = len(facts.latest), TITLES["questions"]
    rows = [
        PictureRow(
            each.label,
            each.number / graded,
            f"{each.number / graded:.0%}",
            f"{each.label}: {each.number:,} of {count(graded, 'upload')} have all its points",
            facts.link("questions", each.key) if each.number else "",
        )
        for each in parts
    ]
    reading = "The share of students whose latest graded upload has all the points of the question."
    table = [[each.label, each.number, graded, f"{each.number / graded:.0%}"] for each in parts]
    headers = ("Question", "Passed", "Graded", "Share")
    return Picture("questions", title, reading, row_picture(title, rows, shares(most=4)), headers, table)


def _cases(facts: Facts) -> Picture | None:
    parts, title = cases(facts), TITLES["cases"]
    if not parts:
        return None
    reading = "The cases that most students' latest graded uploads fail, hidden ones too."
    if former := len(facts.graded) - facts.most_failed.noted:
        reading += (
            f" {count(former, 'upload')} graded before this was counted {'is' if former == 1 else 'are'} left out."
        )
    drawing = row_picture(title, _rows(facts, "cases", parts, "submission"), numbers(0, parts[0].number, 5))
    table = [[each.label, each.number] for each in parts]
    return Picture("cases", title, reading, drawing, ("Case", "Submissions"), table)


def _points(facts: Facts) -> Picture | None:
    parts = points(facts)
    if not parts:
        return None
    title, most = TITLES["points"], max(each.number for each in parts)
    reading = (
        "Each student's latest graded upload, by the sum of its points. Each bar includes its lower end; the last one "
        "includes full points. What counts for the mark may be another upload."
    )
    drawing = row_picture(title, _rows(facts, "points", parts, "student"), numbers(0, most, 5))
    table = [[each.label, each.number] for each in parts]
    return Picture("points", title, reading, drawing, ("Points", "Students"), table)


def _waits(facts: Facts) -> Picture | None:
    parts = waits(facts)
    if len(parts) < 2:
        return None
    found = [(each, *np.quantile(each.waits, (0.5, 0.95), method="inverted_cdf").tolist()) for each in parts]
    title, top = TITLES["waits"], max(high for *_, high in found) or 1.0
    line = Curve([(each.key, half) for each, half, _ in found], [(each.key, half, high) for each, half, high in found])
    ends = [*(each.key for each in parts[1:]), 2 * parts[-1].key - parts[-2].key]
    stretches = [
        Stretch(
            each.key,
            end,
            f"From {each.label}: {count(each.number, 'upload')}, half within {duration(half)}, "
            f"95% within {duration(high)}",
            facts.link("waits", each.key),
        )
        for (each, half, high), end in zip(found, ends, strict=True)
    ]
    across = times(_at(facts, parts[0].key), _at(facts, ends[-1]), facts.zone, 4)
    drawing = line_picture(title, [line], across, numbers(0, top, 5, duration), (), stretches)
    reading = "The line is the median; the band reaches up to the time within which 95% had their report."
    reading += f" Of the latest {LATEST_WAITS:,} reports." if len(facts.waits[0]) == LATEST_WAITS else ""
    table = [[each.label, each.number, round(half, 1), round(high, 1)] for each, half, high in found]
    return Picture("waits", title, reading, drawing, ("From", "Uploads", "Median (s)", "95% (s)"), table)


def _leaders(facts: Facts) -> Picture | None:
    by_entry: dict[int, list[Ranked]] = defaultdict(list)
    for each in facts.ranks:
        by_entry[each.entry_id].append(each)
    moments = {each.at for each in facts.ranks}
    if len(moments) < 2:
        return None
    names = facts.leaders[1]
    ordered = sorted((thinned(own, MOST_SAMPLES) for own in by_entry.values()), key=lambda own: own[-1].rank)
    end = max(moments).timestamp()
    lines = [
        Curve(
            [*((each.at.timestamp(), float(each.rank)) for each in own), (end, float(own[-1].rank))],
            step=True,
            kind="leader",
            label=names[own[0].entry_id],
            title=f"{names[own[0].entry_id]}: rank {own[-1].rank} of {own[-1].ranked}",
            href=facts.entry_link(own[0].entry_id),
        )
        for own in ordered
    ]
    down = numbers(1, max(2, *(each.rank for own in ordered for each in own)), 6)
    across = times(min(moments), max(moments), facts.zone, 4)
    title = "Rank of the leaders over time"
    drawing = line_picture(title, lines, across, Axis(down.high, down.low, down.ticks))
    rows = [
        [names[each.entry_id], f"{each.at.astimezone(facts.zone):%Y-%m-%d %H:%M}", each.rank, each.ranked]
        for own in ordered
        for each in own
    ]
    reading = f"The {len(ordered)} players ranked best when ratings were last fitted; 1 is the best."
    return Picture("leaders", title, reading, drawing, ("Player", "Noted", "Rank", "Of"), rows)


PICTURES: Mapping[str, Callable[[Facts], Picture | None]] = {
    "uploads": _uploads,
    "funnel": _funnel,
    "questions": _questions,
    "cases": _cases,
    "points": _points,
    "waits": _waits,
    "leaders": _leaders,
    "matchups": matchup_picture,
    "final": final_picture,
}
"""Each draws one picture, None if there is nothing to draw yet. By their names, as they are in addresses."""
