"""The matchups of a ladder's leaders as a grid."""

from functools import lru_cache

from web.insight.facts import Facts
from web.insight.ladder_facts import LadderFacts
from web.insight.parts import TITLES
from web.insight.place import Place
from web.pictures.grid import GridCell, grid_picture
from web.pictures.picture import Picture
from web.site.rendering.text import count

EVEN = (0.4, 0.6)
"""Shares between these are drawn as neither won nor lost."""


def matchup_picture(facts: Facts) -> Picture | None:
    """How often each leader finished ahead of each other one."""
    found = facts.leaders
    return _drawn(found, facts.place) if found and len(found.names) > 1 else None


@lru_cache(maxsize=32)
def _drawn(found: LadderFacts, place: Place) -> Picture:
    names, rows, table = found.names, [], []
    alive = [at for at, id_ in enumerate(found.entries) if id_ in names]
    for rank, at in enumerate(alive, 1):
        own, cells = found.entries[at], []
        for other in alive:
            opponent, games, ahead = found.entries[other], found.games[at][other], found.ahead[at][other]
            href = f"{place.entry_link(own)}?opponent={opponent}"
            cells.append(
                _cell(names[own], names[opponent], games, ahead, href) if at != other else GridCell("", names[own])
            )
            if games:
                table.append([names[own], names[opponent], ahead, games, f"{ahead / games:.0%}"])
        rows.append((f"{rank}. {names[own]}", cells))
    title = TITLES["matchups"]
    reading = (
        "How often the player of a row finished ahead of that of a column, the best rank first, in the games in which "
        "one of the two did; counted when ratings were last fitted. Each cell leads to the latest games with both."
    )
    drawing = grid_picture(title, [str(rank) for rank in range(1, len(alive) + 1)], rows)
    return Picture("matchups", title, reading, drawing, ("Player", "Opponent", "Ahead", "Games", "Share"), table)


def _cell(own: str, opponent: str, games: int, ahead: int, href: str) -> GridCell:
    if not games:
        return GridCell("–", f"{own} and {opponent}: no game in which one finished ahead", "", "waiting")
    low, high = EVEN
    kind = "won" if ahead > high * games else "bad" if ahead < low * games else ""
    said = f"{own} finished ahead of {opponent} in {ahead:,} of {count(games, 'game')}"
    return GridCell(f"{100 * ahead / games:.0f}", said, href, kind)
