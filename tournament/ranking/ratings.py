"""The lines of a leaderboard, from the sums that each entry keeps: plain functions on plain data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

import numpy as np

from tournament.ranking.intervals import BlockSums, Numbers, mean_intervals, share_intervals
from tournament.ranking.ranks import groups, not_told_apart, rank_intervals, shared_ranks, tied_ranks
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
