"""A tournament's leaderboard, worked out once for everybody who looks at it at the same time.

While games are played the standings change many times a second, and a class may watch. A board is therefore kept for
FRESH_S seconds, but never longer than until somebody enters or leaves: people see their own doings at once.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import median_low
from time import monotonic
from typing import Any

from flask import current_app
from markupsafe import Markup
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from tournament.ladder import Standing, standings
from tournament.models import Entry, Ranking, Tournament
from web.models import User

FRESH_S = 2.0


@dataclass(frozen=True, slots=True)
class Trust:
    """How far the ranks can be trusted so far: with `games` games a rank is about ± `places`, and so many `groups` of
    players can be told apart."""

    games: int
    places: int
    groups: int


class Board:
    """The standings of a moment. Its entries belong to no database session any more."""

    def __init__(self, rows: Sequence[Standing], ranking: Ranking = Ranking.WIN_RATE) -> None:
        self.rows, self.ranking = rows, ranking
        self.ranked = sum(row.rank is not None for row in rows)
        self.trust = trust(rows)
        self._by_entry = {row.entry.id: row for row in rows}
        self._by_author = {row.entry.author_id: row for row in rows if not row.house}
        self._lines: list[Markup] | None = None
        self._leads = _leads(rows)

    def of_entry(self, entry_id: int) -> Standing | None:
        """The entry's row; None if it is not on the board (any more)."""
        return self._by_entry.get(entry_id)

    def of_author(self, user_id: int) -> Standing | None:
        """The row of the user's present entry."""
        return self._by_author.get(user_id)

    def lines(self, user_id: int, people: Mapping[int, User]) -> Iterator[Markup]:
        """The rows as HTML: the user's own marked, and with real names where `people` has them. All others are written
        once for everybody."""
        write = current_app.jinja_env.get_template("_parts/board_row.html").module.line  # type: ignore[attr-defined]
        if self._lines is None:
            self._lines = [
                write(row, row.entry, False, None, leads, self.ranking)
                for row, leads in zip(self.rows, self._leads, strict=True)
            ]
        own = self.of_author(user_id)
        for row, line, leads in zip(self.rows, self._lines, self._leads, strict=True):
            person = people.get(row.entry.author_id or 0)
            yield write(row, row.entry, row is own, person, leads, self.ranking) if person or row is own else line


def _leads(rows: Sequence[Standing]) -> list[bool]:
    """Whether each row is the first of a group that has others before it."""
    former = accumulate((row.group or 0 for row in rows), max, initial=1)
    return [(row.group or 0) > before for row, before in zip(rows, former, strict=False)]


@dataclass(frozen=True, slots=True)
class _Kept:
    members: Any
    until: float
    board: Board


def board_of(session: Session, tournament: Tournament | None) -> Board:
    """The tournament's board; an empty one if there is no tournament."""
    if tournament is None:
        return Board(())
    boards: dict[int, _Kept] = current_app.extensions.setdefault("quadrille-boards", {})
    members, kept = _members(session, tournament.id), boards.get(tournament.id)
    if kept is None or kept.members != members or kept.until < monotonic():
        board = Board(standings(session, tournament), tournament.ranking)
        kept = boards[tournament.id] = _Kept(members, monotonic() + FRESH_S, board)
    return kept.board


def _members(session: Session, tournament_id: int) -> Any:
    """What changes when somebody enters, leaves or is put out, or has a first game."""
    played = func.count(Entry.id).filter(Entry.games > 0)
    wanted = select(func.max(Entry.id), func.max(Entry.left_at), func.count(Entry.left_at), played)
    return session.execute(wanted.where(Entry.tournament_id == tournament_id)).one()


def trust(rows: Sequence[Standing]) -> Trust | None:
    """The median number of games, half the median width of the intervals of the ranks, and the number of groups. None
    while there are too few ranked entries to say anything."""
    intervals = [row.rank_interval for row in rows if row.rank_interval]
    if len(intervals) < 3:
        return None
    games = median_low(row.games for row in rows if row.rank_interval)
    places = median_low(worst - best for best, worst in intervals)
    return Trust(games, round(places / 2), max(row.group or 0 for row in rows))
