"""The final of an assignment as a picture: each player's interval, and the lines between marks."""

from functools import lru_cache

from tournament.store.tables import Ranking
from web.insight.facts import Facts
from web.insight.final_facts import FinalFacts
from web.insight.parts import TITLES
from web.insight.place import PicturePlace
from web.pictures.intervals import Interval, interval_picture
from web.pictures.lines import Stretch
from web.pictures.picture import Picture
from web.pictures.scales import Axis, ticks
from web.site.text import count, signed


def final_picture(facts: Facts) -> Picture | None:
    """The picture for instructors; before publication nobody else sees a final."""
    return _drawn(facts.final, facts.place) if facts.final else None


@lru_cache(maxsize=16)
def _drawn(found: FinalFacts, place: PicturePlace) -> Picture:
    rows = zip(found.figures.tolist(), found.crosses.tolist(), strict=True)
    intervals = [Interval(value, low, high, crosses) for (value, low, high), crosses in rows]
    title, crossing = TITLES["final"], int(found.crosses.sum())
    y = _axis(found.ranking, float(found.figures.min()), float(found.figures.max()))
    levels = [(each, f"Boundary between two marks at {_written(found, each)}") for each in found.boundaries]
    drawing = interval_picture(title, intervals, y, levels, _stretches(place, found))
    reading = (
        f"Each survivor’s {found.ranking.value} with its 95% interval, the best rank first. Dashed lines are "
        f"the boundaries between marks; {count(crossing, 'interval')} of {len(intervals):,} cross one."
    )
    table = [
        [
            signed(each.mark),
            len(each.lines),
            *(_written(found, each.lines[at].value or 0.0) for at in (0, -1)),
            each.crossing,
        ]
        for each in found.bands
    ]
    headers = ("Mark", "Players", "Best", "Last", "Interval crosses a boundary")
    return Picture("final", title, reading, drawing, headers, table)


def _axis(ranking: Ranking, low: float, high: float) -> Axis:
    written = [(each, f"{each:.0%}" if ranking is Ranking.WIN_RATE else f"{each:g}") for each in ticks(low, high, 6)]
    return Axis(high, low, written) if ranking is Ranking.PLACE else Axis(low, high, written)


def _written(found: FinalFacts, value: float) -> str:
    return f"{value:.1%}" if found.ranking is Ranking.WIN_RATE else f"{value:.2f}"


def _stretches(place: PicturePlace, found: FinalFacts) -> list[Stretch]:
    begin, stretches = 0, []
    for each in found.bands:
        end = begin + len(each.lines)
        said = f"Mark {signed(each.mark)}: {count(len(each.lines), 'player')}, {each.crossing:,} near a boundary"
        stretches.append(Stretch(begin - 0.5, end - 0.5, said, place.link("final", each.number)))
        begin = end
    return stretches
