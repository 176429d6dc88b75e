"""Ratings from finishing orders."""

from itertools import permutations
from math import log10
from random import Random

import numpy as np
import pytest
import scipy  # its `optimize` loads when first used
from hypothesis import given, settings
from hypothesis import strategies as st

from tournament.ranking.plackett_luce import MEAN_RATING, POINTS_PER_DECADE, PlayedBlock, finish_of, ratings

digits = st.integers(0, 4).map(str)


def played(size: int) -> st.SearchStrategy[tuple[tuple[int, ...], str]]:
    tables = st.permutations(range(1, 8)).map(lambda ids: tuple(ids[:size]))
    return st.tuples(tables, st.lists(digits, min_size=size * size, max_size=size * size).map("".join))


blocks = st.lists(st.sampled_from([2, 3, 4]).flatmap(played), max_size=15).map(
    lambda found: [PlayedBlock(number, *block) for number, block in enumerate(found)]
)


@pytest.mark.parametrize(
    ("places", "at_fault", "counts", "finish"),
    [
        ((1, 2, 2, 2), (), True, "1222"),
        ((3, 1, 4, 2), (), True, "3142"),
        ((2, 2, 2, 2), (), True, "2222"),
        ((2, 3, 2, 2), (1,), True, "1211"),
        ((2, 4, 3, 4), (1, 3), True, "1212"),
        ((1, 2, 3, 4), (), False, "0000"),
    ],
)
def test_a_finishing_order(places: tuple[int, ...], at_fault: tuple[int, ...], counts: bool, finish: str) -> None:
    assert finish_of(places, [seat in at_fault for seat in range(len(places))], counts) == finish


def test_nobody_has_played() -> None:
    assert ratings([]) == {}


def test_a_single_duel_has_the_solution_that_algebra_gives() -> None:
    """With the games added, A has won two: as many as its strength s, with B's being 1/s, makes it expect, which are
    2s/(s + 1) against the average player and s/(s + 1/s) against B."""
    found = ratings([PlayedBlock(1, (10, 20), "12")])
    strength = 10 ** ((found[10] - MEAN_RATING) / POINTS_PER_DECADE)
    assert 2 * strength / (strength + 1) + strength / (strength + 1 / strength) == pytest.approx(2, abs=1e-5)
    assert found[10] + found[20] == pytest.approx(2 * MEAN_RATING)


@pytest.mark.parametrize("finish", ["2222", "0000", "1111"])
def test_a_game_without_an_order_says_nothing(finish: str) -> None:
    assert set(ratings([PlayedBlock(1, (1, 2, 3, 4), finish * 4)]).values()) == {MEAN_RATING}


def test_a_fault_is_a_loss_to_everybody_and_no_contest_between_the_others() -> None:
    found = ratings([PlayedBlock(1, (1, 2, 3, 4), "1121")])
    assert found[1] == found[2] == found[4] > MEAN_RATING > found[3]


def test_the_fit_has_the_greatest_likelihood() -> None:
    """The same model, written out game by game and maximised by a general method."""
    rng, players = Random(1), 6
    strength = [rng.gauss(0, 0.7) for _ in range(players)]
    found = []
    for number in range(30):
        table = rng.sample(range(players), 4)
        finish = ""
        for _ in range(4):
            scores = [strength[id_] - np.log(-np.log(rng.random())) for id_ in table]
            finish += "".join(str(1 + sum(other > score for other in scores)) for score in scores)
        found.append(PlayedBlock(number, tuple(table), finish))

    def loss(logs: np.ndarray) -> float:
        logs = logs - logs.mean()
        total = sum(np.log1p(np.exp(-log)) + np.log1p(np.exp(log)) for log in logs)
        for block in found:
            for start in range(0, 16, 4):
                places = block.finish[start : start + 4]
                for seat, place in enumerate(places):
                    worse = [logs[block.entries[other]] for other in range(4) if places[other] > place]
                    if worse:
                        total += np.log(np.exp([logs[block.entries[seat]], *worse]).sum()) - logs[block.entries[seat]]
        return float(total)

    best = scipy.optimize.minimize(loss, np.zeros(players), method="BFGS", options={"gtol": 1e-6}).x
    expected = MEAN_RATING + POINTS_PER_DECADE * (best - best.mean()) / np.log(10)
    assert [rating for _, rating in sorted(ratings(found).items())] == pytest.approx(list(expected), abs=1.5)


def test_strengths_are_found_again() -> None:
    """A winner of four, drawn as the model says, many times; one is ten times as strong as another."""
    rng = np.random.default_rng(5)
    strength = np.array([10.0, 3.0, 3.0, 1.0])
    tables = list(permutations(range(4)))
    found = []
    for number in range(1500):
        table = tables[number % len(tables)]
        winners = rng.choice(4, 4, p=strength[list(table)] / strength.sum())
        found.append(PlayedBlock(number, table, "".join("1" if s == w else "2" for w in winners for s in range(4))))
    rated = ratings(found)
    assert rated[0] - rated[3] == pytest.approx(POINTS_PER_DECADE, abs=25)
    assert rated[1] - rated[2] == pytest.approx(0, abs=25)
    assert rated[1] - rated[3] == pytest.approx(POINTS_PER_DECADE * log10(3), abs=25)


@settings(deadline=None, max_examples=40)
@given(blocks, st.randoms(use_true_random=False))
def test_the_order_of_the_log_changes_nothing(log: list[PlayedBlock], rng: Random) -> None:
    shuffled = rng.sample(log, len(log))
    assert ratings(shuffled) == ratings(log)


@settings(deadline=None, max_examples=40)
@given(blocks)
def test_everybody_is_rated_finitely_and_the_mean_stays(log: list[PlayedBlock]) -> None:
    rated = ratings(log)
    assert rated.keys() == {id_ for block in log for id_ in block.entries}
    assert all(abs(rating - MEAN_RATING) < 4000 for rating in rated.values())
    if rated:
        assert sum(rated.values()) / len(rated) == pytest.approx(MEAN_RATING, abs=0.01)


@settings(deadline=None, max_examples=40)
@given(blocks, st.integers(1, 7), st.integers(1, 7))
def test_to_win_raises_a_rating(log: list[PlayedBlock], winner: int, loser: int) -> None:
    if winner == loser:
        return
    before = ratings([*log, PlayedBlock(99, (winner, loser), "0000")])
    after = ratings([*log, PlayedBlock(99, (winner, loser), "1212")])
    assert after[winner] - after[loser] > before[winner] - before[loser]
