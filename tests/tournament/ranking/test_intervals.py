"""How often intervals hold the truth, by simulation with fixed seeds, and against other ways to make them."""

from collections.abc import Callable

import numpy as np
import pytest
import scipy  # its `stats` loads when first used
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tournament.ranking.ranks import BlockSums, Numbers, mean_intervals, share_intervals

pytestmark = pytest.mark.full

TRIALS = 2000
Whole = NDArray[np.int64]


def sums_of(what: NDArray[np.generic], games: NDArray[np.generic]) -> BlockSums:
    """Of observations by entry and block."""
    x, n = np.asarray(what, float), np.asarray(games, float)
    blocks = (n > 0).sum(axis=1).astype(float)
    return BlockSums(
        blocks, n.sum(axis=1), x.sum(axis=1), (n * n).sum(axis=1), (x * x).sum(axis=1), (x * n).sum(axis=1)
    )


def games_only(wins: list[int], games: list[int]) -> BlockSums:
    none = np.zeros(len(wins))
    return BlockSums(none, np.array(games, float), np.array(wins, float), none, none, none)


def coverage(intervals: tuple[Numbers, Numbers], truth: float) -> float:
    low, high = intervals
    return float(np.mean((low <= truth) & (truth <= high)))


# Win rates


def alike(rng: np.random.Generator, rate: float, correlation: float, blocks: int) -> Whole:
    """Wins of blocks whose games go the same way the more often, the greater the correlation."""
    if not correlation:
        return rng.binomial(4, rate, (TRIALS, blocks))
    spread = 1 / correlation - 1
    return rng.binomial(4, rng.beta(rate * spread, (1 - rate) * spread, (TRIALS, blocks)))


def balanced(rng: np.random.Generator, rate: float, blocks: int) -> Whole:
    """Wins of blocks in which every hand of a deal is held once: games differ more inside a block than between."""
    by_hand = rate + 0.8 * min(rate, 1 - rate) * np.array([-1, -0.5, 0.5, 1])
    wins: Whole = (rng.random((TRIALS, blocks, 4)) < by_hand).sum(axis=2)
    return wins


@pytest.mark.parametrize("rate", [0.05, 0.25, 0.6])
@pytest.mark.parametrize("blocks", [1, 2, 5, 10, 25, 100])
@pytest.mark.parametrize("correlation", [0, 0.05, 0.15])
def test_the_interval_of_a_win_rate_holds_it_19_times_in_20(rate: float, blocks: int, correlation: float) -> None:
    wins = alike(np.random.default_rng(1), rate, correlation, blocks)
    found = coverage(share_intervals(sums_of(wins, np.full_like(wins, 4))), rate)
    # Discreteness makes any interval of a rare event jump about 95%; with few blocks ours is on the safe side
    assert found >= (0.90 if rate * blocks < 2 else 0.93)
    if blocks >= 25 and rate * blocks > 2:
        assert found <= 0.975


@pytest.mark.parametrize("rate", [0.1, 0.25, 0.6])
@pytest.mark.parametrize("blocks", [5, 25, 100])
def test_it_is_as_short_as_balanced_blocks_allow(rate: float, blocks: int) -> None:
    wins = balanced(np.random.default_rng(2), rate, blocks)
    low, high = share_intervals(sums_of(wins, np.full_like(wins, 4)))
    assert 0.93 <= coverage((low, high), rate) <= 0.99
    plain_low, plain_high = share_intervals(games_only(wins.sum(axis=1).tolist(), [4 * blocks] * TRIALS))
    if blocks >= 100:
        assert np.mean(high - low) < np.mean(plain_high - plain_low), "shorter than that of independent games"


def test_games_that_go_together_make_it_longer() -> None:
    wins = np.array([[4, 0] * 20, [2, 2] * 20])
    low, high = share_intervals(sums_of(wins, np.full_like(wins, 4)))
    width = high - low
    assert width[0] > 1.7 * width[1]


@pytest.mark.parametrize("blocks", [1, 2, 25])
def test_no_win_and_nothing_but_wins(blocks: int) -> None:
    wins = np.array([[0] * blocks, [4] * blocks])
    low, high = share_intervals(sums_of(wins, np.full_like(wins, 4)))
    assert (low[0], high[1]) == (0, 1)
    assert high[0] == pytest.approx(1 - low[1])
    assert high[0] >= scipy.stats.beta.ppf(0.975, 0.5, 4 * blocks + 0.5) - 1e-12, "no shorter than the one of Jeffreys"


@pytest.mark.parametrize(("wins", "games"), [(1, 4), (100, 400), (3, 1000), (399, 400)])
def test_without_blocks_it_is_that_of_jeffreys(wins: int, games: int) -> None:
    (low,), (high,) = share_intervals(games_only([wins], [games]))
    assert (low, high) == pytest.approx(scipy.stats.beta.interval(0.95, wins + 0.5, games - wins + 0.5), rel=1e-6)


@pytest.mark.parametrize(("wins", "games", "low", "high"), [(0, 50, 0, 0.049), (50, 50, 0.951, 1), (0, 0, 0, 1)])
def test_it_is_closed_at_the_ends(wins: int, games: int, low: float, high: float) -> None:
    ((found_low,), (found_high,)) = share_intervals(games_only([wins], [games]))
    assert (found_low, found_high) == pytest.approx((low, high), abs=0.001)


# Places and points


def places(rng: np.random.Generator, blocks: int) -> Whole:
    """Sums of four places, of a player who depends somewhat on whom a block is played against."""
    against = rng.normal(0, 0.4, (TRIALS, blocks, 1))
    return np.clip(np.rint(2.3 + against + rng.normal(0, 1.1, (TRIALS, blocks, 4))), 1, 4).sum(axis=2).astype(np.int64)


def points(rng: np.random.Generator, blocks: int) -> Whole:
    """Sums of four skewed scores, as penalty points are."""
    return -rng.negative_binomial(2, 0.05, (TRIALS, blocks, 4)).sum(axis=2).astype(np.int64)


@pytest.mark.parametrize("observed", [places, points])
@pytest.mark.parametrize("blocks", [2, 5, 25, 100])
def test_the_interval_of_a_mean_holds_it_19_times_in_20(
    observed: Callable[[np.random.Generator, int], Whole], blocks: int
) -> None:
    truth = observed(np.random.default_rng(3), 500).mean() / 4
    what = observed(np.random.default_rng(4), blocks)
    assert 0.93 <= coverage(mean_intervals(sums_of(what, np.full_like(what, 4))), truth) <= 0.99


def test_a_mean_is_not_certain_because_two_blocks_agree() -> None:
    what = np.array([[10, 10, 0, 0], [4, 16, 8, 12], [9, 11, 3, 5]])
    games = np.array([[4, 4, 0, 0], [4, 4, 4, 4], [4, 4, 4, 4]])
    low, high = mean_intervals(sums_of(what, games))
    assert high[0] - low[0] > 1


def test_of_a_single_block_the_others_tell_how_far_it_may_stray() -> None:
    what = np.array([[10, 0, 0], [4, 16, 8]])
    games = np.array([[4, 0, 0], [4, 4, 4]])
    low, high = mean_intervals(sums_of(what, games))
    assert np.isfinite([low, high]).all()


@pytest.mark.parametrize("blocks", [0, 1])
def test_where_nothing_is_known_anything_is_possible(blocks: int) -> None:
    what = np.full((2, 1), 10 * blocks)
    low, high = mean_intervals(sums_of(what, np.full((2, 1), 4 * blocks)))
    assert (low.tolist(), high.tolist()) == ([-np.inf] * 2, [np.inf] * 2)


# Both


def test_the_intervals_are_those_of_resampled_blocks() -> None:
    """The bootstrap: draw as many blocks, with replacement, again and again. Here with games that do not count."""
    rng = np.random.default_rng(6)
    games = rng.choice([1, 3, 4, 4, 4, 4], 120)
    wins, places = rng.binomial(games, rng.beta(2, 5, 120)), rng.integers(1, 5, 120) * games
    drawn = rng.integers(0, 120, (20_000, 120))
    for what, intervals in ((wins, share_intervals), (places, mean_intervals)):
        resampled = what[drawn].sum(axis=1) / games[drawn].sum(axis=1)
        (low,), (high,) = intervals(sums_of(what[None], games[None]))
        expected = np.quantile(resampled, [0.025, 0.975])
        assert [low, high] == pytest.approx(expected, abs=0.1 * np.ptp(expected))


blocks_of_entries = st.lists(
    st.lists(st.integers(0, 4).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))), min_size=6, max_size=6),
    min_size=1,
    max_size=8,
)


@settings(deadline=None)
@given(blocks_of_entries)
def test_an_interval_holds_its_figure(entries: list[list[tuple[int, int]]]) -> None:
    observed = np.array(entries)
    sums = sums_of(observed[:, :, 1], observed[:, :, 0])
    low, high = share_intervals(sums)
    assert np.all((low >= 0) & (low <= sums.ratio) & (sums.ratio <= high) & (high <= 1))
    low, high = mean_intervals(sums)
    assert np.all((low <= sums.ratio) & (sums.ratio <= high))
