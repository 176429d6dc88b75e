"""What `quadrille bench` measures of the ranking: how many games it takes to find an order, and how honest it is."""

from collections.abc import Callable, Iterator, Sequence
from time import perf_counter

import numpy as np

from deploy.measure.figures import Figure
from deploy.measure.simulation import (
    Numbers,
    Trial,
    our_tables,
    random_tables,
    shared_tables,
    synthetic_players,
    true_rates,
)
from tournament.ranking.ranks import shared_ranks
from tournament.ranking.ratings import rate

PLAYERS = 200
TRIALS = 8
MARKS = (40, 60, 90, 130, 200, 300)
"""Mean numbers of games a player at which the order is compared with the true one."""

TRUE_GAMES = 10_000
WANTED_TAU = 0.9
ENTRIES = 1500
REPEATS = 3

Run = Callable[[Numbers, Sequence[int], int], Iterator[Trial]]


def measure() -> Iterator[Figure]:
    """`ranking.tau_N`: Kendall's τ with the true order after N games a player, beside plain random tables, and
    `ranking.games_to_tau90`: the games a player until it is 0.9, beside the same; means of TRIALS tournaments.
    `ranking.shared_deals`: the same if tables shared deals, as in duplicate bridge, beside fresh deals for all; below
    0.85 of them it would be worth the trouble.
    `ranking.rate_coverage` and `ranking.rank_coverage`: how many of the true win rates and ranks their 95% intervals
    hold, beside the share promised. `ranking.board`: making the standings of 1,500 entries."""
    coverage: list[tuple[float, float]] = []
    ours = _mean_tau(our_tables, lambda trial: coverage.append(_coverage(trial)))
    plain = _mean_tau(random_tables)
    for mark, value, reference in zip(MARKS, ours, plain, strict=True):
        yield Figure(f"ranking.tau_{mark}", value, "τ", reference)
    yield Figure("ranking.games_to_tau90", games_to(WANTED_TAU, ours), "games", games_to(WANTED_TAU, plain))
    shared = games_to(WANTED_TAU, _mean_tau(shared_tables))
    yield Figure("ranking.shared_deals", shared, "games", games_to(WANTED_TAU, ours))
    rates, ranks = np.mean(coverage, axis=0).tolist()
    yield Figure("ranking.rate_coverage", rates, "share", 0.95)
    yield Figure("ranking.rank_coverage", ranks, "share", 0.95)
    yield Figure("ranking.board", min(_board_ms() for _ in range(REPEATS)), "ms")


def games_to(tau: float, taus: Sequence[float]) -> float:
    """The number of games at which τ is reached: 1 - τ falls in proportion to a power of the number of games, which
    is fitted to all MARKS, so that the figure does not hang on two of them."""
    slope, offset = np.polyfit(np.log(1 - np.array(taus)), np.log(MARKS), 1)
    return float(np.exp(offset + slope * np.log(1 - tau)))


def _mean_tau(run: Run, at_the_end: Callable[[Trial], None] = lambda _: None) -> list[float]:
    """At each of MARKS."""
    taus = []
    for number in range(TRIALS):
        trials = run(synthetic_players(PLAYERS, 1000 + number), MARKS, number)
        trial = None
        taus.append([(trial := each).tau for each in trials])
        if trial:
            at_the_end(trial)
    return [float(tau) for tau in np.mean(taus, axis=0)]


def _coverage(trial: Trial) -> tuple[float, float]:
    """The shares of win rates and of ranks that their intervals hold."""
    truth = true_rates(trial.strength, TRUE_GAMES, 1)
    ranks = shared_ranks(trial.strength).tolist()
    board = rate(trial.tallies())
    rates = [line.low <= own <= line.high for line, own in zip(board, truth, strict=True)]
    intervals = [line.position.interval for line in board if line.position]
    held = [best <= rank <= worst for (best, worst), rank in zip(intervals, ranks, strict=True)]
    return float(np.mean(rates)), float(np.mean(held))


def _board_ms() -> float:
    trial = next(random_tables(synthetic_players(ENTRIES, 1), (40,), 1))
    tallies = trial.tallies()
    started = perf_counter()
    rate(tallies)
    return 1000 * (perf_counter() - started)
