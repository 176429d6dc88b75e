"""Finds out whether a new version of a player is better than the former one. Plain functions on plain data. The two
versions play in pairs of games with the same seat, deal, opponents and random numbers, so that most of the luck
cancels out of the difference. Each pair has a deal of its own, so the differences are independent.

The comparison looks at the pairs only a few times, each time when the number of pairs has doubled, and ends at the
first look with a clear answer. If ordinary intervals were examined several times, they would find differences where
there are none. Therefore the intervals are repeated confidence intervals (Jennison and Turnbull, Group Sequential
Methods, 2000, chapter 9): with Pocock's constant for these very looks, they are wide enough that with 95% probability
all of them contain the truth. They are valid whenever, and for whatever reason, the comparison stops.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import pairwise
from math import ceil, sqrt

import numpy as np
import scipy  # `scipy.optimize` and `scipy.special` are loaded when first used
from numpy.polynomial.legendre import leggauss

from tournament.ranking.ranks import CONFIDENCE, Numbers
from tournament.store.tables import Ranking

FIRST_LOOK = 20
"""The minimum number of pairs for a look: with fewer, an interval is too wide to be useful."""

MOST_FAULTS = 3
"""If the new version was disqualified this often, and more often than the former one, the comparison ends."""

MARGINS = {Ranking.WIN_RATE: 0.02, Ranking.PLACE: 0.05}
"""Smaller differences than these do not matter, in wins and in places per game."""

POINTS_MARGIN = 0.05
"""Smaller differences in points than this do not matter, as a share of the points' spread."""

NODES = 64


@dataclass(frozen=True, slots=True)
class VersionResult:
    """The result of one version in one game. `fault`: whether it was disqualified."""

    place: int
    points: float
    fault: bool = False


@dataclass(frozen=True, slots=True)
class Pair:
    """Two games that differ only in the version. `alike`: whether all plays were the same. A pair in which an opponent
    was disqualified is `no_contest` and does not count."""

    new: VersionResult
    old: VersionResult
    no_contest: bool = False
    alike: bool = False


class Answer(StrEnum):
    """What the games say about the new version."""

    BETTER = "better"
    WORSE = "worse"
    ALIKE = "alike"  # any difference is too small to matter
    OPEN = "open"  # no difference was seen
    DISQUALIFIED = "disqualified"


@dataclass(frozen=True, slots=True)
class Estimate:
    """How much better the new version is per game, with an interval, after `pairs` pairs. A higher value is always
    better."""

    pairs: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ComparisonState:
    """The state of a comparison. `pairs` counts the pairs that are not `no_contests`, of which there will be at most
    `most`. In `alike` of these pairs, both games had the same plays. `finished`: no further pair is needed."""

    ranking: Ranking
    pairs: int
    most: int
    next_look: int
    no_contests: int
    alike: int
    new_wins: int
    old_wins: int
    new_faults: int
    old_faults: int
    estimate: Estimate | None
    answer: Answer
    finished: bool


def compare(pairs: Sequence[Pair], ranking: Ranking, most: int) -> ComparisonState:
    """Return the state of a comparison of at most `most` pairs. `pairs` are in the order in which they were begun."""
    contests = [pair for pair in pairs if not pair.no_contest]
    estimate, answer = _look(contests, ranking, most)
    new_faults, old_faults = sum(pair.new.fault for pair in contests), sum(pair.old.fault for pair in contests)
    if new_faults >= MOST_FAULTS and new_faults > old_faults:
        answer = Answer.DISQUALIFIED
    spent = len(contests) >= most or len(pairs) >= tries(most)
    return ComparisonState(
        ranking=ranking,
        pairs=len(contests),
        most=most,
        next_look=next((look for look in looks(most) if look > len(contests)), most),
        no_contests=len(pairs) - len(contests),
        alike=sum(pair.alike for pair in contests),
        new_wins=sum(pair.new.place == 1 and not pair.new.fault for pair in contests),
        old_wins=sum(pair.old.place == 1 and not pair.old.fault for pair in contests),
        new_faults=new_faults,
        old_faults=old_faults,
        estimate=estimate,
        answer=answer,
        finished=spent or answer is not Answer.OPEN,
    )


def tries(most: int) -> int:
    """Return the maximum number of pairs that are played if opponents' faults spoil some of them."""
    return most + most // 2


def _look(contests: Sequence[Pair], ranking: Ranking, most: int) -> tuple[Estimate | None, Answer]:
    """Return the first look with a clear answer, or otherwise the last look so far."""
    estimate, answer = None, Answer.OPEN
    for look in looks(most):
        if look <= len(contests) and answer is Answer.OPEN:
            estimate = estimate_of(contests[:look], ranking, most)
            margin = MARGINS.get(ranking) or POINTS_MARGIN * _spread(contests[:look])
            if estimate.low > 0:
                answer = Answer.BETTER
            elif estimate.high < 0:
                answer = Answer.WORSE
            elif -margin < estimate.low and estimate.high < margin:
                answer = Answer.ALIKE
    return estimate, answer


# Estimating


def score(part: VersionResult, ranking: Ranking) -> float:
    """Return the value that the ranking counts for one game; more is better."""
    match ranking:
        case Ranking.WIN_RATE:
            return float(part.place == 1 and not part.fault)
        case Ranking.PLACE:
            return -float(part.place)
        case Ranking.POINTS:
            return part.points


def estimate_of(pairs: Sequence[Pair], ranking: Ranking, most: int) -> Estimate:
    """Return the mean difference and its interval, at one of the looks of a comparison of at most `most` pairs. It is
    calculated as if two more pairs had been played, one won and one lost by as much as possible (for wins: Bonett and
    Price, J. Educ. Behav. Stat. 37, 2012), since a few pairs with the same result do not prove that all pairs would
    have this result."""
    differences = np.array([score(pair.new, ranking) - score(pair.old, ranking) for pair in pairs])
    pairs_, unit = len(differences) + 2, _unit(pairs, ranking)
    centre = differences.sum() / pairs_
    variance = ((differences**2).sum() + 2 * unit**2) / pairs_ - centre**2
    quantile = float(scipy.special.stdtrit(max(1, len(differences) - 1), scipy.special.ndtr(critical(looks(most)))))
    half = quantile * sqrt(variance / pairs_)
    mean = float(differences.mean())
    return Estimate(len(differences), mean, min(mean, centre - half), max(mean, centre + half))


def _unit(pairs: Sequence[Pair], ranking: Ranking) -> float:
    """Return the approximate largest possible difference in a pair. Points have no bounds, so their spread is used
    instead."""
    match ranking:
        case Ranking.WIN_RATE:
            return 1.0
        case Ranking.PLACE:
            return max(1.0, max(max(pair.new.place, pair.old.place) for pair in pairs) - 1.0)
        case Ranking.POINTS:
            return sqrt(2) * _spread(pairs)


def _spread(pairs: Sequence[Pair]) -> float:
    """Return the standard deviation of the points of a game; 1 if all points were the same."""
    return float(np.std([part.points for pair in pairs for part in (pair.new, pair.old)])) or 1.0


# Looking


@cache
def looks(most: int) -> tuple[int, ...]:
    """Return the numbers of pairs at which a comparison of at most `most` pairs looks: `most`, half of it, a quarter
    and so on."""
    found = [most]
    while found[-1] // 2 >= FIRST_LOOK:
        found.append(found[-1] // 2)
    return tuple(reversed(found))


@cache
def critical(at: tuple[int, ...]) -> float:
    """Return the half-width of an interval, in standard errors, such that the intervals of all looks hold at once:
    Pocock's constant, for interim looks after arbitrary numbers of pairs. It is 1.960 for one look, and 2.178 for two
    that are evenly spaced."""
    return float(scipy.optimize.brentq(lambda width: _staying(width, at) - CONFIDENCE, 1.5, 5.0, xtol=1e-6))


def _staying(width: float, at: Sequence[int]) -> float:
    """Return the probability that a sum of independent standard normal numbers stays within `width` standard deviations
    at each of these looks: integrated look by look (Armitage, McPherson and Rowe, J. R. Stat. Soc. A 132, 1969)."""
    nodes, weights = leggauss(NODES)
    edge = width * sqrt(at[0])
    sums, density = edge * nodes, _normal(edge * nodes, at[0]) * edge * weights
    for former, look in pairwise(at):
        edge = width * sqrt(look)
        steps = edge * nodes[:, None] - sums[None, :]
        sums, density = edge * nodes, (_normal(steps, look - former) @ density) * edge * weights
    return float(density.sum())


def _normal(values: Numbers, variance: float) -> Numbers:
    return np.asarray(np.exp(-(values**2) / (2 * variance)) / sqrt(2 * np.pi * variance))


# In words


def sentence(state: ComparisonState) -> str:
    """Return the answer as one sentence."""
    estimate = state.estimate
    if state.answer is Answer.DISQUALIFIED:
        return f"The new version was disqualified in {_count(state.new_faults, 'game')}: look at what it played there."
    if estimate is None and state.finished:
        return f"Too few games to say anything: only {_count(state.pairs, 'pair')} of games."
    if estimate is None:
        return f"Too early to say: the first evaluation comes after {_count(state.next_look, 'pair')} of games."
    bound = _amount(max(abs(estimate.low), abs(estimate.high)), state.ranking)
    if state.answer is Answer.OPEN:
        seen = "No difference seen" if state.finished else "No difference seen yet"
        return (
            f"{seen} in {_count(estimate.pairs, 'pair')} of games; a difference of less than {bound} cannot be ruled "
            f"out."
        )
    if state.answer is Answer.ALIKE:
        return (
            f"No difference that matters: less than {bound} either way, in {_count(estimate.pairs, 'pair')} of games."
        )
    word = "Better" if state.answer is Answer.BETTER else "Worse"
    return f"{word}: {_gain(estimate, state.ranking)}."


def _gain(estimate: Estimate, ranking: Ranking) -> str:
    """Return the gain in words, such as `wins 7 more games in a hundred (95% confidence: 2 to 12)`."""
    more = estimate.mean > 0
    low, high = sorted((abs(estimate.low), abs(estimate.high)))
    factor = 100 if ranking is Ranking.WIN_RATE else 1
    interval = f"(95% confidence: {_two_digits(low * factor)} to {_two_digits(high * factor)})"
    much = _two_digits(abs(estimate.mean) * factor)
    match ranking:
        case Ranking.WIN_RATE:
            return f"wins {much} {'more' if more else 'fewer'} games in a hundred {interval}"
        case Ranking.PLACE:
            return f"finishes {much} places {'higher' if more else 'lower'} on average {interval}"
        case Ranking.POINTS:
            return f"scores {much} {'more' if more else 'fewer'} points per game {interval}"


def _amount(much: float, ranking: Ranking) -> str:
    match ranking:
        case Ranking.WIN_RATE:
            return f"{ceil(much * 100)} in a hundred"
        case Ranking.PLACE:
            return f"{_two_digits(much)} places"
        case Ranking.POINTS:
            return f"{_two_digits(much)} points"


def _two_digits(much: float) -> str:
    """Return a number with two significant digits: `12`, `3.4`, `0.27`."""
    return f"{much:.0f}" if much >= 10 else f"{much:.2g}"


def _count(number: int, one: str) -> str:
    return f"{number:,} {one}" if number == 1 else f"{number:,} {one}s"
