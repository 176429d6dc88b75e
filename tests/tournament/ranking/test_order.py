"""The order of a leaderboard."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournament.ranking.ranks import Tally, rate
from tournament.store.tables import Ranking

tallies = st.integers(0, 500).flatmap(
    lambda games: st.builds(
        Tally, st.just(games), st.integers(0, games), st.integers(games, 4 * games), st.floats(-99, 99), st.booleans()
    )
)


def test_ranks_are_shared_by_equals_and_held_only_by_the_ranked() -> None:
    board = [Tally(400, 100), Tally(200, 100), Tally(400, 200), Tally(400, 300, ranked=False), Tally(0, 0), Tally(9, 0)]
    assert [rating.position and rating.position.rank for rating in rate(board)] == [3, 1, 1, None, None, 4]


@pytest.mark.parametrize(("games", "provisional"), [(0, True), (99, True), (100, False)])
def test_few_games_make_a_rank_provisional(games: int, provisional: bool) -> None:
    assert rate([Tally(games, 0)])[0].provisional is provisional


def test_tied_are_those_that_cannot_be_told_apart() -> None:
    board = [Tally(400, 200), Tally(400, 190), Tally(400, 150), Tally(400, 40), Tally(400, 195, ranked=False)]
    positions = [rating.position for rating in rate(board)]
    assert [each and each.tied for each in positions] == [(1, 2), (1, 2), (3, 3), (4, 4), None]
    assert [each and each.group for each in positions] == [1, 1, 2, 3, None]
    assert [each and each.interval for each in positions] == [(1, 2), (1, 2), (3, 3), (4, 4), None]


def alternating(one: int, other: int) -> Tally:
    """50 blocks of four games, whose places add up to the one sum and the other by turns; points are less that sum."""
    places, games = 25 * (one + other), 200
    squares = 25 * (one**2 + other**2)
    products = {
        "games_games": 16 * 50,
        "places_places": squares,
        "places_games": 4 * places,
        "points_points": squares,
        "points_games": -4 * places,
    }
    return Tally(games, 0, places, -places, True, 50, products)


@pytest.mark.parametrize("ranking", [Ranking.PLACE, Ranking.POINTS])
def test_places_and_points_have_intervals_and_ties_too(ranking: Ranking) -> None:
    board = [alternating(9, 9), alternating(5, 14), alternating(4, 16), alternating(15, 15)]
    ratings = rate(board, ranking)
    sign = 1 if ranking == Ranking.PLACE else -1
    assert [rating.value * sign for rating in ratings] == [2.25, 2.375, 2.5, 3.75]
    assert all(rating.value_low < rating.value < rating.value_high for rating in ratings)
    width = [rating.value_high - rating.value_low for rating in ratings]
    assert width[0] == width[3] < width[1] < width[2], "the more its blocks differ, the less is certain"
    assert [each.position and each.position.tied for each in ratings] == [(1, 3), (1, 3), (1, 3), (4, 4)]
    assert [each.position and each.position.rank for each in ratings] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("ranking", "ranks"), [(Ranking.WIN_RATE, [1, 2, 3]), (Ranking.PLACE, [3, 1, 2]), (Ranking.POINTS, [2, 3, 1])]
)
def test_a_tournament_ranks_by_what_it_says(ranking: Ranking, ranks: list[int]) -> None:
    board = [Tally(10, 6, 35, 20.0), Tally(10, 5, 18, 10.0), Tally(10, 4, 21, 30.0)]
    assert [rating.position and rating.position.rank for rating in rate(board, ranking)] == ranks


def test_an_empty_board() -> None:
    assert rate([]) == []


@settings(deadline=None)
@given(st.lists(tallies, max_size=30), st.sampled_from(Ranking))
def test_a_board_is_consistent(board: list[Tally], ranking: Ranking) -> None:
    ratings = rate(board, ranking)
    ranked = []
    for tally, rating in zip(board, ratings, strict=True):
        assert 0 <= rating.low <= rating.win_rate <= rating.high <= 1
        assert rating.value_low <= rating.value <= rating.value_high
        assert (rating.position is None) == (not (tally.ranked and tally.games))
        if rating.position:
            ranked.append((rating.position, rating.value * (-1 if ranking == Ranking.PLACE else 1)))
            for best, worst in (rating.position.tied, rating.position.interval):
                assert 1 <= best <= rating.position.rank <= worst
    ranked.sort(key=lambda line: line[0].rank)
    for (better, more), (worse, less) in pairwise(ranked):
        assert (better.rank == worse.rank) == (more == less)
        assert more >= less
