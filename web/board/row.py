"""A row of a leaderboard as HTML. It is not a template: that saves 14% of the page with 36 rows, 29% with 1,000."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from zoneinfo import ZoneInfo

from markupsafe import escape

from tournament.ladder.standings import ListedEntry, Standing
from tournament.store.tables import EntryState, Ranking
from web.site.text import clock_html, percent

NONE = "<td>–</td>"
WINDOW, FORM_STEP = 16, 4  # games


@dataclass(frozen=True, slots=True)
class Look:
    """What all rows of a board have in common: the address of its entries' pages, without the number; what it ranks by;
    and the time zone of its course."""

    entries: str
    ranking: Ranking
    zone: ZoneInfo


def row_html(row: Standing, look: Look, leads: bool, several: bool, mine: bool = False, name: str | None = None) -> str:
    """The row. `leads`: it begins a group; `several`: its author has more rows; `mine`: they are the viewer; `name`:
    theirs, for somebody who may know it.

    `site.css` knows the columns by their places: a class in each cell would be a fifth of the page.
    """
    entered = clock_html(row.entry.entered_at, look.zone)
    cells = (
        _rank(row),
        _player(row.entry, f"{look.entries}{row.entry.id}/", several, mine, name),
        _value(row) if look.ranking is not Ranking.WIN_RATE else "",
        _win_rate(row),
        f"<td>{row.rating:.0f}</td>" if row.rating is not None else NONE,
        f"<td>{row.games:,}</td><td>{row.wins:,}</td><td>{row.faults}</td><td>{_status(row)}</td>",
        "<td></td><td></td>" if row.house else f"<td>{row.entry.version}</td><td>{entered}</td>",
    )
    place = f' id="entry-{row.entry.id}"' if mine else ""
    return f"<tr{place}{_classes(row, leads, mine)}>{''.join(cells)}</tr>\n"


def _classes(row: Standing, leads: bool, mine: bool) -> str:
    off = row.house or row.state is not EntryState.ACTIVE
    names = ("mine" if mine else "off" if off else "", "group" if leads else "", "first" if row.rank == 1 else "")
    return f' class="{" ".join(filter(None, names))}"' if any(names) else ""


def _rank(row: Standing) -> str:
    if row.rank is None or row.rank_interval is None:
        return NONE
    best, worst = row.rank_interval
    between = f" <small>({best}–{worst})</small>" if best != worst else ""
    first, last = row.tied or (row.rank, row.rank)
    alike = f' title="Group {row.group}; not yet told apart from ranks {first} to {last}"' if first != last else ""
    return f"<td{alike}>{row.rank}{between}</td>"


def _player(entry: ListedEntry, address: str, several: bool, mine: bool, name: str | None) -> str:
    shown = escape(entry.name)
    link = f'<a href="{address}">{escape(name) if name else shown}</a>{f" <small>{shown}</small>" if name else ""}'
    version = f" <small>version {entry.version}</small>" if several else ""
    house = ' <span class="badge">house bot</span>' if entry.bot else ""
    badge = ' <span class="badge you">you</span>' if mine and not house else house
    return f'<th scope="row">{link}{version}{badge}</th>'


def _value(row: Standing) -> str:
    if not row.games:
        return NONE
    known = isfinite(row.value_high - row.value_low)
    between = f" <small>({row.value_low:.2f} to {row.value_high:.2f})</small>" if known else ""
    return f"<td>{row.value:.2f}{between}</td>"


def _win_rate(row: Standing) -> str:
    """The win rate, with that of the latest games as a line beside it; its interval as a bar, and in figures."""
    if not row.games:
        return f"{NONE}<td></td><td></td>"
    low, wide = row.low * 100, max((row.high - row.low) * 100, 0.5)
    bar = f'<path d="M{low:.1f} 1h{wide:.1f}v8H{low:.1f}z"/><path d="M{row.win_rate * 100:.1f} 0v10"/>'
    return (
        f"<td>{percent(row.win_rate)}{_form(row.entry.form)}</td>"
        f'<td><svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">{bar}</svg></td>'
        f"<td>{low:.1f}–{percent(row.high)}</td>"
    )


def _form(form: str) -> str:
    """The win rate within each WINDOW of the latest games, every FORM_STEP games; nothing before the first two."""
    ends = range(len(form), WINDOW - 1, -FORM_STEP)[::-1]
    if len(ends) < 2:
        return ""
    rates = [form.count("w", end - WINDOW, end) / WINDOW for end in ends]
    label = f"from {rates[0]:.0%} to {rates[-1]:.0%} in the latest {len(form)} games"
    return sparkline(rates, max(0.5, *rates), label)


def _status(row: Standing) -> str:
    if row.state is EntryState.OUT:
        return '<span class="badge bad">out</span>'
    if not row.games:
        return '<span class="badge warn">first games</span>'
    if row.house:
        return ""
    kind, word = ("warn", "provisional") if row.provisional else ("good", "active")
    return f'<span class="badge {kind}">{word}</span>'


SPARK_WIDTH, SPARK_HEIGHT = 60, 16


def sparkline(values: Sequence[float], high: float, label: str) -> str:
    """A line through values from 0 to `high`, as markup; a plain string, since a leaderboard has a thousand."""
    across, tall = SPARK_WIDTH / max(1, len(values) - 1), SPARK_HEIGHT - 2
    low = SPARK_HEIGHT - 1
    points = " ".join(f"{n * across:.0f},{low - value / high * tall:.0f}" for n, value in enumerate(values))
    view = f'viewBox="0 0 {SPARK_WIDTH} {SPARK_HEIGHT}"'
    return f'<svg class="spark" {view} role="img" aria-label="{escape(label)}"><polyline points="{points}"/></svg>'
