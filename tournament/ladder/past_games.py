"""The latest games of one entry as plain data, and what they say: how often it wins, where it sits, against whom, and why
it loses. The second half are pure functions on the first."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import sqrt

import numpy as np
from sqlalchemy import Integer, bindparam, select
from sqlalchemy.orm import Session

from sandbox.api import Verdict
from tournament.ranking.intervals import BlockSums, Numbers, share_intervals
from tournament.ranking.plackett_luce import POINTS_PER_DECADE
from tournament.store.tables import Entry, PlayedGame, Seat

LATEST = 1000
"""The number of games that are looked at: a house bot's would not end."""


@dataclass(frozen=True, slots=True)
class Opponent:
    """Another seat of a game."""

    entry_id: int
    place: int
    at_fault: bool


@dataclass(frozen=True, slots=True)
class PastGame:
    """A game as one entry saw it, see `tournament.store.tables.Seat`."""

    id: int
    block_id: int
    ended: str
    seat: int
    place: int
    counts: bool
    verdict: str | None
    rule: str
    slowest_ms: float | None
    opponents: Sequence[Opponent]

    @property
    def won(self) -> bool:
        """Whether it counts as a win."""
        return self.counts and self.verdict is None and self.place == 1

    @property
    def lost(self) -> bool:
        """Whether it counts and was not won, by a fault or without one."""
        return self.counts and not self.won

    @property
    def close(self) -> bool:
        """Whether the entry lost as the only one in second place, ahead of somebody."""
        others = [each.place for each in self.opponents]
        return self.lost and self.verdict is None and self.place == 2 and 2 not in others and max(others) > 2

    @property
    def cause(self) -> str:
        """Why it was lost; empty for other games."""
        if not self.lost:
            return ""
        if self.verdict == Verdict.ILLEGAL:
            return f"rule: {self.rule}"
        if self.verdict is not None:
            return self.verdict
        winner = any(each.place == 1 for each in self.opponents)
        return f"place {self.place}" if winner else f"nobody won: {self.ended}"

    def ahead_of(self, opponent: Opponent) -> bool | None:
        """Whether the entry finished ahead of an opponent; None if neither did, or the game was no contest between
        them. It is what the ratings are fitted to: `tournament.ranking.plackett_luce.finish_of`."""
        if self.verdict is not None or any(each.at_fault for each in self.opponents):
            own, other = self.verdict is not None, opponent.at_fault
            return None if own == other else other
        return None if not self.counts or self.place == opponent.place else self.place < opponent.place


_OWN = (
    select(
        Seat.game_id,
        PlayedGame.block_id,
        PlayedGame.ended,
        Seat.seat,
        Seat.place,
        Seat.counts,
        Seat.verdict,
        Seat.rule,
        Seat.slowest_ms,
    )
    .join(Seat.game)
    .where(Seat.entry_id == bindparam("entry"))
    .order_by(Seat.game_id.desc())
    .limit(bindparam("games", type_=Integer))
)
_LATEST = (
    select(Seat.game_id)
    .where(Seat.entry_id == bindparam("entry"))
    .order_by(Seat.game_id.desc())
    .limit(bindparam("games", type_=Integer))
    .subquery()
)
_OTHERS = (
    select(Seat.game_id, Seat.entry_id, Seat.place, Seat.verdict)
    .where(Seat.game_id.in_(select(_LATEST.c.game_id)), Seat.entry_id != bindparam("entry"))
    .order_by(Seat.game_id, Seat.seat)
)


def past_games(session: Session, entry_id: int, games: int = LATEST) -> Sequence[PastGame]:
    """The entry's latest games, the oldest of them first."""
    which = {"entry": entry_id, "games": games}
    others: dict[int, list[Opponent]] = defaultdict(list)
    for game, entry, place, verdict in session.execute(_OTHERS, which):
        others[game].append(Opponent(entry, place, verdict is not None))
    own = session.execute(_OWN, which).all()
    return [PastGame(*row, others[row[0]]) for row in reversed(own)]


@dataclass(frozen=True, slots=True)
class RatePoint:
    """The win rate after `games` games that count, with its 95% interval; `game_id`: the last of them."""

    games: int
    rate: float
    low: float
    high: float
    game_id: int


def win_rates(games: Sequence[PastGame], total: BlockSums) -> Sequence[RatePoint]:
    """The win rate after each block of the games, as the leaderboard showed it then. `total`: the entry's sums over all
    its games, as arrays of one number; the earlier ones of them are not in `games`."""
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
    low, high = share_intervals(sums)
    columns = zip(sums.games.tolist(), sums.ratio.tolist(), low.tolist(), high.tolist(), blocks, strict=True)
    return [RatePoint(round(count), rate, below, above, block[-1].id) for count, rate, below, above, block in columns]


@dataclass(frozen=True, slots=True)
class SeatRate:
    """The win rate in one seat with its 95% interval; a block has one game there, so they are independent."""

    seat: int
    games: int
    wins: int
    low: float
    high: float


def seat_rates(games: Iterable[PastGame]) -> Sequence[SeatRate]:
    """The win rate in each seat that was played."""
    counted = [each for each in games if each.counts]
    played, won = (Counter(each.seat for each in some) for some in (counted, [each for each in counted if each.won]))
    seats = sorted(played)
    count, wins = (np.array([of[seat] for seat in seats], float) for of in (played, won))
    low, high = share_intervals(BlockSums(np.zeros(len(seats)), count, wins, count, wins, wins))
    ends = zip(seats, low.tolist(), high.tolist(), strict=True)
    return [SeatRate(seat, played[seat], won[seat], below, above) for seat, below, above in ends]


@dataclass(frozen=True, slots=True)
class Against:
    """How an entry did against another one: the games in which one of the two finished ahead, in how many it did, and
    in how many their ratings let one expect it."""

    entry_id: int
    games: int
    ahead: int
    expected: float

    @property
    def surprise(self) -> float:
        """By how many standard deviations it did better than expected."""
        share = self.expected / self.games
        return (self.ahead - self.expected) / sqrt(self.games * share * (1 - share))


def against(games: Iterable[PastGame], own: float, ratings: Mapping[int, float]) -> Sequence[Against]:
    """What is said of each opponent that has a rating, the worst surprise first. Of two players of the Plackett–Luce
    model with strengths s and t, the first finishes ahead of the other in s / (s + t) of the decided games."""
    decided = [(each.entry_id, ahead) for game in games for each in game.opponents if (ahead := game.ahead_of(each)) is not None]
    met, ahead = Counter(entry for entry, _ in decided), Counter(entry for entry, first in decided if first)
    found = [
        Against(entry, number, ahead[entry], number / (1 + 10 ** ((ratings[entry] - own) / POINTS_PER_DECADE)))
        for entry, number in met.items()
        if entry in ratings
    ]
    return sorted(found, key=lambda each: (each.surprise, each.entry_id))


def causes(games: Iterable[PastGame]) -> Sequence[tuple[str, int]]:
    """The causes of the lost games and how many each has, the most frequent first."""
    found = Counter(each.cause for each in games if each.lost)
    return sorted(found.items(), key=lambda each: (-each[1], each[0]))


SLOWEST_MS = (0.0, 1.0, 10.0, 100.0, 1000.0)
"""Where the classes of the slowest call of a game begin."""


def slowest_class(game: PastGame) -> int | None:
    """The number of a game's class in SLOWEST_MS; None if its times are not known."""
    return None if game.slowest_ms is None else sum(game.slowest_ms >= each for each in SLOWEST_MS[1:])


def slowest_calls(games: Iterable[PastGame]) -> Sequence[int]:
    """The number of games in each of these classes."""
    found = Counter(map(slowest_class, games))
    return [found[number] for number in range(len(SLOWEST_MS))]


def opponents_of(session: Session, entry_ids: Iterable[int]) -> Mapping[int, tuple[str, float | None]]:
    """The names and ratings of entries, by id."""
    wanted = select(Entry.id, Entry.name, Entry.rating).where(Entry.id.in_(set(entry_ids)))
    return {id_: (name, rating) for id_, name, rating in session.execute(wanted)}
