"""Draw the pictures of a class and an assignment. Each part links to the list of the submissions or students that it
counts."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import datetime

import numpy as np
from markupsafe import Markup

from tournament.ladder.standings import Ranked
from tournament.store.tables import Ranking
from web.insight.facts import LATEST_WAITS, Facts, PicturePlace
from web.insight.finals import FinalFacts
from web.insight.parts import TITLES, Parts, cases, funnel, hours, points, questions, title_of, waits
from web.pictures.lines import Curve, Interval, Marker, Stretch, interval_picture, line_picture
from web.pictures.picture import Axis, Picture, number_axis, share_axis, ticks, time_axis
from web.pictures.rows import GridCell, PictureRow, grid_picture, row_picture
from web.site.languages import said
from web.site.text import count, duration, signed

EVEN = (0.4, 0.6)
"""Shares between these two values are drawn as neither won nor lost."""


def pictures_of(facts: Facts) -> list[Picture]:
    """All pictures that can apply to the assignment. A picture with nothing to draw yet says why."""
    made = ((name, draw(facts)) for name, draw in PICTURES.items())
    hidden = {"final"} if not facts.seen.viewer.instructs else set()
    hidden |= set() if facts.ladders else {"leaders", "matchups", "final"}
    return [
        found or Picture(name, title_of(facts, name), WHY_EMPTY[name], Markup(""), (), ())
        for name, found in made
        if found or name not in hidden
    ]


WHY_EMPTY: Mapping[str, str] = {
    "uploads": "Nobody has uploaded anything yet.",
    "funnel": "The course has no students yet.",
    "questions": "No upload has been graded yet, or no question has points.",
    "cases": "No upload has been graded yet, or no student’s latest graded upload fails a case.",
    "points": "No upload has been graded yet, or no question has points.",
    "waits": "This appears once uploads have been graded over a few hours.",
    "leaders": "This appears once the ranks of players in this tournament have been recorded twice, an hour apart.",
    "matchups": "This appears once players of this tournament have been rated and at least two of the best still play.",
    "final": "This appears when the final has ended.",
}
"""For each picture, the reason why there is nothing to draw yet."""


def _uploads_picture(facts: Facts) -> Picture | None:
    parts = hours(facts)
    if not parts:
        return None
    begin, end = parts[0].key, parts[-1].key + 3600
    due = {facts.due_at: "The deadline for everybody without an extension"} if facts.due_at else {}
    due |= {at: f"The deadline of {names}" for at, names in facts.section_due.items()}
    marks = [Marker(at.timestamp(), "deadline", words) for at, words in due.items() if begin <= at.timestamp() <= end]
    earlier = bool(facts.span and facts.span[0].timestamp() < begin)
    title = TITLES["uploads"]
    line = Curve([*((each.key, each.number) for each in parts), (end, parts[-1].number)], step=True)
    stretches = [
        Stretch(
            each.key,
            each.key + 3600,
            f"{each.label}: {count(each.number, 'upload')}",
            facts.place.link("uploads", each.key),
        )
        for each in parts
        if each.number
    ]
    shown = sum(each.number for each in parts)
    rest = f" Only {len(parts)} hours are shown, up to a day after the deadline." if earlier else ""
    reading = f"{count(shown, 'upload')}, counted by the hour of upload, including uploads by staff.{rest}"
    across = time_axis(_at(facts, begin), _at(facts, end), facts.zone, 4)
    top = number_axis(0, max(1, *(each.number for each in parts)), 5)
    drawing = line_picture(title, [line], across, top, marks, stretches)
    rows = [[each.label, each.number] for each in parts if each.number]
    return Picture("uploads", title, reading, drawing, ("Hour", "Uploads"), rows)


def _at(facts: Facts, seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, facts.zone)


def _funnel(facts: Facts) -> Picture | None:
    whole, parts = len(facts.students), funnel(facts)
    if not whole:
        return None
    reading = f"How many of {count(whole, 'student')} got this far."
    if facts.ladder:
        reading += " Surviving: the latest entry is still playing."
    title, rows = title_of(facts, "funnel"), _bars(facts, "funnel", parts, "student")
    drawing = row_picture(title, rows, number_axis(0, whole, 5))
    table = [[said(each.label), each.number, f"{each.number / whole:.0%}"] for each in parts]
    return Picture("funnel", title, reading, drawing, ("Step", "Students", "Share"), table)


def _bars(facts: Facts, name: str, parts: Parts, what: str) -> list[PictureRow]:
    """Draw a bar for each part."""
    rows = []
    for each in parts:
        label = said(each.label) if what == "student" else each.label
        href = facts.place.link(name, each.key) if each.number else ""
        rows.append(PictureRow(label, each.number, f"{each.number:,}", f"{label}: {count(each.number, what)}", href))
    return rows


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
            f"{each.label}: {each.number:,} of {count(graded, 'upload')} earned all its points",
            facts.place.link("questions", each.key) if each.number else "",
        )
        for each in parts
    ]
    reading = "The share of students whose latest graded upload has all the points of the question."
    table = [[each.label, each.number, graded, f"{each.number / graded:.0%}"] for each in parts]
    headers = ("Question", "Passed", "Graded", "Share")
    return Picture("questions", title, reading, row_picture(title, rows, share_axis(most=4)), headers, table)


def _cases(facts: Facts) -> Picture | None:
    parts, title = cases(facts), TITLES["cases"]
    if not parts:
        return None
    reading = "The cases that students fail most often in their latest graded uploads, including hidden cases."
    if former := len(facts.graded) - facts.most_failed.noted:
        reading += (
            f" {count(former, 'upload')} graded before this was recorded {'is' if former == 1 else 'are'} left out."
        )
    drawing = row_picture(title, _bars(facts, "cases", parts, "submission"), number_axis(0, parts[0].number, 5))
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
    drawing = row_picture(title, _bars(facts, "points", parts, "student"), number_axis(0, most, 5))
    table = [[said(each.label), each.number] for each in parts]
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
            facts.place.link("waits", each.key),
        )
        for (each, half, high), end in zip(found, ends, strict=True)
    ]
    across = time_axis(_at(facts, parts[0].key), _at(facts, ends[-1]), facts.zone, 4)
    drawing = line_picture(title, [line], across, number_axis(0, top, 5, duration), (), stretches)
    reading = (
        "The line is the median waiting time; the band extends to the time within which 95% of uploads had their "
        "report."
    )
    reading += f" Only the latest {LATEST_WAITS:,} reports are counted." if len(facts.waits[0]) == LATEST_WAITS else ""
    table = [[each.label, each.number, round(half, 1), round(high, 1)] for each, half, high in found]
    return Picture("waits", title, reading, drawing, ("From", "Uploads", "Median (s)", "95% (s)"), table)


def _leaders(facts: Facts) -> Picture | None:
    """Draw the ranks of each leader as a line; None until there are rank samples from two times."""
    found = facts.leaders
    if found is None or len({each.at for each in found.ranks}) < 2:
        return None
    zone = facts.zone
    by_entry: dict[int, list[Ranked]] = defaultdict(list)
    for each in found.ranks:
        by_entry[each.entry_id].append(each)
    names, ordered = found.names, sorted(by_entry.values(), key=lambda own: own[-1].rank)
    first, last = found.ranks[0].at, found.ranks[-1].at
    lines = [
        Curve(
            [*((each.at.timestamp(), float(each.rank)) for each in own), (last.timestamp(), float(own[-1].rank))],
            step=True,
            kind=f"leader series-{number}",
            label=names[own[0].entry_id],
            title=f"{names[own[0].entry_id]}: rank {own[-1].rank} of {own[-1].ranked}",
            href=facts.place.entry_link(own[0].entry_id),
        )
        for number, own in enumerate(ordered)
    ]
    down = number_axis(1, max(2, *(each.rank for each in found.ranks)), 6)
    drawing = line_picture(
        TITLES["leaders"], lines, time_axis(first, last, zone, 4), Axis(down.high, down.low, down.ticks)
    )
    rows = [
        [names[each.entry_id], f"{each.at.astimezone(zone):%Y-%m-%d %H:%M}", each.rank, each.ranked]
        for own in ordered
        for each in own
    ]
    reading = f"The {len(ordered)} players with the best ranks when ratings were last calculated; rank 1 is the best."
    return Picture("leaders", TITLES["leaders"], reading, drawing, ("Player", "Recorded", "Rank", "Of"), rows)


def _matchups(facts: Facts) -> Picture | None:
    """Draw how often each leader finished ahead of each other leader."""
    found = facts.leaders
    if found is None or len(found.names) < 2:
        return None
    names, rows, table = found.names, [], []
    alive = [at for at, id_ in enumerate(found.entries) if id_ in names]
    for rank, at in enumerate(alive, 1):
        own, cells = found.entries[at], []
        for other in alive:
            opponent, games, ahead = found.entries[other], found.games[at][other], found.ahead[at][other]
            href = f"{facts.place.entry_link(own)}?opponent={opponent}"
            cells.append(
                _matchup(names[own], names[opponent], games, ahead, href) if at != other else GridCell("", names[own])
            )
            if games:
                table.append([names[own], names[opponent], ahead, games, f"{ahead / games:.0%}"])
        rows.append((f"{rank}. {names[own]}", cells))
    title = TITLES["matchups"]
    reading = (
        "How often the player in the row finished ahead of the player in the column, in the games in which one of "
        "them finished ahead of the other. The best rank comes first; the games were counted when ratings were last "
        "calculated. Each cell links to the latest games in which both took part."
    )
    drawing = grid_picture(title, [str(rank) for rank in range(1, len(alive) + 1)], rows)
    return Picture("matchups", title, reading, drawing, ("Player", "Opponent", "Ahead", "Games", "Share"), table)


def _matchup(own: str, opponent: str, games: int, ahead: int, href: str) -> GridCell:
    if not games:
        return GridCell("–", f"{own} and {opponent}: no game in which one finished ahead of the other", "", "waiting")
    low, high = EVEN
    kind = "won" if ahead > high * games else "bad" if ahead < low * games else ""
    said = f"{own} finished ahead of {opponent} in {ahead:,} of {count(games, 'game')}"
    return GridCell(f"{100 * ahead / games:.0f}", said, href, kind)


def final_picture(facts: Facts) -> Picture | None:
    """Draw the final, for instructors; nobody else can see a final before publication."""
    found = facts.final
    if found is None:
        return None
    rows = zip(found.figures.tolist(), found.crosses.tolist(), strict=True)
    intervals = [Interval(value, low, high, crosses) for (value, low, high), crosses in rows]
    title, crossing = TITLES["final"], int(found.crosses.sum())
    y = _axis_of_ranking(found.ranking, float(found.figures.min()), float(found.figures.max()))
    levels = [(each, f"Boundary between two marks at {_written_value(found, each)}") for each in found.boundaries]
    drawing = interval_picture(title, intervals, y, levels, _stretches_of_bands(facts.place, found))
    reading = (
        f"Each survivor’s {found.ranking.value} with its 95% confidence interval, the best rank first. Dashed lines "
        f"are the boundaries between marks; {count(crossing, 'interval')} of {len(intervals):,} cross one."
    )
    table = [
        [
            signed(each.mark),
            len(each.lines),
            *(_written_value(found, each.lines[at].value or 0.0) for at in (0, -1)),
            each.crossing,
        ]
        for each in found.bands
    ]
    headers = ("Mark", "Players", "Best", "Last", "Interval crosses a grade boundary")
    return Picture("final", title, reading, drawing, headers, table)


def _axis_of_ranking(ranking: Ranking, low: float, high: float) -> Axis:
    written = [(each, f"{each:.0%}" if ranking is Ranking.WIN_RATE else f"{each:g}") for each in ticks(low, high, 6)]
    return Axis(high, low, written) if ranking is Ranking.PLACE else Axis(low, high, written)


def _written_value(found: FinalFacts, value: float) -> str:
    return f"{value:.1%}" if found.ranking is Ranking.WIN_RATE else f"{value:.2f}"


def _stretches_of_bands(place: PicturePlace, found: FinalFacts) -> list[Stretch]:
    begin, stretches = 0, []
    for each in found.bands:
        end = begin + len(each.lines)
        said = f"Mark {signed(each.mark)}: {count(len(each.lines), 'player')}, {each.crossing:,} near a boundary"
        stretches.append(Stretch(begin - 0.5, end - 0.5, said, place.link("final", each.number)))
        begin = end
    return stretches


PICTURES: Mapping[str, Callable[[Facts], Picture | None]] = {
    "uploads": _uploads_picture,
    "funnel": _funnel,
    "questions": _questions,
    "cases": _cases,
    "points": _points,
    "waits": _waits,
    "leaders": _leaders,
    "matchups": _matchups,
    "final": final_picture,
}
"""The functions that draw the pictures, by the picture's name in addresses. Each returns None if there is nothing to
draw yet."""
