"""How sure the leaderboard's figures are: 95% intervals from the sums that each entry keeps.

The four games of a block have the same players at the table, so they are not four independent observations: an
entry with strong opponents has them four times. The block is the unit. (In former blocks the games had the same deal,
too; the same figures hold for them.) A figure is a ratio, something summed over blocks divided by games summed over
blocks, and its variance the usual one of a ratio of cluster totals (Cochran, Sampling Techniques, 3rd ed., section
9A.1), which needs only sums of products over the blocks. So an interval costs the same after a million games.

With few blocks a variance is itself a guess, so each is drawn towards another guess that weighs as much as
PRIOR_BLOCKS, and Student's t has as many degrees of freedom more.
"""

from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
import scipy  # its `special` loads when first used: most processes never do
from numpy.typing import NDArray

CONFIDENCE = 0.95
PRIOR_BLOCKS = 4
TAIL = (1 - CONFIDENCE) / 2
NORMAL = NormalDist().inv_cdf(1 - TAIL)

Numbers: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class BlockSums:
    """The sums of each entry over its blocks: the number of blocks, the sums of `what` is measured and of `games`, and
    the sums of the products of these two in a block."""

    blocks: Numbers
    games: Numbers
    what: Numbers
    games_games: Numbers
    what_what: Numbers
    what_games: Numbers

    @property
    def ratio(self) -> Numbers:
        """What was measured, a game; 0 before the first game."""
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
    """The interval of a share of games, such as the win rate: Jeffreys' interval, quantiles of Beta(wins + ½,
    losses + ½), as if as many independent games had been played as the blocks are worth (Korn and Graubard, Survey
    Methodology 24, 1998). Closed at 0 and at 1, where all blocks are alike and each game counts as one.
    """
    share, degrees = sums.ratio, _degrees(sums)
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = sums.variance / (share * (1 - share) / sums.games)
    effect = np.where(np.isfinite(effect), effect, 1.0)  # games are independent until the blocks say otherwise
    effect = _towards(effect, 1.0, sums.blocks)
    games = sums.games / effect * (NORMAL / _quantile(degrees)) ** 2
    won, lost = share * games, (1 - share) * games
    low = np.where(sums.what <= 0, 0.0, scipy.special.betaincinv(won + 0.5, lost + 0.5, TAIL))
    high = np.where(sums.what >= sums.games, 1.0, scipy.special.betaincinv(won + 0.5, lost + 0.5, 1 - TAIL))
    return np.minimum(low, share), np.maximum(high, np.where(sums.games > 0, share, 1.0))


def interval_of_share(what: int, games: int) -> tuple[float, float]:
    """The interval of a share of independent games, such as those that each have a deal of their own."""
    none = np.zeros(1)
    sums = BlockSums(none, np.array([float(games)]), np.array([float(what)]), none, none, none)
    low, high = share_intervals(sums) if games else (none, none + 1)
    return float(low[0]), float(high[0])


def mean_intervals(sums: BlockSums) -> tuple[Numbers, Numbers]:
    """The interval of a mean, such as place or points: Student's t, on a variance of a block that is drawn towards
    the typical one of the board. Infinite where neither is known."""
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
    """The degrees of freedom. Without any blocks, only games are known, and they are independent."""
    return np.where(sums.blocks > 0, sums.blocks - 1 + PRIOR_BLOCKS, np.inf)


def _quantile(degrees: Numbers) -> Numbers:
    return np.asarray(scipy.special.stdtrit(np.minimum(degrees, 1e9), 1 - TAIL), float)
