"""A tournament's leaderboard, computed once for everybody who looks at it at the same time.

While games are played the standings change many times a second, and a class may be watching. A board is therefore kept
for FRESH_S seconds, longer if it is very large, but only until the viewer enters or leaves, or anybody on a board of
ordinary size: people see what they did at once. One request computes the new board; requests that come meanwhile get
the old one.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import isfinite
from statistics import median_low
from threading import Lock
from time import monotonic
from typing import Final, TypeAlias
from zoneinfo import ZoneInfo

from flask import Flask, current_app, url_for
from markupsafe import Markup, escape
from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from grader.definition.local_times import UTC_ZONE
from grader.store.models import Assignment
from tournament.ladder.standings import ListedEntry, Standing, standings
from tournament.store.database import columns
from tournament.store.tables import Entry, EntryState, Ranking, Tournament
from web.models import Course
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


FRESH_S = 2.0
ROW_S = 0.005
"""A board is kept for this long for each of its rows: 50 times as long as a row takes to compute and write."""

LARGE = 100  # rows
PAGE: Final = 100
"""The rows of a page."""


@dataclass(frozen=True, slots=True)
class RankTrust:
    """How far the ranks can be trusted: after `games` games a rank is accurate to about ± `places`, and `groups` groups
    of players can be told apart."""

    games: int
    places: int
    groups: int


class Board:
    """The standings at one moment. Its entries no longer belong to a database session."""

    def __init__(
        self, rows: Sequence[Standing], ranking: Ranking = Ranking.WIN_RATE, zone: ZoneInfo = UTC_ZONE
    ) -> None:
        self.rows, self.ranking, self.zone = rows, ranking, zone
        self.ranked = sum(row.rank is not None for row in rows)
        self.trust = trust(rows)
        self._number = {row.entry.id: number for number, row in enumerate(rows)}
        self._by_author: Mapping[int | None, list[Standing]] = defaultdict(list)
        for row in sorted(rows, key=lambda row: -row.entry.version):
            if not row.house:
                self._by_author[row.entry.author_id].append(row)
        self._leads = _leads(rows)
        self._lines: dict[tuple[int, str | None], str] = {}

    def of_entry(self, entry_id: int) -> Standing | None:
        """The entry's row; None if it is not on the board (any more)."""
        number = self._number.get(entry_id)
        return None if number is None else self.rows[number]

    def of_author(self, user_id: int) -> Standing | None:
        """The row of the user's latest entry."""
        return next(iter(self.all_of_author(user_id)), None)

    def all_of_author(self, user_id: int) -> Sequence[Standing]:
        """The rows of the user's entries, the latest first: a ladder may let a student have several."""
        return self._by_author.get(user_id, [])

    def page_of(self, user_id: int) -> int | None:
        """The number of the page with the user's latest entry, from 1; None if there is no such entry."""
        row = self.of_author(user_id)
        return self._number[row.entry.id] // PAGE + 1 if row else None

    def matching(self, text: str, names: Mapping[int, str]) -> list[int]:
        """The numbers of the rows with that text in the name of the entry, or in the author's real name where `names`
        has it; all of them for an empty text."""
        if not text:
            return list(range(len(self.rows)))
        wanted = text.casefold()
        return [
            number
            for number, row in enumerate(self.rows)
            if wanted in row.entry.name.casefold() or wanted in names.get(row.entry.author_id or 0, "").casefold()
        ]

    def html(self, user_id: int, names: Mapping[int, str], numbers: Sequence[int]) -> Markup:
        """The rows with those numbers for a viewer: their own ones marked, and with the authors' real names where
        `names` has them."""
        own = {self._number[row.entry.id] for row in self.all_of_author(user_id)}
        shown = [
            self._row(each, True, names.get(user_id)) if each in own else self._line(each, names) for each in numbers
        ]
        return Markup("".join(shown))  # noqa: S704  # names are escaped

    def _line(self, number: int, names: Mapping[int, str]) -> str:
        """A row, written once for all who see it so: of a thousand rows most are on pages that nobody opens while the
        board is kept."""
        name = names.get(self.rows[number].entry.author_id or 0)
        line = self._lines.get((number, name))
        if line is None:
            line = self._lines[number, name] = self._row(number, name=name)
        return line

    def _row(self, number: int, mine: bool = False, name: str | None = None) -> str:
        row = self.rows[number]
        several = len(self._by_author.get(row.entry.author_id, ())) > 1
        return row_html(row, self._look, self._leads[number], several, mine, name)

    @cached_property
    def _look(self) -> Look:
        entries = url_for("entry.show", entry_id=0).removesuffix("0/")  # building a thousand takes milliseconds
        return Look(entries, self.ranking, self.zone)


def _leads(rows: Sequence[Standing]) -> list[bool]:
    """Whether each row is the first of a group that has others before it."""
    former = accumulate((row.group or 0 for row in rows), max, initial=1)
    return [(row.group or 0) > before for row, before in zip(rows, former, strict=False)]


Members: TypeAlias = dict[int | None, tuple[int, ...]]
"""Numbers by author that change when one of their entries enters, leaves, is put out, or has its first game."""


@dataclass(frozen=True, slots=True)
class _Kept:
    board: Board
    members: Members
    until: float

    def shows(self, session: Session, tournament_id: int, user_id: int) -> bool:
        """Whether there is no change in who takes part that the viewer must see at once."""
        if len(self.board.rows) <= LARGE:
            return self.members == _members(session, tournament_id)
        return self.members.get(user_id) == _members(session, tournament_id, user_id).get(user_id)


class _Boards:
    """The boards that an application keeps."""

    def __init__(self) -> None:
        self._kept: dict[int, _Kept] = {}
        self._locks: dict[int, Lock] = {}

    def get(self, session: Session, tournament: Tournament, user_id: int) -> Board:
        id_ = tournament.id
        kept = self._kept.get(id_)
        may_be_old = kept is not None and kept.shows(session, id_, user_id)
        if kept and may_be_old and monotonic() < kept.until:
            return kept.board
        lock = self._locks.setdefault(id_, Lock())
        if not lock.acquire(blocking=not may_be_old):
            assert kept  # noqa: S101  # else it would have waited
            return kept.board
        try:
            if self._kept.get(id_) is kept or not self._kept[id_].shows(session, id_, user_id):
                board = Board(standings(session, tournament), tournament.ranking, _zone(session, tournament))
                until = monotonic() + max(FRESH_S, ROW_S * len(board.rows))
                self._kept[id_] = _Kept(board, _members(session, id_), until)
            return self._kept[id_].board
        finally:
            lock.release()


def _zone(session: Session, tournament: Tournament) -> ZoneInfo:
    """The time zone of its course."""
    wanted = select(Course).join(Assignment, Assignment.course_id == Course.id)
    return session.scalars(wanted.where(Assignment.id == tournament.assignment_id)).one().zone


def board_of(session: Session, tournament: Tournament | None, user_id: int = 0) -> Board:
    """The tournament's board for a viewer (0: for nobody in particular); an empty one if there is no tournament."""
    if tournament is None:
        return Board(())
    boards: _Boards = current_app.extensions.setdefault("quadrille-boards", _Boards())
    return boards.get(session, tournament, user_id)


def forget(app: Flask) -> None:
    """Keep none of them any longer."""
    app.extensions.pop("quadrille-boards", None)


def refresh_ms(board: Board, least: int) -> int:
    """How often a page asks for changes of a board: the larger it is, the slower it changes for each player."""
    return max(least, 40 * len(board.rows))


def _members(session: Session, tournament_id: int, only: int | None = None) -> Members:
    """The members of a tournament, or only one author."""
    which = {"tournament": tournament_id}
    found = columns(session, _OF_ALL, which) if only is None else columns(session, _OF_ONE, which | {"author": only})
    return {author: tuple(counts) for author, *counts in found}


_PLAYED = func.count(Entry.id).filter(Entry.games > 0)
_OF_ALL = (
    select(Entry.author_id, func.max(Entry.id), func.count(Entry.id), func.count(Entry.left_at), _PLAYED)
    .where(Entry.tournament_id == bindparam("tournament"))
    .group_by(Entry.author_id)
)
_OF_ONE = _OF_ALL.where(Entry.author_id == bindparam("author"))
"""Made once: that saves 11% of the home page, 5% of an assignment's, 8% of the leaderboard."""


def trust(rows: Sequence[Standing]) -> RankTrust | None:
    """The median number of games, half the median width of the intervals of the ranks, and the number of groups. None
    while there are too few ranked entries to say anything."""
    intervals = [row.rank_interval for row in rows if row.rank_interval]
    if len(intervals) < 3:
        return None
    games = median_low(row.games for row in rows if row.rank_interval)
    places = median_low(worst - best for best, worst in intervals)
    return RankTrust(games, round(places / 2), max(row.group or 0 for row in rows))
