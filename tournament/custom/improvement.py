"""Is a new version of a player better than the former one? Plain functions on plain data.

The two play in pairs of games: the same seat, deal, opponents and random numbers, so that most of what luck does falls
out of the difference. Each pair has a deal of its own, so the differences are independent of each other.

The pairs are looked at a few times only, each time when there are twice as many, and the first look that gives a clear
answer ends the comparison. Looking several times would find differences where there are none; so the intervals are
repeated confidence intervals (Jennison and Turnbull, Group Sequential Methods, 2000, chapter 9): wide enough, by
Pocock's constant for just these looks, that with 95% probability all of them hold the truth. They are right whenever,
and for whatever reason, the comparison stops.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import pairwise
from math import sqrt

import numpy as np
import scipy  # its `optimize` and `special` load when first used
from numpy.polynomial.legendre import leggauss

from tournament.ranking.intervals import CONFIDENCE, Numbers
from tournament.store.tables import Ranking

FIRST_LOOK = 20
"""Before as many pairs, an interval says nothing that anybody would want to know."""

MOST_FAULTS = 3
"""A new version that was disqualified so often, and more often than the former one, need not be compared further."""

MARGINS = {Ranking.WIN_RATE: 0.02, Ranking.PLACE: 0.05}
"""A smaller difference does not matter, in wins and in places a game. In points: this share of their spread."""

POINTS_MARGIN = 0.05

NODES = 64


@dataclass(frozen=True, slots=True)
class VersionResult:
    """What one version did in one game. `fault`: it was disqualified."""

    place: int
    points: float
    fault: bool = False


@dataclass(frozen=True, slots=True)
class Pair:
    """Two games that differ in nothing but the version. `alike`: each play was the same in both. A pair in which an
    opponent was disqualified is `no_contest` and tells nothing."""

    new: VersionResult
    old: VersionResult
    no_contest: bool = False
    alike: bool = False


class Answer(StrEnum):
    """What the games say of the new version."""

    BETTER = "better"
    WORSE = "worse"
    ALIKE = "alike"  # whatever the difference is, it does not matter
    OPEN = "open"  # no difference was seen
    DISQUALIFIED = "disqualified"


@dataclass(frozen=True, slots=True)
class Estimate:
    """At the last look, after `pairs` pairs: how much better the new version is in a game, and the interval of that.
    More is better, whatever is measured."""

    pairs: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ComparisonState:
    """How a comparison stands. `pairs` counts those that tell something, `most` how many of them there will be at most;
    `alike` is how many of them were played alike. `finished`: no further pair is wanted."""

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
    """The state of a comparison of at most `most` pairs, after the pairs in the order in which they were begun."""
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
        new_wins=_wins(pair.new for pair in contests),
        old_wins=_wins(pair.old for pair in contests),
        new_faults=new_faults,
        old_faults=old_faults,
        estimate=estimate,
        answer=answer,
        finished=spent or answer is not Answer.OPEN,
    )


def _wins(parts: Iterable[VersionResult]) -> int:
    return sum(part.place == 1 and not part.fault for part in parts)


def tries(most: int) -> int:
    """How many pairs are played at most, when opponents' faults spoil some of them."""
    return most + most // 2


def _look(contests: Sequence[Pair], ranking: Ranking, most: int) -> tuple[Estimate | None, Answer]:
    """The first look that is clear, or the last one so far."""
    estimate, answer = None, Answer.OPEN
    for look in looks(most):
        if look <= len(contests) and answer is Answer.OPEN:
            estimate = estimate_of(contests[:look], ranking, most)
            answer = _answer(estimate, _margin(contests[:look], ranking))
    return estimate, answer


def _answer(estimate: Estimate, margin: float) -> Answer:
    if estimate.low > 0:
        return Answer.BETTER
    if estimate.high < 0:
        return Answer.WORSE
    return Answer.ALIKE if -margin < estimate.low and estimate.high < margin else Answer.OPEN


def _margin(pairs: Sequence[Pair], ranking: Ranking) -> float:
    return MARGINS.get(ranking) or POINTS_MARGIN * _spread(pairs)


# Estimating


def score(part: VersionResult, ranking: Ranking) -> float:
    """What the ranking goes by in one game; more is better."""
    match ranking:
        case Ranking.WIN_RATE:
            return float(part.place == 1 and not part.fault)
        case Ranking.PLACE:
            return -float(part.place)
        case Ranking.POINTS:
            return part.points


def estimate_of(pairs: Sequence[Pair], ranking: Ranking, most: int) -> Estimate:
    """The mean difference and its interval, at one of the looks of a comparison of at most `most` pairs.

    As if two further pairs had been played, one won and one lost by as much as can be (for wins: Bonett and Price, J.
    Educ. Behav. Stat. 37, 2012): a few pairs that all went alike do not prove that all others would.
    """
    differences = np.array([score(pair.new, ranking) - score(pair.old, ranking) for pair in pairs])
    pairs_, unit = len(differences) + 2, _unit(pairs, ranking)
    centre = differences.sum() / pairs_
    variance = ((differences**2).sum() + 2 * unit**2) / pairs_ - centre**2
    quantile = float(scipy.special.stdtrit(max(1, len(differences) - 1), scipy.special.ndtr(critical(looks(most)))))
    half = quantile * sqrt(variance / pairs_)
    mean = float(differences.mean())
    return Estimate(len(differences), mean, min(mean, centre - half), max(mean, centre + half))


def _unit(pairs: Sequence[Pair], ranking: Ranking) -> float:
    """About the largest difference that a pair can show; points have no bounds, so their spread has to do."""
    match ranking:
        case Ranking.WIN_RATE:
            return 1.0
        case Ranking.PLACE:
            return max(1.0, max(max(pair.new.place, pair.old.place) for pair in pairs) - 1.0)
        case Ranking.POINTS:
            return sqrt(2) * _spread(pairs)


def _spread(pairs: Sequence[Pair]) -> float:
    """The standard deviation of the points of a game; 1 where all were the same."""
    return float(np.std([part.points for pair in pairs for part in (pair.new, pair.old)])) or 1.0


# Looking


@cache
def looks(most: int) -> tuple[int, ...]:
    """After how many pairs a comparison of at most `most` is looked at: at the end, at half of it, and so on."""
    found = [most]
    while found[-1] // 2 >= FIRST_LOOK:
        found.append(found[-1] // 2)
    return tuple(reversed(found))


@cache
def critical(at: tuple[int, ...]) -> float:
    """How many standard errors wide an interval must be to each side, so that those of all looks hold at once.

    Pocock's constant, for looks after any numbers of pairs: 1.960 for one look, 2.178 for two that are evenly spaced.
    """
    return float(scipy.optimize.brentq(lambda width: _staying(width, at) - CONFIDENCE, 1.5, 5.0, xtol=1e-6))


def _staying(width: float, at: Sequence[int]) -> float:
    """The probability that a sum of independent standard normal numbers stays within `width` standard deviations at
    each of these looks: integrated look by look (Armitage, McPherson and Rowe, J. R. Stat. Soc. A 132, 1969)."""
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
