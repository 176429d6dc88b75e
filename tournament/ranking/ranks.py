"""What may be said of ranks: plain functions on a board's figures and their 95% intervals, as numpy arrays.

More is better. The figures are those of the ranked entries only.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tournament.ranking.intervals import NORMAL, Numbers

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
