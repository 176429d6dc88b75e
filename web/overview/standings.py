"""A tournament's leaderboard, computed once for everybody who looks at it at the same time; and the standing of one
person in the ladders of an assignment.

While games are played, the standings change many times a second, and a whole class may be watching. Therefore a board
is cached for FRESH_S seconds, or longer if it is very large. It is dropped earlier when the viewer enters or leaves the
tournament (on a board of ordinary size, when anybody does), so that people see their own changes at once. One request
computes the new board; requests that arrive meanwhile get the old one.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil, isfinite
from statistics import median_low
from threading import Lock
from time import monotonic
from typing import Any, Final, TypeAlias
from zoneinfo import ZoneInfo

from flask import current_app
from markupsafe import Markup, escape
from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from grader.assignment.ladders import ladders
from grader.definition.local_times import UTC_ZONE
from grader.store.models import Assignment
from tournament.ladder.standings import Standing, standings
from tournament.store.database import columns
from tournament.store.tables import Block, Entry, Ranking, Tournament
from tournament.work.backlog import usual_wait_s
from web.site.languages import said
from web.site.models import Course
from web.site.text import clock_html

WINDOW, FORM_STEP = 16, 4  # games


def _drawn_form(form: str) -> Markup:
    """Return a drawing of the win rate in windows of WINDOW games, which begin FORM_STEP games apart; empty until there
    are two windows."""
    ends = range(len(form), WINDOW - 1, -FORM_STEP)[::-1]
    if len(ends) < 2:
        return Markup()
    rates = [form.count("w", end - WINDOW, end) / WINDOW for end in ends]
    label = f"from {rates[0]:.0%} to {rates[-1]:.0%} in the latest {len(form)} games"
    return sparkline(rates, max(0.5, *rates), said(label))


SPARK_WIDTH, SPARK_HEIGHT = 60, 16


def sparkline(values: Sequence[float], high: float, label: str) -> Markup:
    """Return a line through values from 0 to `high`, as markup."""
    across, tall = SPARK_WIDTH / max(1, len(values) - 1), SPARK_HEIGHT - 2
    low = SPARK_HEIGHT - 1
    points = " ".join(f"{n * across:.0f},{low - value / high * tall:.0f}" for n, value in enumerate(values))
    view = f'viewBox="0 0 {SPARK_WIDTH} {SPARK_HEIGHT}"'
    line = f'<svg class="spark" {view} role="img" aria-label="{escape(label)}"><polyline points="{points}"/></svg>'
    return Markup(line)  # noqa: S704  # all of it is escaped


FRESH_S = 2.0
ROW_S = 0.005
"""How long a board is kept per row: 50 times as long as computing and writing a row takes."""

LARGE = 100  # rows
PAGE: Final = 100
"""The number of rows on one page."""


@dataclass(frozen=True, slots=True)
class RankTrust:
    """How far the ranks can be trusted: after `games` games, a rank is accurate to about ± `places`, and `groups`
    groups of players can be told apart."""

    games: int
    places: int
    groups: int


class Board:
    """The standings at one moment. Its entries are detached from the database session."""

    def __init__(
        self, rows: Sequence[Standing], ranking: Ranking = Ranking.WIN_RATE, zone: ZoneInfo = UTC_ZONE
    ) -> None:
        self.rows, self.ranking, self.zone = rows, ranking, zone
        self.ranked = sum(row.rank is not None for row in rows)
        self.trust = trust_in_ranks(rows)
        self._number = {row.entry.id: number for number, row in enumerate(rows)}
        self._by_author: Mapping[int | None, list[Standing]] = defaultdict(list)
        for row in sorted(rows, key=lambda row: -row.entry.version):
            if not row.house:
                self._by_author[row.entry.author_id].append(row)
        self._leads = _leads(rows)
        self._lines: dict[tuple[int, str | None], str] = {}

    def of_entry(self, entry_id: int) -> Standing | None:
        """Return the entry's row; None if it is not, or no longer, on the board."""
        number = self._number.get(entry_id)
        return None if number is None else self.rows[number]

    def of_author(self, user_id: int) -> Standing | None:
        """Return the row of the user's latest entry."""
        return next(iter(self.all_of_author(user_id)), None)

    def all_of_author(self, user_id: int) -> Sequence[Standing]:
        """Return the rows of the user's entries, the latest first: a ladder may let a student have several."""
        return self._by_author.get(user_id, [])

    def page_of(self, user_id: int) -> int | None:
        """Return the number of the page with the user's latest entry, from 1; None if there is no such entry."""
        row = self.of_author(user_id)
        return self._number[row.entry.id] // PAGE + 1 if row else None

    def matching(self, text: str, names: Mapping[int, str]) -> list[int]:
        """Return the numbers of the rows whose entry has that text in its name, or in the author's real name if `names`
        has it. An empty text matches all rows."""
        if not text:
            return list(range(len(self.rows)))
        wanted = text.casefold()
        return [
            number
            for number, row in enumerate(self.rows)
            if wanted in row.entry.name.casefold() or wanted in names.get(row.entry.author_id or 0, "").casefold()
        ]

    def html(self, user_id: int, names: Mapping[int, str], numbers: Sequence[int]) -> Markup:
        """Return the rows with those numbers for a viewer, with the viewer's own rows marked, and with the authors'
        real names where `names` has them."""
        own = {self._number[row.entry.id] for row in self.all_of_author(user_id)}
        shown = [
            self._row(each, True, names.get(user_id)) if each in own else self._line(each, names) for each in numbers
        ]
        return Markup("".join(shown))  # noqa: S704  # names are escaped

    def _line(self, number: int, names: Mapping[int, str]) -> str:
        """Return a row, rendered when it is first needed and then shared by all viewers who see it the same way. Of a
        thousand rows, most are on pages that nobody opens while the board is kept."""
        name = names.get(self.rows[number].entry.author_id or 0)
        line = self._lines.get((number, name))
        if line is None:
            line = self._lines[number, name] = self._row(number, name=name)
        return line

    def _row(self, number: int, mine: bool = False, name: str | None = None) -> str:
        row = self.rows[number]
        several = len(self._by_author.get(row.entry.author_id, ())) > 1
        template = current_app.jinja_env.get_template("overview/_board_row.html")
        return template.render(
            row=row,
            leads=self._leads[number],
            several=several,
            mine=mine,
            name=name,
            by_value=self.ranking is not Ranking.WIN_RATE,
            known=isfinite(row.value_high - row.value_low),
            form=_drawn_form(row.entry.form),
            entered=clock_html(row.entry.entered_at, self.zone),
        )


def _leads(rows: Sequence[Standing]) -> list[bool]:
    """Return, for each row, whether it begins a group other than the first."""
    former = accumulate((row.group or 0 for row in rows), max, initial=1)
    return [(row.group or 0) > before for row, before in zip(rows, former, strict=False)]


Members: TypeAlias = dict[int | None, tuple[int, ...]]
"""A number for each author, which changes when one of the author's entries enters, leaves, is disqualified, or plays
its first game."""


@dataclass(frozen=True, slots=True)
class _CachedBoard:
    board: Board
    members: Members
    until: float

    def shows(self, session: Session, tournament_id: int, user_id: int) -> bool:
        """Whether the board is up to date with the entries and withdrawals that the viewer must see at once."""
        if len(self.board.rows) <= LARGE:
            return self.members == _members(session, tournament_id)
        return self.members.get(user_id) == _members(session, tournament_id, user_id).get(user_id)


class _Boards:
    """The boards that an application has cached."""

    def __init__(self) -> None:
        self._cached: dict[int, _CachedBoard] = {}
        self._locks: dict[int, Lock] = {}

    def get(self, session: Session, tournament: Tournament, user_id: int) -> Board:
        id_ = tournament.id
        cached = self._cached.get(id_)
        may_be_old = cached is not None and cached.shows(session, id_, user_id)
        if cached and may_be_old and monotonic() < cached.until:
            return cached.board
        lock = self._locks.setdefault(id_, Lock())
        if not lock.acquire(blocking=not may_be_old):
            assert cached  # noqa: S101  # else it would have waited
            return cached.board
        try:
            if self._cached.get(id_) is cached or not self._cached[id_].shows(session, id_, user_id):
                course = select(Course).join(Assignment, Assignment.course_id == Course.id)
                zone = session.scalars(course.where(Assignment.id == tournament.assignment_id)).one().zone
                board = Board(standings(session, tournament), tournament.ranking, zone)
                until = monotonic() + max(FRESH_S, ROW_S * len(board.rows))
                self._cached[id_] = _CachedBoard(board, _members(session, id_), until)
            return self._cached[id_].board
        finally:
            lock.release()


def board_of(session: Session, tournament: Tournament | None, user_id: int = 0) -> Board:
    """Return the tournament's board for a viewer (0 for nobody in particular); an empty board if there is no
    tournament."""
    if tournament is None:
        return Board(())
    boards: _Boards = current_app.extensions.setdefault("quadrille-boards", _Boards())
    return boards.get(session, tournament, user_id)


def refresh_ms(board: Board, least: int) -> int:
    """Return the interval at which a page asks for changes to a board: the larger the board, the more slowly each
    player's row changes."""
    return max(least, 40 * len(board.rows))


def _members(session: Session, tournament_id: int, only: int | None = None) -> Members:
    """Return the `Members` of a tournament, for all authors or only one."""
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
"""These queries are built only once, which saves 11% of the time for the home page, 5% for an assignment's page and 8%
for the leaderboard."""


def trust_in_ranks(rows: Sequence[Standing]) -> RankTrust | None:
    """Return the median number of games, half the median width of the ranks' intervals, rounded up, and the number of
    groups. None while too few entries are ranked."""
    intervals = [row.rank_interval for row in rows if row.rank_interval]
    if len(intervals) < 3:
        return None
    games = median_low(row.games for row in rows if row.rank_interval)
    places = median_low(worst - best for best, worst in intervals)
    return RankTrust(games, ceil(places / 2), max(row.group or 0 for row in rows))


OWN_MS = 4000


@dataclass(frozen=True, slots=True)
class Stand:
    """A ladder of an assignment, and a user's standing in it. `entry` is the user's latest entry, or None; `others` are
    the user's other entries, on ladders that allow several per student."""

    tournament: Tournament
    entry: Standing | None
    ranked: int
    every_ms: int  # how often the page asks for changes
    others: Sequence[Standing] = ()
    first_game_s: float | None = None  # the usual time from the draw to the end; only before the first game


def stands_of(
    session: Session, assignment: Assignment, user_id: int, running: Sequence[Tournament] | None = None
) -> list[Stand]:
    """Return the user's standing in each ladder, the standard tournament first. `running`: the ladders, if they have
    been read already."""
    found = ladders(session, assignment.id) if running is None else running
    stands = []
    for tournament in found:
        board = board_of(session, tournament, user_id)
        own = board.all_of_author(user_id)
        entry = own[0] if own else None
        first = entry is not None and not entry.games  # a new entry's first games are played at once
        every_ms = OWN_MS if first else refresh_ms(board, OWN_MS)
        first_game_s = usual_wait_s(session, Block, tournament_id=tournament.id) if first else None
        stands.append(Stand(tournament, entry, board.ranked, every_ms, own[1:], first_game_s))
    return stands


def stand_summary(stand: Stand) -> Sequence[Any]:
    """Return everything in a stand that can change while the page is open, as plain data."""
    ladder = stand.tournament
    own = [each for each in (stand.entry, *stand.others) if each]
    rows = [(each.entry.id, each.entry.name, each.rank, each.games, each.wins, each.low, each.high) for each in own]
    states = [(each.state, each.faults, each.provisional) for each in own]
    return (ladder.title, ladder.state, ladder.target_games, stand.ranked, stand.first_game_s, rows, states)
