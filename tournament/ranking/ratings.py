"""The lines of a leaderboard, from the sums that each entry keeps: plain functions on plain data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import inf

import numpy as np
from numpy.typing import NDArray

from tournament.ranking.intervals import NORMAL, BlockSums, Numbers, mean_intervals, share_intervals
from tournament.store.tables import Ranking

PROVISIONAL_GAMES = 100
"""With fewer games, a rank means little yet."""

MEASURED: Mapping[Ranking, str] = {Ranking.WIN_RATE: "wins", Ranking.PLACE: "places", Ranking.POINTS: "points"}
"""What each ranking sums up; a smaller place is the better one."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What an entry has done in the games that count. `places` and `points` are sums. Not everybody is `ranked`.

    `blocks` is how many blocks these games come from, and `products` has the sums, over blocks, of the products of two
    of a block's sums: `{"wins_wins": …, "wins_games": …, …}`.
    """

    games: int
    wins: int
    places: int = 0
    points: float = 0.0
    ranked: bool = True
    blocks: int = 0
    products: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RankPosition:
    """Where a ranked entry stands. `rank` is shared by equals; `interval` are the best and the worst rank that it may
    have in truth (95%). `tied` are the best and the worst rank among those whom the games cannot tell from this entry
    yet, itself included. `group` counts, from 1, the groups of those who cannot be told from the group's best."""

    rank: int
    interval: tuple[int, int]
    tied: tuple[int, int]
    group: int


@dataclass(frozen=True, slots=True)
class Rating:
    """An entry's line. `low` to `high` is the 95% interval of the win rate (0 to 1), `value_low` to `value_high` that
    of what the tournament ranks by (infinite where nothing is known yet); the `value` is 0 before the first game.

    `position` is None for those not ranked and before the first game.
    """

    provisional: bool
    position: RankPosition | None
    win_rate: float
    low: float
    high: float
    value: float
    value_low: float
    value_high: float


def rate(tallies: Sequence[Tally], ranking: Ranking = Ranking.WIN_RATE) -> list[Rating]:
    """The ratings of a whole board, in the order given."""
    shares, figures = _sums(tallies, Ranking.WIN_RATE), _sums(tallies, ranking)
    low, high = share_intervals(shares)
    value_low, value_high = (low, high) if ranking == Ranking.WIN_RATE else mean_intervals(figures)
    rows = [row for row, each in enumerate(tallies) if each.ranked and each.games]
    values, ends = figures.ratio[rows], (value_low[rows], value_high[rows])
    if ranking == Ranking.PLACE:
        values, ends = -values, (-ends[1], -ends[0])
    positions = dict(zip(rows, _positions(values, *ends), strict=True))
    columns = (shares.ratio, low, high, figures.ratio, value_low, value_high)
    return [
        Rating(each.games < PROVISIONAL_GAMES, positions.get(row), *map(float, line))
        for row, (each, *line) in enumerate(zip(tallies, *columns, strict=True))
    ]


def _positions(values: Numbers, low: Numbers, high: Numbers) -> list[RankPosition]:
    """The positions of the ranked entries, by figures of which more is better."""
    ranks, alike = shared_ranks(values), not_told_apart(values, low, high)
    best, worst = rank_intervals(values, low, high)
    first, last = tied_ranks(ranks, alike)
    lines = zip(*(column.tolist() for column in (ranks, best, worst, first, last)), groups(ranks, alike), strict=True)
    return [RankPosition(rank, (least, most), (top, end), group) for rank, least, most, top, end, group in lines]


def worth(tally: Tally, ranking: Ranking) -> float:
    """The value that an entry is ranked by, more is better; less than any other before its first game."""
    sums = {Ranking.WIN_RATE: tally.wins, Ranking.PLACE: -tally.places, Ranking.POINTS: tally.points}
    return sums[ranking] / tally.games if tally.games else -inf


def _sums(tallies: Sequence[Tally], ranking: Ranking) -> BlockSums:
    """The columns that the intervals need."""
    what = MEASURED[ranking]

    def product(name: str) -> Numbers:
        return np.array([each.products.get(name, 0) for each in tallies], float)

    return BlockSums(
        blocks=np.array([each.blocks for each in tallies], float),
        games=np.array([each.games for each in tallies], float),
        what=np.array([getattr(each, what) for each in tallies], float),
        games_games=product("games_games"),
        what_what=product(f"{what}_{what}"),
        what_games=product(f"{what}_games"),
    )


# What may be said of ranks, by the figures of the ranked entries and their 95% intervals; more is better


DRAWS = 400
"""How many boards are drawn for the intervals of the ranks: their ends are good to a place in a hundred."""

STRIPE = 32
"""How many entries at once are compared with all others: the differences of a whole board fit into no cache. It saves
60 of the 290 ms that a board of 1,000 entries takes."""

Ranks = NDArray[np.int64]


def shared_ranks(values: Numbers) -> Ranks:
    """1 for the greatest; equals share the best rank. Loading `scipy.stats` for its `rankdata` would cost each process
    of the site 46 MB and half a second or more."""
    ordered = np.sort(values)
    return np.asarray(1 + len(values) - np.searchsorted(ordered, values, side="right"), np.int64)


def rank_intervals(values: Numbers, low: Numbers, high: Numbers) -> tuple[Ranks, Ranks]:
    """The best and the worst rank that each entry may have in truth, with 95% confidence.

    Boards are drawn, each figure from a distribution with its interval, and the ranks in them counted. The draws are
    the same ones every time.
    """
    below, above = (each.astype(np.float32) for each in _deviations(values, low, high))
    normal = _draws(len(values))
    drawn = values.astype(np.float32) + normal * np.where(normal < 0, below, above)
    ranks = np.empty(drawn.shape, np.int16 if len(values) < 2**15 else np.int32)
    np.put_along_axis(ranks, np.argsort(-drawn, axis=1), np.arange(1, len(values) + 1, dtype=ranks.dtype)[None], axis=1)
    tail = DRAWS * 25 // 1000
    ends = np.sort(ranks, axis=0, kind="stable")[[tail, DRAWS - 1 - tail]].astype(np.int64)  # by radix: the quickest
    own = shared_ranks(values)
    return np.minimum(ends[0], own), np.maximum(ends[1], own)


@lru_cache(maxsize=2)
def _draws(entries: int) -> NDArray[np.float32]:
    """Standard normal ones, kept for the next board of as many entries: that saves 50 of 290 ms with 1,000 of them."""
    return np.random.default_rng(0).standard_normal((DRAWS, entries), np.float32)


def _deviations(values: Numbers, low: Numbers, high: Numbers) -> tuple[Numbers, Numbers]:
    """The standard deviations to either side; where nothing is known, far more than the whole board."""
    vast = 10 * (np.ptp(values) + 1) if len(values) else 1.0
    return np.minimum(values - low, vast) / NORMAL, np.minimum(high - values, vast) / NORMAL


def not_told_apart(values: Numbers, low: Numbers, high: Numbers) -> NDArray[np.bool_]:
    """For each two entries, whether the 95% interval of their difference contains 0. It is computed from their own
    intervals (Zou and Donner, Statistics in Medicine 27, 2008). Rows and columns are in the given order."""
    below, above = ((values - low) ** 2).astype(np.float32), ((high - values) ** 2).astype(np.float32)
    not_better = np.empty((len(values), len(values)), np.bool_)
    for start in range(0, len(values), STRIPE):
        rows = slice(start, start + STRIPE)
        ahead = np.subtract.outer(values[rows], values).astype(np.float32)
        not_better[rows] = ahead * np.abs(ahead) <= np.add.outer(below[rows], above)
    alike: NDArray[np.bool_] = not_better & not_better.T
    return alike


def tied_ranks(ranks: Ranks, alike: NDArray[np.bool_]) -> tuple[Ranks, Ranks]:
    """The best and the worst rank among those that cannot be told apart from an entry, itself included."""
    if not len(ranks):
        return ranks, ranks
    order = np.argsort(ranks)
    by_rank, ordered = ranks[order], alike[:, order]
    return by_rank[ordered.argmax(axis=1)], by_rank[len(ranks) - 1 - ordered[:, ::-1].argmax(axis=1)]


def groups(ranks: Ranks, alike: NDArray[np.bool_]) -> Sequence[int]:
    """The group of each entry, 1 for the best: a group is its leader and those behind that cannot be told apart from
    the leader, down to the first that can."""
    found = np.zeros(len(ranks), int)
    leader, number = -1, 0
    for index in np.argsort(ranks, kind="stable"):
        if leader < 0 or not alike[leader, index]:
            leader, number = index, number + 1
        found[index] = number
    numbers: list[int] = found.tolist()
    return numbers
