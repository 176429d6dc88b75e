"""The simulated tournament resembles real ones, and our schedule finds its order sooner than random tables do."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

from tests.tournament.ranking.simulation import (
    Numbers,
    Simulated,
    our_tables,
    random_tables,
    synthetic_players,
    true_rates,
)
from tournament.ranking.ranks import rate, shared_ranks

pytestmark = pytest.mark.full

MARKS = (40, 80, 160)


def test_win_rates_spread_like_those_of_students() -> None:
    rates = true_rates(synthetic_players(200, 1), 2000, seed=2)
    assert rates.mean() == pytest.approx(0.25, abs=0.01)
    assert 0.15 < rates.std() < 0.22
    assert rates.min() < 0.05
    assert rates.max() > 0.6


@pytest.mark.parametrize(("players", "trials"), [(12, 40), (80, 6)])
def test_our_tables_need_fewer_games_than_random_ones(players: int, trials: int) -> None:
    ours, plain = (
        np.mean([[t.tau for t in run(synthetic_players(players, 50 + n), MARKS, n)] for n in range(trials)], axis=0)
        for run in (our_tables, random_tables)
    )
    assert games_for_the_same(ours, plain) <= 0.97


def games_for_the_same(taus: Numbers, others: Numbers) -> float:
    """The share of the others' games after which the order is as good: 1 - τ falls with the root of their number."""
    return float(np.exp(2 * np.mean(np.log((1 - taus) / (1 - others)))))


def test_intervals_hold_the_true_win_rates_and_ranks_19_times_in_20() -> None:
    rates, ranks = [], []
    for number in range(3):
        *_, trial = our_tables(synthetic_players(80, 1000 + number), (100,), number)
        board = rate(trial.tallies())
        truth = zip(board, true_rates(trial.strength, 4000, 1), shared_ranks(trial.strength).tolist(), strict=True)
        for line, true_rate, true_rank in truth:
            assert line.position
            best, worst = line.position.interval
            rates.append(line.low <= true_rate <= line.high)
            ranks.append(best <= true_rank <= worst)
    assert np.mean(rates) >= 0.93
    assert np.mean(ranks) >= 0.93


@pytest.mark.parametrize("run", [our_tables, random_tables])
def test_the_marks_are_reached_and_blocks_are_counted(
    run: Callable[[Numbers, Sequence[int], int], Iterator[Simulated]],
) -> None:
    for mark, trial in zip(MARKS, run(synthetic_players(20, 1), MARKS, 1), strict=True):
        assert trial.games.mean() == pytest.approx(mark, abs=1)
        assert trial.wins.sum() * 4 == trial.games.sum()
    size = 4 if run is our_tables else 1
    for tally in trial.tallies():
        assert tally.games == size * tally.blocks
        assert tally.products["games_games"] == size**2 * tally.blocks
    assert all(line.position for line in rate(trial.tallies()))
