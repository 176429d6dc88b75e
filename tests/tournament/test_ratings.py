"""The order of a leaderboard."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from tournament.models import Ranking
from tournament.ratings import Tally, rate, win_rate_intervals

tallies = st.integers(0, 500).flatmap(
    lambda games: st.builds(Tally, st.just(games), st.integers(0, games), ranked=st.booleans())
)


@pytest.mark.parametrize(("wins", "games"), [(1, 4), (100, 400), (3, 1000), (399, 400)])
def test_the_interval_is_that_of_jeffreys(wins: int, games: int) -> None:
    (low,), (high,) = win_rate_intervals([wins], [games])
    expected = beta.interval(0.95, wins + 0.5, games - wins + 0.5)
    assert (low, high) == pytest.approx(expected)


@pytest.mark.parametrize(("wins", "games", "low", "high"), [(0, 50, 0, 0.049), (50, 50, 0.951, 1), (0, 0, 0, 1)])
def test_the_interval_is_closed_at_the_ends(wins: int, games: int, low: float, high: float) -> None:
    ((found_low,), (found_high,)) = win_rate_intervals([wins], [games])
    assert (found_low, found_high) == pytest.approx((low, high), abs=0.001)


def test_ranks_are_shared_by_equals_and_held_only_by_the_ranked() -> None:
    board = [Tally(400, 100), Tally(200, 100), Tally(400, 200), Tally(400, 300, ranked=False), Tally(0, 0), Tally(9, 0)]
    assert [rating.rank for rating in rate(board)] == [3, 1, 1, None, None, 4]


@pytest.mark.parametrize(("games", "provisional"), [(0, True), (99, True), (100, False)])
def test_few_games_make_a_rank_provisional(games: int, provisional: bool) -> None:
    assert rate([Tally(games, 0)])[0].provisional is provisional


def test_tied_are_those_whose_intervals_overlap() -> None:
    board = [Tally(400, 200), Tally(400, 190), Tally(400, 150), Tally(400, 40), Tally(400, 195, ranked=False)]
    assert [rating.tied for rating in rate(board)] == [(1, 2), (1, 2), (3, 3), (4, 4), None]


@pytest.mark.parametrize(
    ("ranking", "ranks"), [(Ranking.WIN_RATE, [1, 2, 3]), (Ranking.PLACE, [3, 1, 2]), (Ranking.POINTS, [2, 3, 1])]
)
def test_a_tournament_ranks_by_what_it_says(ranking: Ranking, ranks: list[int]) -> None:
    board = [Tally(10, 6, 35, 20.0), Tally(10, 5, 18, 10.0), Tally(10, 4, 21, 30.0)]
    assert [rating.rank for rating in rate(board, ranking)] == ranks


def test_an_empty_board() -> None:
    assert rate([]) == []


@given(st.lists(tallies, max_size=30))
def test_a_board_is_consistent(board: list[Tally]) -> None:
    ratings = rate(board)
    for tally, rating in zip(board, ratings, strict=True):
        assert 0 <= rating.low <= rating.win_rate <= rating.high <= 1
        assert (rating.rank is None) == (rating.tied is None) == (not (tally.ranked and tally.games))
        if rating.rank is not None and rating.tied is not None:
            assert rating.tied[0] <= rating.rank <= rating.tied[1]
    ranked = sorted((rating for rating in ratings if rating.rank is not None), key=lambda rating: rating.rank or 0)
    for better, worse in pairwise(ranked):
        assert (better.rank == worse.rank) == (better.win_rate == worse.win_rate)
        assert better.win_rate >= worse.win_rate
