"""The ranks of a ladder's leaders over time."""

from collections import defaultdict
from functools import lru_cache
from zoneinfo import ZoneInfo

from tournament.ladder.rank_history import Ranked
from web.insight.facts import Facts
from web.insight.ladder_facts import LadderFacts
from web.insight.parts import TITLES
from web.insight.place import Place
from web.pictures.lines import Curve, line_picture
from web.pictures.picture import Picture
from web.pictures.scales import Axis, numbers, times


def leader_picture(facts: Facts) -> Picture | None:
    """A line for each of the leaders; None until ranks were noted at two times."""
    found = facts.leaders
    if found is None or len({each.at for each in found.ranks}) < 2:
        return None
    return _drawn(found, facts.place, facts.zone)


@lru_cache(maxsize=32)
def _drawn(found: LadderFacts, place: Place, zone: ZoneInfo) -> Picture:
    by_entry: dict[int, list[Ranked]] = defaultdict(list)
    for each in found.ranks:
        by_entry[each.entry_id].append(each)
    names, ordered = found.names, sorted(by_entry.values(), key=lambda own: own[-1].rank)
    first, last = found.ranks[0].at, found.ranks[-1].at
    lines = [
        Curve(
            [*((each.at.timestamp(), float(each.rank)) for each in own), (last.timestamp(), float(own[-1].rank))],
            step=True,
            kind="leader",
            label=names[own[0].entry_id],
            title=f"{names[own[0].entry_id]}: rank {own[-1].rank} of {own[-1].ranked}",
            href=place.entry_link(own[0].entry_id),
        )
        for own in ordered
    ]
    down = numbers(1, max(2, *(each.rank for each in found.ranks)), 6)
    drawing = line_picture(TITLES["leaders"], lines, times(first, last, zone, 4), Axis(down.high, down.low, down.ticks))
    rows = [
        [names[each.entry_id], f"{each.at.astimezone(zone):%Y-%m-%d %H:%M}", each.rank, each.ranked]
        for own in ordered
        for each in own
    ]
    reading = f"The {len(ordered)} players ranked best when ratings were last fitted; 1 is the best."
    return Picture("leaders", TITLES["leaders"], reading, drawing, ("Player", "Noted", "Rank", "Of"), rows)
