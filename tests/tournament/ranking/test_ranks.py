"""What may be said of ranks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournament.ranking.ranks import (
    NORMAL,
    STRIPE,
    Numbers,
    groups,
    not_told_apart,
    rank_intervals,
    shared_ranks,
    tied_ranks,
)

figure = st.tuples(st.floats(0, 1), st.floats(0, 0.3), st.one_of(st.floats(0, 0.3), st.just(np.inf)))
boards = st.lists(figure, max_size=25)


def columns(board: list[tuple[float, float, float]]) -> tuple[Numbers, Numbers, Numbers]:
    values, below, above = (
        (np.array(column, float) for column in zip(*board, strict=True)) if board else [np.array([])] * 3
    )
    return values, values - below, values + above


def test_equals_share_the_best_rank() -> None:
    assert shared_ranks(np.array([0.25, 0.5, 0.5, 0.1, 0.3])).tolist() == [4, 1, 1, 5, 3]


def test_ranks_that_are_certain() -> None:
    values = np.array([0.9, 0.1, 0.5])
    best, worst = rank_intervals(values, values - 0.01, values + 0.01)
    assert (best.tolist(), worst.tolist()) == ([1, 3, 2], [1, 3, 2])


def test_ranks_of_which_nothing_is_known() -> None:
    values, vast = np.array([0.9, 0.1, 0.5, 0.4]), np.full(4, np.inf)
    best, worst = rank_intervals(values, -vast, vast)
    assert (best.tolist(), worst.tolist()) == ([1] * 4, [4] * 4)


@pytest.mark.parametrize("players", [5, 30, 200])
def test_the_interval_of_a_rank_holds_it_19_times_in_20(players: int) -> None:
    """Players of known strength, seen through chance; over many boards and all players."""
    rng, held = np.random.default_rng(1), []
    for _ in range(60):
        strength = rng.normal(0, 0.17, players)
        deviation = rng.uniform(0.01, 0.04, players)
        seen = strength + deviation * rng.standard_normal(players)
        best, worst = rank_intervals(seen, seen - NORMAL * deviation, seen + NORMAL * deviation)
        truth = shared_ranks(strength)
        held.append((best <= truth) & (truth <= worst))
    assert 0.93 <= np.mean(held) <= (0.985 if players > 5 else 1), "few ranks leave little room"


def test_two_are_told_apart_by_the_interval_of_their_difference() -> None:
    """Their own intervals overlap sooner than that of the difference holds 0."""
    values = np.array([0.50, 0.445, 0.40])
    alike = not_told_apart(values, values - 0.05, values + 0.05)
    assert alike.tolist() == [[True, True, False], [True, True, True], [False, True, True]]
    best, worst = tied_ranks(shared_ranks(values), alike)
    assert list(zip(best.tolist(), worst.tolist(), strict=True)) == [(1, 2), (1, 3), (2, 3)]


def test_only_the_side_towards_the_other_matters() -> None:
    values = np.array([0.5, 0.4])
    assert not not_told_apart(values, values - 0.05, values + np.array([9, 0.05]))[0, 1]
    assert not_told_apart(values, values - np.array([0.11, 0.05]), values + 0.05)[0, 1]


def test_in_a_large_board_each_two_are_told_apart_as_if_alone() -> None:
    values = np.linspace(0, 1, 3 * STRIPE // 2)
    below, above = 0.2 * values, 0.1 + 0.1 * values
    alike = not_told_apart(values, values - below, values + above)
    for one in range(0, len(values), 5):
        for other in range(len(values)):
            pair = [one, other]
            alone = not_told_apart(values[pair], values[pair] - below[pair], values[pair] + above[pair])
            assert alike[one, other] == alone[0, 1]


def test_a_group_ends_with_the_first_that_its_best_can_be_told_from() -> None:
    values = np.array([0.40, 0.50, 0.47, 0.43, 0.2])
    alike = not_told_apart(values, values - 0.04, values + 0.04)
    assert groups(shared_ranks(values), alike) == [2, 1, 1, 2, 3]


@settings(deadline=None)
@given(boards)
def test_a_board_is_consistent(board: list[tuple[float, float, float]]) -> None:
    values, low, high = columns(board)
    ranks, alike = shared_ranks(values), not_told_apart(values, low, high)
    assert np.array_equal(alike, alike.T)
    for best, worst in (rank_intervals(values, low, high), tied_ranks(ranks, alike)):
        assert np.all((best >= 1) & (best <= ranks) & (ranks <= worst) & (worst <= len(board)))
    numbers = np.array(groups(ranks, alike), int)[np.argsort(ranks, kind="stable")]
    assert np.all(np.isin(np.diff(numbers), (0, 1))), "groups follow each other, and nobody is left out"
    assert not len(board) or numbers[0] == 1
    again = rank_intervals(values, low, high)
    assert all(map(np.array_equal, again, rank_intervals(values, low, high))), "the same every time"
