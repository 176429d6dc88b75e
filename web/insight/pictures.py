"""The pictures of a class and an assignment. Each part leads to the list of what it counts."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np

from tournament.ladder.rank_history import Ranked
from web.insight.facts import Facts
from web.insight.parts import PARTS, PicturePart, keyed
from web.pictures.lines import Curve, Marker, Stretch, line_picture
from web.pictures.picture import Picture
from web.pictures.rows import PictureRow, row_picture
from web.pictures.scales import Axis, numbers, shares, times
from web.site.text import count, duration

Parts = Mapping[int, PicturePart]


def pictures_of(facts: Facts, parts: Mapping[str, Parts], ranks: Sequence[Ranked], entry_address: str) -> list[Picture]:
    """The pictures for which there is something to draw. `ranks`: of the leaders; `entry_address`: of the entry with
    the id 0."""
    made = (
        _uploads(facts, parts["uploads"]),
        _funnel(facts, parts["funnel"]),
        _questions(facts, parts["questions"]),
        _points(facts, parts["points"]),
        _waits(facts, parts["waits"]),
        _leaders(facts, ranks, entry_address),
    )
    return [each for each in made if each]


def all_parts(facts: Facts) -> dict[str, Parts]:
    """What each picture counts, by the picture's name and the part's number."""
    return {name: keyed(parts(facts)) for name, parts in PARTS.items()}


def _uploads(facts: Facts, parts: Parts) -> Picture | None:
    if not parts:
        return None
    hours = list(parts.items())
    begin, end = hours[0][0], hours[-1][0] + 3600
    line = Curve([*((at, part.number) for at, part in hours), (end, hours[-1][1].number)], step=True)
    stretches = [
        Stretch(at, at + 3600, f"{part.label}: {count(part.number, 'upload')}", facts.link("uploads", at))
        for at, part in hours
        if part.number
    ]
    due = facts.due_at.timestamp() if facts.due_at else 0.0
    marks = [Marker(due, "deadline", "The deadline for everybody without an extension")] if begin <= due <= end else []
    of_sections = {at.timestamp(): f"The deadline of {names}" for at, names in facts.section_due.items()}
    marks += [Marker(at, "deadline", words) for at, words in of_sections.items() if begin <= at <= end]
    shown = sum(part.number for part in parts.values())
    rest = len(facts.uploads) - shown
    window = f"The latest {len(hours)} hours up to a day after the deadline. " if rest else ""
    reading = f"{count(shown, 'upload')}, each counted in the hour of its upload. {window}"
    reading += f"{rest:,} at other times are not drawn." if rest else ""
    across = times(hours[0][1].at or facts.at, _at(facts, end), facts.zone, 4)
    top = numbers(0, max(1, *(part.number for part in parts.values())), 5)
    drawing = line_picture("Uploads per hour", [line], across, top, marks, stretches)
    rows = [[part.label, part.number] for part in parts.values() if part.number]
    return Picture("uploads", "Uploads per hour", reading.strip(), drawing, ("Hour", "Uploads"), rows)


def _at(facts: Facts, seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, facts.zone)


def _funnel(facts: Facts, parts: Parts) -> Picture | None:
    whole = len(facts.students)
    if not whole:
        return None
    reading = f"How many of {count(whole, 'student')} came this far. Surviving: the latest entry is still playing."
    if not facts.has_ladder:
        reading = f"How many of {count(whole, 'student')} came this far."
    title, rows = "From enrolment to tournament", _rows(facts, "funnel", parts, "student")
    drawing = row_picture(title, rows, numbers(0, whole, 5))
    table = [[part.label, part.number, f"{part.number / whole:.0%}"] for part in parts.values()]
    return Picture("funnel", title, reading, drawing, ("Step", "Students", "Share"), table)


def _rows(facts: Facts, name: str, parts: Parts, what: str) -> list[PictureRow]:
    """A bar for each part."""
    return [
        PictureRow(
            part.label,
            part.number,
            f"{part.number:,}",
            f"{part.label}: {count(part.number, what)}",
            facts.link(name, key) if part.number else "",
        )
        for key, part in parts.items()
    ]


def _questions(facts: Facts, parts: Parts) -> Picture | None:
    if not parts:
        return None
    graded, title = len(facts.latest), "Pass rate of each question"
    rows = [
        PictureRow(
            part.label,
            part.number / graded,
            f"{part.number / graded:.0%}",
            f"{part.label}: {part.number:,} of {count(graded, 'upload')} have all its points",
            facts.link("questions", key) if part.number else "",
        )
        for key, part in parts.items()
    ]
    reading = "The share of students whose latest graded upload has all the points of the question."
    table = [[part.label, part.number, graded, f"{part.number / graded:.0%}"] for part in parts.values()]
    headers = ("Question", "Passed", "Graded", "Share")
    return Picture("questions", title, reading, row_picture(title, rows, shares(most=4)), headers, table)


def _points(facts: Facts, parts: Parts) -> Picture | None:
    if not parts:
        return None
    title, most = "Points", max(part.number for part in parts.values())
    reading = (
        "Each student's latest graded upload, by the sum of its points. Each bar includes its lower end; the last one "
        "includes full points. What counts for the mark may be another upload."
    )
    drawing = row_picture(title, _rows(facts, "points", parts, "student"), numbers(0, most, 5))
    table = [[part.label, part.number] for part in parts.values()]
    return Picture("points", title, reading, drawing, ("Points", "Students"), table)


def _waits(facts: Facts, parts: Parts) -> Picture | None:
    if len(parts) < 2:
        return None
    found = [
        (key, part, *np.quantile(part.waits, (0.5, 0.95), method="inverted_cdf").tolist())
        for key, part in parts.items()
    ]
    title, top = "From upload to report", max(high for *_, high in found) or 1.0
    line = Curve([(key, half) for key, _, half, _ in found], [(key, half, high) for key, _, half, high in found])
    ends = [*(key for key, *_ in found[1:]), found[-1][0] + found[1][0] - found[0][0]]
    stretches = [
        Stretch(
            key,
            end,
            f"From {part.label}: {count(part.number, 'upload')}, half within {duration(half)}, "
            f"95% within {duration(high)}",
            facts.link("waits", key),
        )
        for (key, part, half, high), end in zip(found, ends, strict=True)
    ]
    across = times(_at(facts, found[0][0]), _at(facts, ends[-1]), facts.zone, 4)
    drawing = line_picture(title, [line], across, numbers(0, top, 5, duration), (), stretches)
    reading = "The line is the median; the band reaches up to the time within which 95% had their report."
    table = [[part.label, part.number, round(half, 1), round(high, 1)] for _, part, half, high in found]
    return Picture("waits", title, reading, drawing, ("From", "Uploads", "Median (s)", "95% (s)"), table)


def _leaders(facts: Facts, ranks: Sequence[Ranked], entry_address: str) -> Picture | None:
    by_entry: dict[int, list[Ranked]] = defaultdict(list)
    for each in ranks:
        by_entry[each.entry_id].append(each)
    if len({each.at for each in ranks}) < 2:
        return None
    names = {each.id: each.name for each in facts.entries.values()}
    ordered = sorted(by_entry.values(), key=lambda own: own[-1].rank)
    end = ranks[-1].at.timestamp()
    lines = [
        Curve(
            [*((each.at.timestamp(), float(each.rank)) for each in own), (end, float(own[-1].rank))],
            step=True,
            kind="leader",
            label=names[own[0].entry_id],
            title=f"{names[own[0].entry_id]}: rank {own[-1].rank} of {own[-1].ranked}",
            href=entry_address.replace("/0/", f"/{own[0].entry_id}/", 1),
        )
        for own in ordered
    ]
    down = numbers(1, max(2, *(each.rank for each in ranks)), 6)
    across = times(ranks[0].at, ranks[-1].at, facts.zone, 4)
    title = "Rank of the leaders over time"
    drawing = line_picture(title, lines, across, Axis(down.high, down.low, down.ticks))
    rows = [
        [names[each.entry_id], f"{each.at.astimezone(facts.zone):%Y-%m-%d %H:%M}", each.rank, each.ranked]
        for own in ordered
        for each in own
    ]
    reading = f"The {len(ordered)} players ranked best when ranks were last noted; 1 is the best."
    return Picture("leaders", title, reading, drawing, ("Player", "Noted", "Rank", "Of"), rows)
