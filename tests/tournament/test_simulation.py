"""The simulated tournament resembles real ones. Our schedule finds its order sooner; shared deals would not help."""

import numpy as np
import pytest

from deploy.measure import ranking as ranking_bench
from deploy.measure.figures import Figure
from deploy.measure.ranking import games_to
from deploy.measure.simulation import (
    Numbers,
    block_worth,
    our_tables,
    random_tables,
    shared_tables,
    synthetic_players,
    true_rates,
)
from tournament.ranking.ratings import rate

MARKS = (40, 80, 160)


def test_a_block_of_four_seatings_is_worth_what_real_ones_are() -> None:
    assert 1.24 <= block_worth(1500, seed=1) <= 1.30


def test_win_rates_spread_like_those_of_students() -> None:
    rates = true_rates(synthetic_players(200, 1), 2000, seed=2)
    assert rates.mean() == pytest.approx(0.25, abs=0.01)
    assert 0.15 < rates.std() < 0.22
    assert rates.min() < 0.05
    assert rates.max() > 0.6


@pytest.mark.parametrize(("players", "trials"), [(12, 40), (80, 6)])
def test_our_tables_need_fewer_games_than_random_ones_and_shared_deals_would_save_none(
    players: int, trials: int
) -> None:
    ours, plain, shared = (
        np.mean([[t.tau for t in run(synthetic_players(players, 50 + n), MARKS, n)] for n in range(trials)], axis=0)
        for run in (our_tables, random_tables, shared_tables)
    )
    assert games_for_the_same(ours, plain) <= 0.97
    assert games_for_the_same(shared, ours) > 0.85, "otherwise it would be worth sharing deals"


def games_for_the_same(taus: Numbers, others: Numbers) -> float:
    """The share of the others' games after which the order is as good: 1 - τ falls with the root of their number."""
    return float(np.exp(2 * np.mean(np.log((1 - taus) / (1 - others)))))


@pytest.mark.parametrize("run", [our_tables, random_tables])
def test_the_marks_are_reached_and_blocks_are_counted(run: ranking_bench.Run) -> None:
    for mark, trial in zip(MARKS, run(synthetic_players(20, 1), MARKS, 1), strict=True):
        assert trial.games.mean() == pytest.approx(mark, abs=1)
        assert trial.wins.sum() * 4 == trial.games.sum()
    size = 4 if run is our_tables else 1
    for tally in trial.tallies():
        assert tally.games == size * tally.blocks
        assert tally.products["games_games"] == size**2 * tally.blocks
    assert all(line.position for line in rate(trial.tallies()))


def test_the_number_of_games_is_read_from_the_curve() -> None:
    taus = [1 - 1.2 / mark**0.5 for mark in ranking_bench.MARKS]
    assert games_to(0.9, taus) == pytest.approx(144)


def test_the_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("PLAYERS", 12), ("TRIALS", 2), ("TRUE_GAMES", 100), ("ENTRIES", 12), ("REPEATS", 1)):
        monkeypatch.setattr(ranking_bench, name, value)
    figures: dict[str, Figure] = {figure.name: figure for figure in ranking_bench.measure()}
    assert [name for name in figures if not name.startswith("ranking.tau_")] == [
        "ranking.games_to_tau90",
        "ranking.shared_deals",
        "ranking.rate_coverage",
        "ranking.rank_coverage",
        "ranking.board",
    ]
    assert all(figure.value > 0 for figure in figures.values())
    assert figures["ranking.tau_300"].value > figures["ranking.tau_40"].value
