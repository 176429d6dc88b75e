"""A row of a leaderboard as HTML. It is no template: a class of a thousand has a thousand rows, which change every few
seconds, and a template takes several times as long to write them."""

from math import isfinite

from markupsafe import Markup, escape

from tournament.ladder import Standing
from tournament.models import EntryState, Ranking
from web.text import clock, percent

NUMBER = '<td class="number">'
NONE = f"{NUMBER}–</td>"


def row_html(
    row: Standing,
    ranking: Ranking,
    address: str,
    leads: bool,
    several: bool,
    mine: bool = False,
    name: str | None = None,
) -> Markup:
    """The row. `address` is that of the entry; `leads`: it begins a group; `several`: its author has more rows;
    `mine`: they are the viewer; `name`: theirs, for somebody who may know it."""
    off = row.house or row.state is not EntryState.ACTIVE
    kind = "mine" if mine else "off" if off else ""
    cells = (
        _rank(row),
        _player(row, address, several, mine, name),
        _value(row) if ranking is not Ranking.WIN_RATE else "",
        _win_rate(row),
        f"{NUMBER}{row.rating:.0f}</td>" if row.rating is not None else NONE,
        f"{NUMBER}{row.games:,}</td>{NUMBER}{row.wins:,}</td>{NUMBER}{row.faults}</td>",
        f"<td>{_status(row)}</td>",
        "<td></td><td></td>"
        if row.house
        else f"{NUMBER}{row.entry.version}</td><td>{clock(row.entry.entered_at)}</td>",
    )
    return Markup(f'<tr class="{kind}{" group" if leads else ""}">{"".join(cells)}</tr>\n')  # noqa: S704  # names are escaped


def _rank(row: Standing) -> str:
    if row.rank is None or row.rank_interval is None:
        return NONE
    best, worst = row.rank_interval
    between = f" <small>({best}–{worst})</small>" if best != worst else ""
    first, last = row.tied or (row.rank, row.rank)
    alike = f' title="Group {row.group}; cannot be told from ranks {first} to {last} yet"' if first != last else ""
    return f'<td class="number"{alike}>{row.rank}{between}</td>'


def _player(row: Standing, address: str, several: bool, mine: bool, name: str | None) -> str:
    shown = escape(row.entry.name)
    link = f'<a href="{address}">{escape(name) if name else shown}</a>{f" <small>{shown}</small>" if name else ""}'
    version = f" <small>version {row.entry.version}</small>" if several else ""
    house = ' <span class="badge">house bot</span>' if row.house else ""
    badge = ' <span class="badge good">you</span>' if mine and not house else house
    return f'<th scope="row">{link}{version}{badge}</th>'


def _value(row: Standing) -> str:
    if not row.games:
        return NONE
    known = isfinite(row.value_high - row.value_low)
    between = f" <small>({row.value_low:.2f} to {row.value_high:.2f})</small>" if known else ""
    return f"{NUMBER}{row.value:.2f}{between}</td>"


def _win_rate(row: Standing) -> str:
    """The win rate, its interval as a bar, and in figures."""
    if not row.games:
        return f"{NONE}<td></td><td></td>"
    low, wide = row.low * 100, max((row.high - row.low) * 100, 0.5)
    bar = f'<path d="M{low:.1f} 1h{wide:.1f}v8H{low:.1f}z"/><path d="M{row.win_rate * 100:.1f} 0v10"/>'
    return (
        f"{NUMBER}{percent(row.win_rate)}</td>"
        f'<td><svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">{bar}</svg></td>'
        f'<td class="number interval">{low:.1f}–{percent(row.high)}</td>'
    )


def _status(row: Standing) -> str:
    if row.state is EntryState.OUT:
        return '<span class="badge bad">out</span>'
    if not row.games:
        return '<span class="badge warn">first games</span>'
    if row.house:
        return ""
    kind, word = ("warn", "provisional") if row.provisional else ("good", "active")
    return f'<span class="badge {kind}">{word}</span>'
