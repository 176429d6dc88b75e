"""Calculates the lines of a leaderboard from the sums that each entry keeps, with 95% intervals for their figures.
Plain functions on plain data.

The four games of a block have the same players at the table, so they are not four independent observations: an entry
with strong opponents meets them four times. So the block is the unit of analysis. (In blocks from earlier versions, the
games also had the same deal; the same formulas hold.) A figure is a ratio: something summed over blocks, divided by
games summed over blocks. Its variance is the usual one of a ratio of cluster totals (Cochran, Sampling Techniques, 3rd
ed., section 9A.1), which needs only sums of products over the blocks. So an interval costs the same after a million
games.

With few blocks, a variance is itself uncertain. So each variance is drawn towards a prior estimate that weighs as much
as PRIOR_BLOCKS, and Student's t gets as many more degrees of freedom.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import inf
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
import scipy  # `scipy.special` is loaded when first used, in most processes never
from numpy.typing import NDArray

from tournament.store.tables import Ranking

CONFIDENCE = 0.95
PRIOR_BLOCKS = 4
TAIL = (1 - CONFIDENCE) / 2
NORMAL = NormalDist().inv_cdf(1 - TAIL)

Numbers: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class BlockSums:
    """The sums of each entry over its blocks: the number of blocks; the sums of the measured quantity (`what`) and of
    `games`; and the sums of the products of these two in a block."""

    blocks: Numbers
    games: Numbers
    what: Numbers
    games_games: Numbers
    what_what: Numbers
    what_games: Numbers

    @property
    def ratio(self) -> Numbers:
        """The measured quantity per game; 0 before the first game."""
        return self.what / np.maximum(self.games, 1)

    @property
    def variance(self) -> Numbers:
        """The variance of the ratio; NaN with fewer than two blocks."""
        ratio = self.ratio
        spread = self.what_what - 2 * ratio * self.what_games + ratio**2 * self.games_games
        with np.errstate(divide="ignore", invalid="ignore"):
            unbiased = self.blocks / np.where(self.blocks > 1, self.blocks - 1, np.nan)
            return np.asarray(np.maximum(spread, 0) * unbiased / self.games**2, float)


def share_intervals(sums: BlockSums) -> tuple[Numbers, Numbers]:
    """Return the interval of a share of games, such as the win rate: Jeffreys' interval, quantiles of Beta(wins + ½,
    losses + ½), with the number of independent games to which the blocks are equivalent (Korn and Graubard, Survey
    Methodology 24, 1998). If all games were won, or all lost, the interval ends at 1 or at 0, and each game counts as
    one."""
    share, degrees = sums.ratio, _degrees(sums)
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = sums.variance / (share * (1 - share) / sums.games)
    effect = np.where(np.isfinite(effect), effect, 1.0)  # games count as independent until the blocks show otherwise
    effect = _towards(effect, 1.0, sums.blocks)
    games = sums.games / effect * (NORMAL / _quantile(degrees)) ** 2
    won, lost = share * games, (1 - share) * games
    low = np.where(sums.what <= 0, 0.0, scipy.special.betaincinv(won + 0.5, lost + 0.5, TAIL))
    high = np.where(sums.what >= sums.games, 1.0, scipy.special.betaincinv(won + 0.5, lost + 0.5, 1 - TAIL))
    return np.minimum(low, share), np.maximum(high, np.where(sums.games > 0, share, 1.0))


def interval_of_share(what: int, games: int) -> tuple[float, float]:
    """Return the interval of a share of independent games, such as games that each have their own deal."""
    none = np.zeros(1)
    sums = BlockSums(none, np.array([float(games)]), np.array([float(what)]), none, none, none)
    low, high = share_intervals(sums) if games else (none, none + 1)
    return float(low[0]), float(high[0])


def mean_intervals(sums: BlockSums) -> tuple[Numbers, Numbers]:
    """Return the interval of a mean, such as place or points: Student's t, with a variance per block that is drawn
    towards the typical variance of the board. Infinite if neither variance is known."""
    per_block = sums.variance * sums.blocks
    known = per_block[np.isfinite(per_block)]
    typical = float(np.average(known, weights=sums.blocks[np.isfinite(per_block)])) if len(known) else np.inf
    per_block = np.where(np.isfinite(per_block), per_block, typical)
    moderate = _towards(per_block, typical, sums.blocks) if np.isfinite(typical) else per_block
    deviation = np.where(sums.blocks > 0, np.sqrt(moderate / np.maximum(sums.blocks, 1)), np.inf)
    half = _quantile(_degrees(sums)) * deviation
    return sums.ratio - half, sums.ratio + half


def _towards(estimate: Numbers, prior: float, blocks: Numbers) -> Numbers:
    known = np.maximum(blocks - 1, 0)
    return np.asarray((known * estimate + PRIOR_BLOCKS * prior) / (known + PRIOR_BLOCKS))


def _degrees(sums: BlockSums) -> Numbers:
    """Return the degrees of freedom. Without any blocks they are infinite: then only the number of games is known, and
    games count as independent."""
    return np.where(sums.blocks > 0, sums.blocks - 1 + PRIOR_BLOCKS, np.inf)


def _quantile(degrees: Numbers) -> Numbers:
    return np.asarray(scipy.special.stdtrit(np.minimum(degrees, 1e9), 1 - TAIL), float)


PROVISIONAL_GAMES = 100
"""With fewer games than this, a rank has little meaning yet."""

MEASURED: Mapping[Ranking, str] = {Ranking.WIN_RATE: "wins", Ranking.PLACE: "places", Ranking.POINTS: "points"}
"""The sum that each ranking uses. Smaller places are better."""


@dataclass(frozen=True, slots=True)
class Tally:
    """An entry's results in the games that count, which come from this many `blocks`. `places` and `points` are sums.
    `ranked`: whether the entry gets a rank. `products` has the sums, over blocks, of products of two of a block's
    sums, such as `wins_games`."""

    games: int
    wins: int
    places: int = 0
    points: float = 0.0
    ranked: bool = True
    blocks: int = 0
    products: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RankPosition:
    """The position of a ranked entry. `rank` is shared by equal entries; `interval` is the best and the worst rank that
    the entry may really have (95%). `tied` is the best and the worst rank among the entries that the games cannot
    tell apart from this one yet, itself included. `group` is the number, from 1, of the entry's group: the entries
    that cannot be told apart from the best entry in the group."""

    rank: int
    interval: tuple[int, int]
    tied: tuple[int, int]
    group: int


@dataclass(frozen=True, slots=True)
class Rating:
    """An entry's line. `low` to `high` is the 95% interval of the win rate (0 to 1). `value` is the figure by which the
    tournament ranks, and `value_low` to `value_high` its 95% interval (infinite where nothing is known yet). Before
    the first game the `value` is 0. `position` is None before the first game, and for entries that are not ranked.
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
    """Return the ratings of a whole board, in the order given."""
    shares, figures = _sums(tallies, Ranking.WIN_RATE), _sums(tallies, ranking)
    low, high = share_intervals(shares)
    value_low, value_high = (low, high) if ranking == Ranking.WIN_RATE else mean_intervals(figures)
    rows = [row for row, each in enumerate(tallies) if each.ranked and each.games]
    values, ends = figures.ratio[rows], (value_low[rows], value_high[rows])
    if ranking == Ranking.PLACE:
        values, ends = -values, (-ends[1], -ends[0])
    ranks, alike = shared_ranks(values), not_told_apart(values, *ends)
    places = (ranks, *rank_intervals(values, *ends), *tied_ranks(ranks, alike))
    lines = zip(rows, *(column.tolist() for column in places), groups(ranks, alike), strict=True)
    positions = {
        row: RankPosition(rank, (best, worst), (first, last), group)
        for row, rank, best, worst, first, last, group in lines
    }
    columns = (shares.ratio, low, high, figures.ratio, value_low, value_high)
    return [
        Rating(each.games < PROVISIONAL_GAMES, positions.get(row), *map(float, line))
        for row, (each, *line) in enumerate(zip(tallies, *columns, strict=True))
    ]


def worth(tally: Tally, ranking: Ranking) -> float:
    """Return the value by which an entry is ranked, where more is better; minus infinity before its first game."""
    sums = {Ranking.WIN_RATE: tally.wins, Ranking.PLACE: -tally.places, Ranking.POINTS: tally.points}
    return sums[ranking] / tally.games if tally.games else -inf


def _sums(tallies: Sequence[Tally], ranking: Ranking) -> BlockSums:
    """Return the columns that the intervals need."""
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


# Ranks, derived from the figures of the ranked entries and their 95% intervals; higher figures are better


DRAWS = 400
"""The number of simulated boards for the intervals of the ranks: the ends of the intervals are accurate to about 1% of
the places."""

STRIPE = 32
"""The number of entries that are compared with all others at a time, since the differences of a whole board do not fit
into the processor's cache. This saves 60 of the 290 ms that a board of 1,000 entries takes."""

Ranks = NDArray[np.int64]


def shared_ranks(values: Numbers) -> Ranks:
    """Return the rank of each value: 1 for the greatest, and equals share the best rank. This replaces
    `scipy.stats.rankdata`, as loading that would cost each process of the site 46 MB and half a second or more."""
    ordered = np.sort(values)
    return np.asarray(1 + len(values) - np.searchsorted(ordered, values, side="right"), np.int64)


def rank_intervals(values: Numbers, low: Numbers, high: Numbers) -> tuple[Ranks, Ranks]:
    """Return the best and the worst rank that each entry may really have, with 95% confidence. Random boards are
    simulated, always with the same seed, and the ranks on them are counted; each figure is drawn from a distribution
    with the figure's interval."""
    vast = 10 * (np.ptp(values) + 1) if len(values) else 1.0  # much wider than the whole board, if nothing is known
    below, above = ((np.minimum(each, vast) / NORMAL).astype(np.float32) for each in (values - low, high - values))
    normal = _draws(len(values))
    drawn = values.astype(np.float32) + normal * np.where(normal < 0, below, above)
    ranks = np.empty(drawn.shape, np.int16 if len(values) < 2**15 else np.int32)
    np.put_along_axis(ranks, np.argsort(-drawn, axis=1), np.arange(1, len(values) + 1, dtype=ranks.dtype)[None], axis=1)
    tail = int(DRAWS * TAIL)
    # A radix sort, which is fastest
    ends = np.sort(ranks, axis=0, kind="stable")[[tail, DRAWS - 1 - tail]].astype(np.int64)
    own = shared_ranks(values)
    return np.minimum(ends[0], own), np.maximum(ends[1], own)


@lru_cache(maxsize=2)
def _draws(entries: int) -> NDArray[np.float32]:
    """Return standard normal random numbers, cached for the next board with the same number of entries, which saves 50
    of 290 ms with 1,000 entries."""
    return np.random.default_rng(0).standard_normal((DRAWS, entries), np.float32)


def not_told_apart(values: Numbers, low: Numbers, high: Numbers) -> NDArray[np.bool_]:
    """Return, for each pair of entries, whether the 95% interval of their difference contains 0. It is calculated from
    the entries' own intervals (Zou and Donner, Statistics in Medicine 27, 2008). Rows and columns are in the given
    order."""
    below, above = ((values - low) ** 2).astype(np.float32), ((high - values) ** 2).astype(np.float32)
    not_better = np.empty((len(values), len(values)), np.bool_)
    for start in range(0, len(values), STRIPE):
        rows = slice(start, start + STRIPE)
        ahead = np.subtract.outer(values[rows], values).astype(np.float32)
        not_better[rows] = ahead * np.abs(ahead) <= np.add.outer(below[rows], above)
    alike: NDArray[np.bool_] = not_better & not_better.T
    return alike


def tied_ranks(ranks: Ranks, alike: NDArray[np.bool_]) -> tuple[Ranks, Ranks]:
    """Return, for each entry, the best and the worst rank among those that cannot be told apart from it, itself
    included."""
    if not len(ranks):
        return ranks, ranks
    order = np.argsort(ranks)
    by_rank, ordered = ranks[order], alike[:, order]
    return by_rank[ordered.argmax(axis=1)], by_rank[len(ranks) - 1 - ordered[:, ::-1].argmax(axis=1)]


def groups(ranks: Ranks, alike: NDArray[np.bool_]) -> Sequence[int]:
    """Return the group of each entry, 1 for the best. A group is a leader and the entries behind it, up to the first
    entry that can be told apart from the leader; this entry leads the next group."""
    found = np.zeros(len(ranks), int)
    leader, number = -1, 0
    for index in np.argsort(ranks, kind="stable"):
        if leader < 0 or not alike[leader, index]:
            leader, number = index, number + 1
        found[index] = number
    numbers: list[int] = found.tolist()
    return numbers
