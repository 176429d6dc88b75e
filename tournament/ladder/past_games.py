"""The latest games of one entry as plain data, and statistics of them: how often it wins, in which seat and against
whom, and why it loses. Also finds, for instructors, the players whose games were cut off most often, and manages the
public addresses of replays.

Workers die by chance, so everybody's games are cut off about equally often. If one player's games are cut off far more
often than others', its file may be the cause.
"""

import json
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from math import sqrt
from operator import itemgetter
from typing import NamedTuple, cast

import numpy as np
from sqlalchemy import Integer, Table, Text, bindparam, select
from sqlalchemy import cast as sql_cast
from sqlalchemy.orm import Session

from tournament.ranking.plackett_luce import POINTS_PER_DECADE as DECADE
from tournament.ranking.ranks import BlockSums, Numbers, share_intervals
from tournament.store.database import columns, insert_or_find
from tournament.store.tables import Block, Entry, PlayedGame, Seat, SharedGame, Tournament, VoidAttempt

LATEST = 1000
"""The number of an entry's latest games that are read: a house bot has far too many to read all of them."""


class PastGame(NamedTuple):
    """A game as one entry saw it, see `tournament.store.tables.Seat`. `table`: the ids of all entries in it, including
    this one; `order`: how they finished, a digit each, see `tournament.ranking.plackett_luce.finish_of`."""

    id: int
    block_id: int
    seat: int
    place: int
    counts: bool
    verdict: str | None
    rule: str
    call_ms: float | None
    slowest_ms: float | None
    table: Sequence[int]
    order: str

    @property
    def won(self) -> bool:
        """Whether the game counts as a win."""
        return self.counts and self.verdict is None and self.place == 1

    @property
    def lost(self) -> bool:
        """Whether the game counts and was not won, with or without a fault."""
        return self.counts and not self.won

    @property
    def close(self) -> bool:
        """Whether the entry lost, but was alone in second place and ahead of somebody."""
        second = self.lost and self.verdict is None and self.place == 2
        return second and self.order.count("2") == 1 and max(self.order) > "2"

    @property
    def cause(self) -> str:
        """Why the game was lost; empty for other games."""
        if not self.lost:
            return ""
        if self.verdict is not None:
            return f"{self.verdict} {self.rule}".strip()
        return f"place {self.place}" if "1" in self.order else "nobody won"


# Uses tables, not mapped classes: loading a thousand rows through the mapper takes 50% longer
_SEAT, _BLOCK, _ENTRY = (cast("Table", kind.__table__).c for kind in (Seat, Block, Entry))
_OWN = (
    select(
        *(_SEAT[name] for name in ("game_id", *PastGame._fields[1:-2])), sql_cast(_BLOCK.entries, Text), _BLOCK.finish
    )
    .join(cast("Table", Block.__table__), _BLOCK.id == _SEAT.block_id)
    .where(_SEAT.entry_id == bindparam("entry"))
    .order_by(_SEAT.game_id.desc())
    .limit(bindparam("games", type_=Integer))
)
_NAMED = select(_ENTRY.id, _ENTRY.name, _ENTRY.rating).where(_ENTRY.id.in_(bindparam("ids", expanding=True)))


def past_games(session: Session, entry_id: int, games: int = LATEST) -> Sequence[PastGame]:
    """Return the entry's latest games, the oldest of them first."""
    own = columns(session, _OWN, {"entry": entry_id, "games": games})
    blocks = [[*rows] for _, rows in groupby(own, itemgetter(1))]
    # Reading them one by one takes ten times as long
    tables = json.loads(f"[{','.join(block[0][-2] for block in blocks)}]")
    found: list[PastGame] = []
    for block, table in zip(blocks, tables, strict=True):
        finish = block[0][-1]
        for end, row in zip(range(len(finish), 0, -len(table)), block, strict=False):  # a block's last game comes first
            found.append(PastGame._make((*row[:-2], table, finish[end - len(table) : end])))
    return found[::-1]


def win_sums(entries: Sequence[Entry]) -> BlockSums:
    """Return the sums over all games of each entry, for the intervals of their win rates."""
    sums = [sums_of(each) for each in entries]
    return BlockSums(*(np.array([each[column] for each in sums], float) for column in range(6)))


def sums_of(entry: Entry) -> tuple[int, ...]:
    """Return the sums over all games of one entry, in the order of the fields of `BlockSums`."""
    return entry.blocks, entry.games, entry.wins, entry.games_games, entry.wins_wins, entry.wins_games


@dataclass(frozen=True, slots=True)
class RatePoint:
    """The win rate after `games` games that count, with its 95% interval; `game_id` is the last of these games."""

    games: int
    rate: float
    low: float
    high: float
    game_id: int


POINTS = 60
"""The maximum number of points on a line."""


def win_rates(games: Sequence[PastGame], total: BlockSums) -> Sequence[RatePoint]:
    """Return the win rate after each block, as the leaderboard showed it then; if there are too many blocks, only for
    every second, third or later one, so that there are at most POINTS. `total`: the sums over all the entry's games,
    including those before `games`, as arrays of one number."""
    blocks = [list(block) for _, block in groupby((each for each in games if each.counts), lambda each: each.block_id)]
    if not blocks:
        return []
    played = np.array([len(block) for block in blocks], float)
    won = np.array([sum(each.won for each in block) for block in blocks], float)

    def so_far(added: Numbers, sum_of_all: Numbers) -> Numbers:
        return np.asarray(np.cumsum(added) + max(0.0, float(sum_of_all[0] - added.sum())))

    sums = BlockSums(
        blocks=so_far(np.ones(len(blocks)), total.blocks),
        games=so_far(played, total.games),
        what=so_far(won, total.what),
        games_games=so_far(played * played, total.games_games),
        what_what=so_far(won * won, total.what_what),
        what_games=so_far(won * played, total.what_games),
    )
    low, high, ratio = *share_intervals(sums), sums.ratio
    every = -(-len(blocks) // POINTS)
    return [
        RatePoint(round(sums.games[n]), float(ratio[n]), float(low[n]), float(high[n]), blocks[n][-1].id)
        for n in range((len(blocks) - 1) % every, len(blocks), every)  # up to the last one
    ]


@dataclass(frozen=True, slots=True)
class SeatRate:
    """The win rate in one seat with its 95% interval. A block has one game in each seat, so the games are
    independent."""

    seat: int
    games: int
    wins: int
    low: float
    high: float


def seat_rates(games: Iterable[PastGame]) -> Sequence[SeatRate]:
    """Return the win rate in each seat that was played."""
    counted = [each for each in games if each.counts]
    played, won = (Counter(each.seat for each in some) for some in (counted, [each for each in counted if each.won]))
    seats = sorted(played)
    count, wins = (np.array([of[seat] for seat in seats], float) for of in (played, won))
    low, high = share_intervals(BlockSums(np.zeros(len(seats)), count, wins, count, wins, wins))
    ends = zip(seats, low.tolist(), high.tolist(), strict=True)
    return [SeatRate(seat, played[seat], won[seat], below, above) for seat, below, above in ends]


@dataclass(frozen=True, slots=True)
class Against:
    """How an entry did against an opponent: in how many `games` one of the two finished ahead of the other, in how many
    of them this was the entry (`ahead`), and in how many their ratings predict this (`expected`)."""

    entry_id: int
    games: int
    ahead: int
    expected: float

    @property
    def surprise(self) -> float:
        """The number of standard deviations by which the entry did better than expected."""
        share = self.expected / self.games
        return (self.ahead - self.expected) / sqrt(self.games * share * (1 - share))


def against(games: Iterable[PastGame], own_id: int, ratings: Mapping[int, float]) -> Sequence[Against]:
    """Return how the entry did against each opponent that has a rating, the worst surprise first; empty if the entry
    itself has no rating. Games that decided nothing between the two are left out. Of two players of the Plackett–Luce
    model with strengths s and t, the first finishes ahead of the other in s / (s + t) of their games."""
    if own_id not in ratings:
        return []
    decided = Counter(
        (entry, own < digit)
        for game in games
        for own in (game.order[game.table.index(own_id)],)
        for entry, digit in zip(game.table, game.order, strict=True)
        if digit != own
    )
    found = []
    for entry in {entry for entry, _ in decided} & ratings.keys():
        ahead, behind = decided[entry, True], decided[entry, False]
        share = 1 / (1 + 10 ** ((ratings[entry] - ratings[own_id]) / DECADE))
        found.append(Against(entry, ahead + behind, ahead, (ahead + behind) * share))
    return sorted(found, key=lambda each: (each.surprise, each.entry_id))


def causes(games: Iterable[PastGame]) -> Sequence[tuple[str, int]]:
    """Return the causes of the lost games, each with its number of games, the most frequent first."""
    found = Counter(each.cause for each in games if each.lost)
    return sorted(found.items(), key=lambda each: (-each[1], each[0]))


SLOWEST_MS = (0.0, 1.0, 10.0, 100.0, 1000.0)
"""Games are classified by the time of their slowest call; each class begins at one of these times."""


def slowest_class(game: PastGame) -> int | None:
    """Return the index in SLOWEST_MS of a game's class; None if the times of its calls are not known."""
    return None if game.slowest_ms is None else sum(game.slowest_ms >= each for each in SLOWEST_MS[1:])


def slowest_calls(games: Iterable[PastGame]) -> Sequence[int]:
    """Return the number of games in each class of SLOWEST_MS."""
    found = Counter(map(slowest_class, games))
    return [found[number] for number in range(len(SLOWEST_MS))]


def opponents_of(session: Session, entry_ids: Iterable[int]) -> Mapping[int, tuple[str, float | None]]:
    """Return the names and ratings of entries, by id."""
    return {id_: (name, rating) for id_, name, rating in columns(session, _NAMED, {"ids": set(entry_ids)})}


# Games that were cut off


COUNTED = 1000
"""The number of latest cut-off attempts that are counted."""

SHOWN = 10


@dataclass(frozen=True, slots=True)
class CutOff:
    """An entry, and how many attempts at its blocks were cut off; `reason` and `at` are those of the latest."""

    entry: Entry
    attempts: int
    reason: str
    at: datetime


def cut_off(session: Session, assignment_id: int) -> Sequence[CutOff]:
    """Return the entries of an assignment's tournaments whose games were cut off most often, without house bots."""
    own = select(Tournament.id).where(Tournament.assignment_id == assignment_id)
    of = select(Block.tournament_id).where(Block.id == VoidAttempt.block_id).correlate(VoidAttempt).scalar_subquery()
    wanted = select(VoidAttempt.reason, VoidAttempt.at, Block.entries).join(Block, VoidAttempt.block_id == Block.id)
    wanted = wanted.where(of.in_(own))  # with a join, SQLite would first read all blocks of the tournaments
    rows = session.execute(wanted.order_by(VoidAttempt.at.desc(), VoidAttempt.block_id).limit(COUNTED)).all()
    attempts = Counter(entry for row in rows for entry in row.entries)
    latest = {entry: row for row in reversed(rows) for entry in row.entries}
    students = select(Entry).where(Entry.id.in_(attempts), Entry.author_id.is_not(None))
    found = [
        CutOff(each, attempts[each.id], latest[each.id].reason, latest[each.id].at)
        for each in session.scalars(students)
    ]
    return sorted(found, key=lambda each: (-each.attempts, each.entry.id))[:SHOWN]


# Public replays: anyone with the address can see a replay, until the person who shared it stops sharing it


def share_game(session: Session, game: PlayedGame, by: int) -> str:
    """Make a game's replay public and return the token in its address. A game that is already shared keeps its
    address."""

    def find() -> SharedGame | None:
        return session.get(SharedGame, game.id)

    fresh = SharedGame(game_id=game.id, token=secrets.token_urlsafe(18), shared_by=by)
    return (find() or insert_or_find(session, fresh, find)).token


def unshare_game(session: Session, game: PlayedGame) -> None:
    """Stop sharing a game's replay, for everybody who has its address."""
    if found := session.get(SharedGame, game.id):
        session.delete(found)


def shared_game(session: Session, token: str) -> PlayedGame | None:
    """Return the game that is public at this address."""
    return session.scalar(select(PlayedGame).join(SharedGame).where(SharedGame.token == token))
