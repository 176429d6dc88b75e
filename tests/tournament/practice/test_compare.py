"""Comparing two versions: how sure the answer is, and how it is put."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from math import isclose
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import Generator, default_rng

from sandbox.api import Sandbox, Verdict
from tests.tournament.factory import faulted_by, won_by
from tournament.play.games import find_game
from tournament.play.table import PlayerSpec
from tournament.practice.comparisons import FileComparison, PlayedPair, compare_files, draw
from tournament.practice.improvement import (
    Answer,
    ComparisonState,
    Estimate,
    Pair,
    VersionResult,
    compare,
    critical,
    estimate_of,
    looks,
    sentence,
    tries,
)
from tournament.store.tables import Ranking

MOST = 400
WON, LOST = VersionResult(1, 1.0), VersionResult(2, 0.0)
BAD = VersionResult(4, 0.0, fault=True)
GOOD = find_game("bo").folder.joinpath("reference.py").read_bytes()

Differing: TypeAlias = Callable[[Generator, int], list[Pair]]


def pairs(better: int, worse: int = 0, same: int = 0) -> list[Pair]:
    """So many pairs of each kind, well mixed."""
    found = [Pair(WON, LOST)] * better + [Pair(LOST, WON)] * worse + [Pair(LOST, LOST)] * same
    return [found[index] for index in default_rng(7).permutation(len(found))]


# Looking


@pytest.mark.parametrize(
    ("most", "expected"),
    [(400, (25, 50, 100, 200, 400)), (40, (20, 40)), (39, (39,)), (1, (1,)), (1000, (31, 62, 125, 250, 500, 1000))],
)
def test_looks_are_few_and_the_last_is_at_the_end(most: int, expected: tuple[int, ...]) -> None:
    assert looks(most) == expected


@pytest.mark.parametrize(
    ("at", "constant"), [((1,), 1.95996), ((1, 2), 2.178), ((1, 2, 3), 2.289), ((1, 2, 3, 4, 5), 2.413)]
)
def test_intervals_are_as_wide_as_pocock_says(at: tuple[int, ...], constant: float) -> None:
    """Jennison and Turnbull, Group Sequential Methods, table 2.1."""
    assert critical(at) == pytest.approx(constant, abs=6e-4)


def wins(new: float, old: float, together: float = 0.0) -> Differing:
    """Versions that win so often; `together`: the share of the pairs in which both do the same."""

    def draw_(rng: Generator, number: int) -> list[Pair]:
        first = rng.random(number) < new
        second = np.where(rng.random(number) < together, first, rng.random(number) < old)
        return [Pair(WON if one else LOST, WON if other else LOST) for one, other in zip(first, second, strict=True)]

    return draw_


def scores(of: Callable[[Generator, int], "np.ndarray[tuple[int], np.dtype[np.float64]]"]) -> Differing:
    """Versions that are equally strong and score like that."""
    return lambda rng, number: [
        Pair(VersionResult(1, one), VersionResult(1, other))
        for one, other in zip(of(rng, number), of(rng, number), strict=True)
    ]


def answers(differing: Differing, ranking: Ranking, runs: int) -> Counter[Answer]:
    """What comparisons that stop as soon as they are clear end with."""
    rng, found = default_rng(2026), Counter[Answer]()
    for _ in range(runs):
        played = differing(rng, MOST)
        states = (compare(played[:look], ranking, MOST) for look in looks(MOST))
        found[next(state.answer for state in states if state.finished)] += 1
    return found


@pytest.mark.full
@pytest.mark.parametrize(
    ("differing", "ranking"),
    [
        (wins(0.25, 0.25), Ranking.WIN_RATE),
        (wins(0.25, 0.25, together=0.8), Ranking.WIN_RATE),
        (wins(0.02, 0.02), Ranking.WIN_RATE),
        (scores(lambda rng, number: rng.exponential(10, number)), Ranking.POINTS),
        (scores(lambda rng, number: rng.lognormal(0, 1.5, number)), Ranking.POINTS),
    ],
)
def test_equals_are_hardly_ever_told_apart_however_often_one_looks(differing: Differing, ranking: Ranking) -> None:
    found = answers(differing, ranking, 120)
    assert found[Answer.BETTER] + found[Answer.WORSE] <= 120 * 0.05 + 5, found  # two standard errors above 5%


def test_a_difference_that_is_there_is_found() -> None:
    assert answers(wins(0.4, 0.2), Ranking.WIN_RATE, 50)[Answer.BETTER] >= 49


@given(st.lists(st.sampled_from([Pair(WON, LOST), Pair(LOST, WON), Pair(WON, WON)]), min_size=20, max_size=60))
def test_swapping_the_versions_turns_the_estimate_round(played: list[Pair]) -> None:
    turned = [Pair(pair.old, pair.new) for pair in played]
    for ranking in Ranking:
        one, other = estimate_of(played, ranking, MOST), estimate_of(turned, ranking, MOST)
        assert one.low <= one.mean <= one.high
        assert isclose(one.low, -other.high, abs_tol=1e-12)
        assert isclose(one.mean, -other.mean, abs_tol=1e-12)


# Stopping


def test_nothing_is_said_between_two_looks() -> None:
    clear = pairs(better=24)
    assert compare(clear, Ranking.WIN_RATE, MOST).estimate is None
    state = compare([*clear, Pair(WON, LOST)], Ranking.WIN_RATE, MOST)
    assert (state.answer, state.finished, state.pairs) == (Answer.BETTER, True, 25)


def test_what_is_played_after_a_clear_look_changes_nothing() -> None:
    state = compare(pairs(better=25) + pairs(better=0, worse=175), Ranking.WIN_RATE, MOST)
    assert state.estimate
    assert (state.answer, state.estimate.pairs) == (Answer.BETTER, 25)


def test_versions_that_do_the_same_are_said_to_be_alike_before_the_end() -> None:
    state = compare([Pair(LOST, LOST, alike=True)] * 200, Ranking.WIN_RATE, MOST)
    assert (state.answer, state.finished, state.alike) == (Answer.ALIKE, True, 200)


def test_pairs_spoilt_by_an_opponent_tell_nothing_and_are_not_played_for_ever() -> None:
    spoilt = [Pair(WON, LOST, no_contest=True)] * (tries(MOST) - 1)
    state = compare(spoilt, Ranking.WIN_RATE, MOST)
    assert (state.pairs, state.no_contests, state.finished) == (0, tries(MOST) - 1, False)
    assert compare([*spoilt, spoilt[0]], Ranking.WIN_RATE, MOST).finished


@pytest.mark.parametrize(
    ("new", "old", "stops"), [(2, 0, False), (3, 0, True), (3, 2, True), (3, 3, False), (0, 3, False)]
)
def test_a_version_that_is_disqualified_again_and_again_is_not_compared_further(
    new: int, old: int, stops: bool
) -> None:
    played = [Pair(BAD, LOST)] * new + [Pair(LOST, BAD)] * old
    state = compare(played, Ranking.WIN_RATE, MOST)
    assert (state.new_faults, state.old_faults, state.finished) == (new, old, stops)
    assert (state.answer is Answer.DISQUALIFIED) == stops


def test_a_disqualified_win_is_none() -> None:
    assert estimate_of([Pair(VersionResult(1, 1.0, fault=True), LOST)] * 20, Ranking.WIN_RATE, MOST).mean == 0


# In words

CLEAR = Estimate(200, 0.07, 0.02, 0.12)
STATE = ComparisonState(Ranking.WIN_RATE, 200, MOST, MOST, 0, 10, 60, 46, 0, 0, CLEAR, Answer.BETTER, True)
OPEN = replace(STATE, answer=Answer.OPEN, estimate=Estimate(200, 0.01, -0.03, 0.049))


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (STATE, "Better: wins 7 more games in a hundred (95% confidence: 2 to 12)."),
        (
            replace(STATE, answer=Answer.WORSE, estimate=Estimate(100, -0.07, -0.12, -0.004)),
            "Worse: wins 7 fewer games in a hundred (95% confidence: 0.4 to 12).",
        ),
        (
            replace(STATE, ranking=Ranking.PLACE, estimate=Estimate(100, 0.31, 0.1, 0.52)),
            "Better: finishes 0.31 places higher on average (95% confidence: 0.1 to 0.52).",
        ),
        (
            replace(STATE, ranking=Ranking.POINTS, answer=Answer.WORSE, estimate=Estimate(100, -11.4, -20.1, -3.25)),
            "Worse: scores 11 fewer points per game (95% confidence: 3.2 to 20).",
        ),
        (
            OPEN,
            "No difference seen in 200 pairs of games; a difference of less than 5 in a hundred cannot be ruled out.",
        ),
        (
            replace(OPEN, finished=False),
            "No difference seen yet in 200 pairs of games; a difference of less than 5 in a hundred cannot be ruled "
            "out.",
        ),
        (
            replace(OPEN, answer=Answer.ALIKE, estimate=Estimate(400, 0.0, -0.011, 0.011)),
            "No difference that matters: less than 2 in a hundred either way, in 400 pairs of games.",
        ),
        (replace(OPEN, estimate=None, pairs=1), "Too few games to say anything: only 1 pair of games."),
        (
            replace(OPEN, estimate=None, finished=False, next_look=25),
            "Too early to say: the first evaluation comes after 25 pairs of games.",
        ),
        (
            replace(STATE, answer=Answer.DISQUALIFIED, new_faults=3),
            "The new version was disqualified in 3 games: look at what it played there.",
        ),
    ],
)
def test_the_answer_is_a_plain_sentence(state: ComparisonState, expected: str) -> None:
    assert sentence(state) == expected


# Playing


def test_everything_but_the_version_is_the_same_in_both_games(jail: Sandbox, trusted: Sandbox) -> None:
    weaker = PlayerSpec("old.py", find_game("bo").folder.joinpath("bots", "random_legal.py").read_bytes())
    game, new = find_game("bo"), PlayerSpec("new.py", GOOD)
    played = list(compare_files(game, FileComparison(new, weaker, Ranking.WIN_RATE, 4, 3), jail, trusted))
    assert [each.seat for each in played] == [0, 1, 2, 3]
    for each in played:
        assert each.new.seed == each.old.seed
        assert each.new.seats[each.seat] == "new.py"
        assert each.old.seats == ["old.py" if seat == "new.py" else seat for seat in each.new.seats]
        parting = each.parting
        assert parting is not None
        assert each.new.plays[:parting] == each.old.plays[:parting]
        assert each.new.plays[parting][0] == each.old.plays[parting][0] == each.seat, "the versions part, nobody else"
    again = compare_files(game, FileComparison(new, weaker, Ranking.WIN_RATE, 4, 3), jail, trusted)
    assert [each.new.to_json() for each in again] == [each.new.to_json() for each in played]


def test_versions_that_are_the_same_play_alike(jail: Sandbox, trusted: Sandbox) -> None:
    twins = PlayerSpec("one.py", GOOD), PlayerSpec("two.py", GOOD + b"\n# the same\n")
    played = list(compare_files(find_game("bo"), FileComparison(*twins, Ranking.WIN_RATE, 3, 3), jail, trusted))
    assert [each.outcome.alike for each in played] == [True] * 3


def test_every_deal_is_a_new_one_and_nobody_sits_twice() -> None:
    drawn = [draw(5, number, 4, "abcdef") for number in range(40)]
    assert len({each.seed for each in drawn}) == 40
    assert {each.seat for each in drawn} == {0, 1, 2, 3}
    assert all(len(set(each.opponents)) == 3 for each in drawn)
    assert drawn == [draw(5, number, 4, "abcdef") for number in range(40)]


@pytest.mark.parametrize(
    ("new", "old", "outcome"),
    [
        (won_by(1), won_by(0), Pair(VersionResult(1, 1.0), VersionResult(2, 0.0), alike=True)),
        (faulted_by(1), won_by(0), Pair(VersionResult(3, 0.0, fault=True), VersionResult(2, 0.0))),
        (faulted_by(2), won_by(1), Pair(VersionResult(2, 0.0), VersionResult(1, 1.0), no_contest=True)),
        (faulted_by(1, 2), won_by(1), Pair(VersionResult(3, 0.0, fault=True), VersionResult(1, 1.0), no_contest=True)),
    ],
)
def test_faults_of_opponents_make_a_pair_no_contest(new: object, old: object, outcome: Pair) -> None:
    assert PlayedPair(1, new, old).outcome == outcome  # type: ignore[arg-type]


def test_the_fault_is_the_play_in_which_two_games_part() -> None:
    record = won_by(0)
    long = replace(record, plays=[(0, "a"), (1, "b"), (2, "c")])
    cut = replace(long, plays=long.plays[:1], faults=[replace(faulted_by(1).faults[0], verdict=Verdict.RTE)])
    assert PlayedPair(1, long, cut).parting == 1
    assert PlayedPair(1, long, long).parting is None
