"""The order of a leaderboard, from the sums that each entry keeps: plain functions on plain data."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from tournament.models import Ranking

PROVISIONAL_GAMES = 100
"""With fewer, a rank means little yet."""

CONFIDENCE = 0.95

Numbers: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Tally:
    """What an entry has done in the games that count. `places` and `points` are sums. Not everybody is `ranked`."""

    games: int
    wins: int
    places: int = 0
    points: float = 0.0
    ranked: bool = True


@dataclass(frozen=True, slots=True)
class Rating:
    """An entry's line. `low` to `high` is the 95% interval of the win rate (0 to 1).

    `rank` is shared by equals, and None for those not ranked and before the first game. `tied` are the best and the
    worst rank among those whom the games cannot tell from this entry yet, itself included.
    """

    rank: int | None
    win_rate: float
    low: float
    high: float
    provisional: bool
    tied: tuple[int, int] | None


def win_rate_intervals(wins: Sequence[int], games: Sequence[int]) -> tuple[Numbers, Numbers]:
    """The Jeffreys interval of each win rate: quantiles of Beta(wins + ½, losses + ½), closed at 0 and at 1."""
    won, played = np.asarray(wins, float), np.asarray(games, float)
    lost, tail = played - won, (1 - CONFIDENCE) / 2
    low = np.where(won == 0, 0.0, betaincinv(won + 0.5, lost + 0.5, tail))
    high = np.where(lost == 0, 1.0, betaincinv(won + 0.5, lost + 0.5, 1 - tail))
    return low, high


def rate(tallies: Sequence[Tally], ranking: Ranking = Ranking.WIN_RATE) -> list[Rating]:
    """The ratings of a whole board, in the order given."""
    low, high = win_rate_intervals([each.wins for each in tallies], [each.games for each in tallies])
    ranks = _ranks([worth(each, ranking) if each.ranked and each.games else None for each in tallies])
    tied = _tied(ranks, low, high) if ranking == Ranking.WIN_RATE else _tied_by_rank(ranks)
    return [
        Rating(
            rank,
            each.wins / each.games if each.games else 0.0,
            float(low[index]),
            float(high[index]),
            each.games < PROVISIONAL_GAMES,
            tied[index],
        )
        for index, (each, rank) in enumerate(zip(tallies, ranks, strict=True))
    ]


def worth(tally: Tally, ranking: Ranking) -> float:
    """By what an entry is ranked, more is better; less than anything before its first game."""
    sums = {Ranking.WIN_RATE: tally.wins, Ranking.PLACE: -tally.places, Ranking.POINTS: tally.points}
    return sums[ranking] / tally.games if tally.games else -inf


def _ranks(values: Sequence[float | None]) -> list[int | None]:
    """1 for the greatest; equals share the best rank."""
    played = sorted((value for value in values if value is not None), reverse=True)
    first = {value: len(played) - index for index, value in enumerate(reversed(played))}
    return [None if value is None else first[value] for value in values]


def _tied(ranks: Sequence[int | None], low: Numbers, high: Numbers) -> list[tuple[int, int] | None]:
    """The ranks of those whose interval overlaps an entry's own, from the best to the worst."""
    ranked = [(rank, low[index], high[index]) for index, rank in enumerate(ranks) if rank is not None]
    if not ranked:
        return [None for _ in ranks]
    rank, lows, highs = (np.array(column) for column in zip(*ranked, strict=True))
    overlap: NDArray[Any] = (lows[None, :] <= highs[:, None]) & (lows[:, None] <= highs[None, :])
    best = np.where(overlap, rank[None, :], len(rank)).min(axis=1)
    worst = np.where(overlap, rank[None, :], 1).max(axis=1)
    ties = iter(zip(best.tolist(), worst.tolist(), strict=True))
    return [None if rank is None else next(ties) for rank in ranks]


def _tied_by_rank(ranks: Sequence[int | None]) -> list[tuple[int, int] | None]:
    """Where sums alone give no interval, only equals are tied."""
    return [None if rank is None else (rank, rank) for rank in ranks]
