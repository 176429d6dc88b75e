"""Do two students' players do better with each other at the table than their strengths predict? Plain functions on
plain data; nothing here proves anything, it says where to look.

By the Plackett–Luce model a player of strength s wins a table with probability s / (sum of the strengths there). What
it wins beyond that in the games of a block is the block's surplus. For each ordered pair it is asked whether the
second one's surplus in the blocks with the first is greater than in its others ("helps"), and for each pair whether
both together win more than apart ("together"). Under the hypothesis of honest play the blocks with a certain opponent
are a random sample of a player's blocks, so how well the model fits, and how good the player is, cancels out. The four
games of a block have the same players, so the block is the unit. The sum of a sample drawn without replacement is
compared with a Pearson III distribution of its mean, variance and skewness: a normal one would raise several times too
many alarms, for wins are rare and lopsided.

All pairs are tested at once, so the p values are corrected by Benjamini and Hochberg (Journal of the Royal Statistical
Society B 57, 1995): of the pairs that are named, at most the share FALSE_SHARE is expected to be innocent, and a field
in which everybody is honest has any named at all in at most that share of cases.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import scipy  # its `stats` loads when first used: it takes as long as half of what else a process loads
from numpy.typing import NDArray

from tournament.ranking.plackett_luce import MEAN_RATING, POINTS_PER_DECADE, PlayedBlock

FALSE_SHARE = 0.01

LEAST_BLOCKS = 4
"""Pairs with fewer blocks together are not tested, nor those with fewer apart."""

PRIOR_BLOCKS = 20.0
"""A player's own variance counts as much as that of all players after so many blocks."""

FIRST = ord("1")
HOUSE = -1

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]


class SuspicionKind(StrEnum):
    """What two players would do."""

    HELPS = "helps"  # the first one the second
    TOGETHER = "together"


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A pair of students, by user id, whose results together deviate. Of `games` with both at the table the helped one,
    or one of both, won `wins`; from their results elsewhere `expected` were to be expected. `chance`: the corrected
    p value."""

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
    """The `suspicions`, the most striking first. `tested` pairs of `pairs` had enough games together. `detectable`: a
    pair of the typical number of games would be named if it won such a share of its games more than expected; None if
    nothing was tested."""

    suspicions: Sequence[Suspicion]
    pairs: int
    tested: int
    games: int
    detectable: float | None


@dataclass(frozen=True, slots=True)
class _Log:
    """A line for each seat of each block: the index of its author (HOUSE for a bot), games won, to be expected, and
    played; and for each two students in a block their lines, in both orders."""

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
    """By author: blocks, and the mean, variance and third moment of the surplus in a block."""

    blocks: Numbers
    mean: Numbers
    variance: Numbers
    third: Numbers


@dataclass(frozen=True, slots=True)
class _Tests:
    """By tested pair: its key, blocks together, the p value, and what a standard deviation of the sum is in games."""

    key: Integers
    blocks: Numbers
    p: Numbers
    deviation: Numbers


def watch(blocks: Iterable[PlayedBlock], ratings: Mapping[int, float], authors: Mapping[int, int]) -> CollusionFindings:
    """Test all pairs of students. `ratings` and `authors` by entry; an entry without an author is a house bot."""
    people = sorted(set(authors.values()))
    log = _log(list(blocks), ratings, authors, people)
    habits = _habits(log, len(people))
    keys = log.author[log.one] * len(people) + log.author[log.other]
    surplus = log.surplus - np.where(log.author == HOUSE, 0.0, habits.mean[log.author]) if people else log.surplus
    helps = _helps(keys, surplus[log.other], habits, len(people))
    once = log.author[log.one] < log.author[log.other]
    together = _together(keys[once], (surplus[log.one] + surplus[log.other])[once], habits, len(people))
    p = np.concatenate([helps.p, together.p])
    chances = scipy.stats.false_discovery_control(p) if len(p) else p
    kinds = [SuspicionKind.HELPS] * len(helps.p) + [SuspicionKind.TOGETHER] * len(together.p)
    found = zip(kinds, [*helps.key.tolist(), *together.key.tolist()], chances.tolist(), strict=True)
    named = [_suspicion(*each, log, keys, people) for each in found if each[2] <= FALSE_SHARE]
    met = len(np.unique(keys[once]))
    return CollusionFindings(_best(named), met, len(together.key), _played(log), _detectable(helps))


def _log(
    blocks: Sequence[PlayedBlock], ratings: Mapping[int, float], authors: Mapping[int, int], people: Sequence[int]
) -> _Log:
    sizes: dict[int, list[PlayedBlock]] = defaultdict(list)
    for block in blocks:
        if len(block.finish) == len(block.entries) ** 2:  # as many games as players; else none counted
            sizes[len(block.entries)].append(block)
    nothing: Any = np.zeros(0)
    parts, start = [(_Log(nothing.astype(int), *[nothing] * 3, *[nothing.astype(int)] * 2), 0)], 0
    index = {person: number for number, person in enumerate(people)}
    of_entry = {entry: index[author] for entry, author in authors.items()}
    for size in sorted(sizes):
        part = _log_of_size(sizes[size], size, ratings, of_entry)
        parts.append((part, start))
        start += len(part.author)
    return _Log(
        *(
            np.concatenate([getattr(part, name) for part, _ in parts])
            for name in ("author", "won", "expected", "games")
        ),
        *(np.concatenate([getattr(part, name) + start for part, start in parts]) for name in ("one", "other")),
    )


def _log_of_size(
    blocks: Sequence[PlayedBlock], size: int, ratings: Mapping[int, float], of_entry: Mapping[int, int]
) -> _Log:
    won, chance, games = _results(blocks, size, ratings)
    author = np.array([[of_entry.get(entry, HOUSE) for entry in block.entries] for block in blocks])
    seats = np.arange(len(blocks))[:, None] * size
    rows, columns = np.nonzero(~np.eye(size, dtype=bool))
    one, other = (seats + rows).ravel(), (seats + columns).ravel()
    flat = author.ravel()
    real = (flat[one] != HOUSE) & (flat[other] != HOUSE) & (flat[one] != flat[other])
    played = np.repeat(games.sum(axis=1), size).astype(float)
    real &= played[one] > 0
    expected = chance * games.sum(axis=1)[:, None]
    return _Log(flat, won.sum(axis=1).ravel(), expected.ravel(), played, one[real], other[real])


def _results(
    blocks: Sequence[PlayedBlock], size: int, ratings: Mapping[int, float]
) -> tuple[Numbers, Numbers, NDArray[np.bool_]]:
    """Whether each player won, by block, game and player; the chance of that by block and player; and which games have
    exactly one winner: the others (after a fault all but the offender are equal) say nothing about strength."""
    digits = np.frombuffer("".join(block.finish for block in blocks).encode(), np.uint8).reshape(-1, size, size)
    first = digits == FIRST
    games = first.sum(axis=2) == 1
    points = np.array([[ratings.get(entry, MEAN_RATING) for entry in block.entries] for block in blocks])
    strength = 10 ** ((points - MEAN_RATING) / POINTS_PER_DECADE)
    return (first & games[:, :, None]).astype(float), strength / strength.sum(axis=1, keepdims=True), games


def _habits(log: _Log, people: int) -> _Habits:
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


def _helps(keys: Integers, surplus: Numbers, habits: _Habits, people: int) -> _Tests:
    """For each ordered pair: does the second win more with the first?"""
    found, position, blocks = np.unique(keys, return_inverse=True, return_counts=True)
    sums = np.bincount(position, surplus, len(found)).astype(float)
    other = found % max(people, 1)
    return _tested(found, blocks, sums, habits.blocks[other], habits.variance[other], habits.third[other])


def _together(keys: Integers, both: Numbers, habits: _Habits, people: int) -> _Tests:
    """For each pair: do both win more together? What one wins the other cannot, so their sum varies by less than if
    they were independent, as is assumed here: the test errs on the honest side."""
    found, position, blocks = np.unique(keys, return_inverse=True, return_counts=True)
    sums = np.bincount(position, both, len(found)).astype(float)
    first, second = found // max(people, 1), found % max(people, 1)
    fewer = np.minimum(habits.blocks[first], habits.blocks[second])
    variance = habits.variance[first] + habits.variance[second]
    return _tested(found, blocks, sums, fewer, variance, habits.third[first] + habits.third[second])


def _tested(key: Integers, blocks: Integers, sums: Numbers, of: Numbers, variance: Numbers, third: Numbers) -> _Tests:
    """The p values of sums over `blocks` drawn without replacement `of` so many."""
    enough = (blocks >= LEAST_BLOCKS) & (of - blocks >= LEAST_BLOCKS) & (variance > 0)
    drawn, moments = blocks[enough].astype(float), (variance[enough], third[enough])
    sampled = drawn / of[enough]
    deviation: Numbers = np.sqrt(drawn * moments[0] * (1 - sampled))
    skewness = moments[1] / moments[0] ** 1.5 * (1 - 2 * sampled) / np.sqrt(drawn * (1 - sampled))
    p: Numbers = np.asarray(scipy.stats.pearson3.sf(sums[enough] / deviation, skewness), float)
    return _Tests(key[enough], drawn, p, deviation)


def _suspicion(
    kind: SuspicionKind, key: int, chance: float, log: _Log, keys: Integers, people: Sequence[int]
) -> Suspicion:
    one, other = divmod(key, len(people))
    lines = keys == key
    of = (log.other[lines],) if kind is SuspicionKind.HELPS else (log.one[lines], log.other[lines])
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


def _best(named: Sequence[Suspicion]) -> list[Suspicion]:
    """Of each pair what is least likely by chance."""
    best: dict[frozenset[int], Suspicion] = {}
    for each in sorted(named, key=lambda each: (each.chance, each.one, each.other)):
        best.setdefault(frozenset((each.one, each.other)), each)
    return list(best.values())


def _played(log: _Log) -> int:
    """Games with a single winner in which at least two students sat."""
    others = np.bincount(log.one, minlength=len(log.games))
    return round(float((log.games / (others + 1))[others > 0].sum()))


def _detectable(tests: _Tests) -> float | None:
    """The surplus a game of a pair with the typical number of blocks that would be named alone."""
    if not len(tests.p):
        return None
    wanted = scipy.stats.pearson3.isf(FALSE_SHARE / len(tests.p), 0.0)
    return float(np.median(wanted * tests.deviation / (tests.blocks * 4)))


@dataclass(frozen=True, slots=True)
class TellingGame:
    """A game of a suspicious pair; `surplus`: what was won beyond what was to be expected."""

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
    """The games that speak most for a suspicion, the largest contribution first."""
    helped = {suspicion.other} if suspicion.kind is SuspicionKind.HELPS else {suspicion.one, suspicion.other}
    found = []
    for block in blocks:
        seated = [authors.get(entry) for entry in block.entries]
        if suspicion.one not in seated or suspicion.other not in seated or not block.finish:
            continue
        won, chance, games = _results([block], len(block.entries), ratings)
        own = [seat for seat, author in enumerate(seated) if author in helped]
        for seating in np.flatnonzero(games[0]):
            found.append(TellingGame(block.id, int(seating), float(won[0, seating, own].sum() - chance[0, own].sum())))
    return sorted(found, key=lambda game: (-game.surplus, game.block, game.seating))[:limit]
