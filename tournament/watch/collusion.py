"""Tests whether two students' players do better or worse at the same table than their strengths predict. Plain
functions on plain data. The results prove nothing; they only say where to look. They cannot distinguish a willing
partner from a victim, or intention from a way of playing that happens to suit or hurt the other player.

In the Plackett–Luce model, a player of strength s wins a game with probability s / (sum of the strengths at the table).
Its surplus in a block is its number of wins beyond this expectation. For each ordered pair, a two-tailed test asks
whether the second player's surplus is greater ("helps") or less ("against") in blocks with the first than in its other
blocks. For each pair, a further test asks whether both win more together than apart ("together"). If all play honestly,
the blocks with a certain opponent are a random sample of a player's blocks, so the fit of the model and the player's
strength cancel out. All games of a block have the same players, so the block is the unit of analysis. The sum of a
sample drawn without replacement is compared with a Pearson III distribution of the same mean, variance and skewness. A
normal distribution would raise several times too many alarms, because wins are rare and skewed.

The probability of an ordered pair's smaller tail is doubled, since either tail could have been the smaller one. All
pairs are tested at once, so the p values are corrected by the method of Benjamini and Hochberg (Journal of the Royal
Statistical Society B 57, 1995). At most the share FALSE_SHARE of the named pairs is expected to be innocent; and if
everybody is honest, the probability that any pair is named is at most FALSE_SHARE.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import scipy  # `scipy.stats` is loaded when first used, which takes half as long as all other imports
from numpy.typing import NDArray

from tournament.ranking.plackett_luce import MEAN_RATING, POINTS_PER_DECADE, PlayedBlock

FALSE_SHARE = 0.01

LEAST_BLOCKS = 4
"""Pairs with fewer blocks together than this, or fewer apart, are not tested."""

PRIOR_BLOCKS = 20.0
"""The number of blocks after which a player's own variance counts as much as the variance of all players."""

FIRST = ord("1")
HOUSE = -1

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]


class SuspicionKind(StrEnum):
    """What two players are suspected of."""

    HELPS = "helps"  # the first helps the second
    AGAINST = "against"  # the first plays against the second
    TOGETHER = "together"


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A pair of students, by user id, whose results together differ from what is expected. Of `games` with both at the
    table, the `other` (TOGETHER: either of them) won `wins`, and was expected to win `expected`. `chance`: the
    corrected p value."""

    kind: SuspicionKind
    one: int
    other: int
    blocks: int
    games: int
    wins: int
    expected: float
    chance: float


@dataclass(frozen=True, slots=True)
class CollusionFindings:
    """The `suspicions`, the most striking first. `tested` of the `pairs` that met had enough games together.
    `detectable` and `detectable_less`: the additional share of games with another player that a player would have to
    win, or lose, to be named in half of all cases, given the typical number of such games; None if nothing was
    tested. `unseen`: the share of tested pairs, in both orders, that would not be named if the second player lost
    every game with the first."""

    suspicions: Sequence[Suspicion]
    pairs: int
    tested: int
    games: int
    detectable: float | None
    detectable_less: float | None = None
    unseen: float = 0.0


@dataclass(frozen=True, slots=True)
class _Log:
    """A line for each seat of each block: the index of the entry's author (HOUSE for a bot), and the numbers of games
    that were won, expected to be won, and played. `one` and `other`: the lines of each pair of students in a block,
    in both orders."""

    author: Integers
    won: Numbers
    expected: Numbers
    games: Numbers
    one: Integers
    other: Integers

    @property
    def surplus(self) -> Numbers:
        return self.won - self.expected


@dataclass(frozen=True, slots=True)
class _Habits:
    """Figures by author: the number of blocks, and the mean, variance and third moment of the surplus in a block."""

    blocks: Numbers
    mean: Numbers
    variance: Numbers
    third: Numbers


@dataclass(frozen=True, slots=True)
class _Tests:
    """Figures by tested pair: its key, the number of blocks together, the p value, the standard deviation of the sum in
    games, its skewness, whether the sum is in the lower tail, and the expected number of games won."""

    key: Integers
    blocks: Numbers
    p: Numbers
    deviation: Numbers
    skewness: Numbers
    less: NDArray[np.bool_]
    expected: Numbers


def find_suspicions(
    blocks: Iterable[PlayedBlock], ratings: Mapping[int, float], authors: Mapping[int, int]
) -> CollusionFindings:
    """Test all pairs of students. `ratings` and `authors` are given by entry; an entry without an author is a house
    bot."""
    people = sorted(set(authors.values()))
    log = _log([block for block in blocks if _has_results(block)], ratings, authors, people)
    habits = _author_habits(log, len(people))
    keys = log.author[log.one] * len(people) + log.author[log.other]
    surplus = log.surplus - np.where(log.author == HOUSE, 0.0, habits.mean[log.author]) if people else log.surplus
    once = log.author[log.one] < log.author[log.other]
    single = _test_pairs(keys, surplus[log.other], log.expected[log.other], habits, together=False)
    both, expected = surplus[log.one] + surplus[log.other], log.expected[log.one] + log.expected[log.other]
    together = _test_pairs(keys[once], both[once], expected[once], habits, together=True)
    p = np.concatenate([single.p, together.p])
    chances = scipy.stats.false_discovery_control(p) if len(p) else p
    kinds = [SuspicionKind.AGAINST if less else SuspicionKind.HELPS for less in single.less.tolist()]
    kinds += [SuspicionKind.TOGETHER] * len(together.p)
    found = zip(kinds, [*single.key.tolist(), *together.key.tolist()], chances.tolist(), strict=True)
    named = [_suspicion(*each, log, keys, people) for each in found if each[2] <= FALSE_SHARE]
    least_likely: dict[frozenset[int], Suspicion] = {}
    for each in sorted(named, key=lambda each: (each.chance, each.one, each.other)):
        least_likely.setdefault(frozenset((each.one, each.other)), each)
    # The games with a single winner and at least two students, each counted once
    others = np.bincount(log.one, minlength=len(log.games))
    games = round(float((log.games / (others + 1))[others > 0].sum()))
    met = len(np.unique(keys[once]))
    return CollusionFindings(list(least_likely.values()), met, len(together.key), games, *_power(single, len(p)))


def _has_results(block: PlayedBlock) -> bool:
    """Whether the block's games count. A block has as many games as players, and has no finishing order if none of them
    counted."""
    return len(block.finish) == len(block.entries) ** 2


def _log(
    blocks: Sequence[PlayedBlock], ratings: Mapping[int, float], authors: Mapping[int, int], people: Sequence[int]
) -> _Log:
    index = {person: number for number, person in enumerate(people)}
    of_entry = {entry: index[author] for entry, author in authors.items()}
    entries = [entry for block in blocks for entry in block.entries]
    author = np.array([of_entry.get(entry, HOUSE) for entry in entries], int)
    strength = _strength([ratings.get(entry, MEAN_RATING) for entry in entries])
    size = np.array([len(block.entries) for block in blocks], int)
    block = np.repeat(np.arange(len(size)), size)
    # A block of n players has n games, so its games can be numbered like its lines. Its finishing order has n digits
    # for each game, so pairs of a game and a line are numbered like pairs of two lines.
    square = np.repeat(np.arange(len(size)), size**2)
    within = np.arange(len(square)) - (np.cumsum(size**2) - size**2)[square]
    start = (np.cumsum(size) - size)[square]
    game, line = start + within // size[square], start + within % size[square]
    first = np.array(bytearray("".join(block.finish for block in blocks).encode()), np.uint8) == FIRST
    # After a fault, all but the offender are equal, so the game says nothing about strength
    single = np.bincount(game, first, len(author)) == 1
    won = np.bincount(line, first & single[game], len(author)).astype(float)
    games = np.bincount(block, single, len(size))[block].astype(float)
    expected = games * strength / np.bincount(block, strength, len(size))[block]
    students = (author[game] != HOUSE) & (author[line] != HOUSE) & (author[game] != author[line])
    real = students & (games[game] > 0)
    return _Log(author, won, expected, games, game[real], line[real])


def _strength(points: Sequence[float]) -> Numbers:
    strength: Numbers = 10 ** ((np.array(points, float) - MEAN_RATING) / POINTS_PER_DECADE)
    return strength


def _author_habits(log: _Log, people: int) -> _Habits:
    own = (log.author != HOUSE) & (log.games > 0)
    author, surplus = log.author[own], log.surplus[own]
    blocks = np.bincount(author, minlength=people).astype(float)
    mean = np.bincount(author, surplus, people) / np.maximum(blocks, 1)
    apart = surplus - mean[author]
    moments = []
    for power in (2, 3):
        pooled = (apart**power).mean() if len(apart) else 0.0
        moments.append((np.bincount(author, apart**power, people) + PRIOR_BLOCKS * pooled) / (blocks + PRIOR_BLOCKS))
    return _Habits(blocks, mean, moments[0], moments[1])


def _test_pairs(keys: Integers, surplus: Numbers, expected: Numbers, habits: _Habits, together: bool) -> _Tests:
    """Test for each ordered pair whether the second player wins more or less with the first; or, if `together`, for
    each pair whether both win more. A game that one of them wins is not won by the other. So the sum of their
    surpluses varies less than the test assumes, which treats them as independent: the test errs in favour of the
    players."""
    found, position, counts = np.unique(keys, return_inverse=True, return_counts=True)
    sums = np.bincount(position, surplus, len(found))
    wins: Numbers = np.bincount(position, expected, len(found)).astype(float)
    first, second = np.divmod(found, max(len(habits.blocks), 1))
    of, variance, third = habits.blocks[second], habits.variance[second], habits.third[second]
    if together:
        of = np.minimum(of, habits.blocks[first])
        variance, third = variance + habits.variance[first], third + habits.third[first]
    # The sum over `blocks` that are drawn without replacement from `of`
    enough = (counts >= LEAST_BLOCKS) & (of - counts >= LEAST_BLOCKS) & (variance > 0)
    blocks, variance, third = counts[enough].astype(float), variance[enough], third[enough]
    sampled = blocks / of[enough]
    deviation: Numbers = np.sqrt(blocks * variance * (1 - sampled))
    skewness = third / variance**1.5 * (1 - 2 * sampled) / np.sqrt(blocks * (1 - sampled))
    more, less = (
        np.asarray(tail(sums[enough] / deviation, skewness), float)
        for tail in (scipy.stats.pearson3.sf, scipy.stats.pearson3.cdf)
    )
    p: Numbers = more if together else np.minimum(2 * np.minimum(more, less), 1.0)
    return _Tests(found[enough], blocks, p, deviation, skewness, less < more, wins[enough])


def _suspicion(
    kind: SuspicionKind, key: int, chance: float, log: _Log, keys: Integers, people: Sequence[int]
) -> Suspicion:
    one, other = divmod(key, len(people))
    lines = keys == key
    of = (log.one[lines], log.other[lines]) if kind is SuspicionKind.TOGETHER else (log.other[lines],)
    return Suspicion(
        kind,
        people[one],
        people[other],
        blocks=int(lines.sum()),
        games=int(log.games[of[0]].sum()),
        wins=int(sum(log.won[each].sum() for each in of)),
        expected=float(sum(log.expected[each].sum() for each in of)),
        chance=chance,
    )


def _power(tests: _Tests, number: int) -> tuple[float | None, float | None, float]:
    """Return the surplus and the loss per game for which a pair with the typical number of blocks would be named, as
    the only one in this `number` of tests. Also return the share of pairs that no loss would get named."""
    if not len(tests.p):
        return None, None, 0.0
    chance = FALSE_SHARE / number / 2
    more = scipy.stats.pearson3.isf(chance, tests.skewness) * tests.deviation
    less = -scipy.stats.pearson3.ppf(chance, tests.skewness) * tests.deviation
    typical = [float(np.median(each / (tests.blocks * 4))) for each in (more, less)]
    return typical[0], typical[1], float((less > tests.expected).mean())


@dataclass(frozen=True, slots=True)
class TellingGame:
    """A game of a suspicious pair; `surplus` is the number of wins beyond the expectation, negative if there were
    fewer."""

    block: int
    seating: int
    surplus: float


def telling_games(
    suspicion: Suspicion,
    blocks: Iterable[PlayedBlock],
    ratings: Mapping[int, float],
    authors: Mapping[int, int],
    limit: int,
) -> list[TellingGame]:
    """Return the games that support a suspicion most, the strongest evidence first."""
    pair = {suspicion.one, suspicion.other}
    affected = pair if suspicion.kind is SuspicionKind.TOGETHER else {suspicion.other}
    sign = -1 if suspicion.kind is SuspicionKind.AGAINST else 1
    found = []
    for block in filter(_has_results, blocks):
        seated = [authors.get(entry) for entry in block.entries]
        if not pair.issubset(seated):
            continue
        strength = _strength([ratings.get(entry, MEAN_RATING) for entry in block.entries])
        own = [seat for seat, author in enumerate(seated) if author in affected]
        expected = float(strength[own].sum() / strength.sum())
        for seating in range(len(seated)):
            places = block.finish[seating * len(seated) :][: len(seated)]
            if places.count("1") == 1:
                surplus = sum(places[seat] == "1" for seat in own) - expected
                found.append(TellingGame(block.id, seating, surplus))
    return sorted(found, key=lambda game: (-sign * game.surplus, game.block, game.seating))[:limit]
