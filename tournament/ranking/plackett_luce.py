"""Plackett–Luce ratings, fitted from finishing orders: plain functions on plain data. The model gives every player a
strength. A player who finishes ahead of others was chosen from the set of all of them, with a probability in
proportion to its strength; players in the same place are not chosen over each other. The fit is the MM algorithm of
Hunter, "MM algorithms for generalized Bradley-Terry models" (Annals of Statistics 32, 2004). For every player, one
won and one lost game against an average player are added, so that the ratings of players who always won, or never
won, are finite."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MEAN_RATING = 1500.0
POINTS_PER_DECADE = 400.0
"""The difference in rating, as in chess, between two players if one is ten times as strong as the other."""

TOLERANCE = 1e-8
"""The fit ends when no logarithm of a strength changes by more than this."""

MAX_ROUNDS = 2000

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PlayedBlock:
    """A played block. `finish` has, for each game, as many digits as there are `entries`; see `finish_of`."""

    id: int
    entries: tuple[int, ...]
    finish: str


def finish_of(places: Sequence[int], at_fault: Sequence[bool], counts: bool = True) -> str:
    """Return the order in which a game's players finished, as a digit for each: smaller is better, and equal digits are
    equal places. A fault loses the game for those at fault; it decides nothing between the others. A game that counts
    for nobody is all zeros."""
    if not counts:
        return "0" * len(places)
    return "".join(
        str(1 + fault) if any(at_fault) else str(place) for place, fault in zip(places, at_fault, strict=True)
    )


def ratings(blocks: Iterable[PlayedBlock]) -> dict[int, float]:
    """Return the rating of every entry that has played, by its id; the mean of all ratings is MEAN_RATING. The order of
    the blocks changes nothing, not even the last digit."""
    ordered = sorted(blocks, key=lambda block: block.id)
    ids = np.unique([id_ for block in ordered for id_ in block.entries])
    if not len(ids):
        return {}
    sizes: Mapping[int, list[PlayedBlock]] = defaultdict(list)
    for block in ordered:
        sizes[len(block.entries)].append(block)
    choices = [_choices_at_size(sizes[size], size, ids) for size in sorted(sizes)]  # for each size, arrays of one shape
    logarithms = np.log10(_fit(choices, len(ids)))
    points = MEAN_RATING + POINTS_PER_DECADE * (logarithms - logarithms.mean())
    return {int(id_): round(float(value), 3) for id_, value in zip(ids, points, strict=True)}


@dataclass(frozen=True, slots=True)
class _Choices:
    """`won[i]`: how often player i was chosen. Each row of `sets` has the players of a set to choose from, padded with
    the number of all players. A choice was made from it `times` times."""

    won: Numbers
    sets: Integers
    times: Numbers


def _choices_at_size(blocks: Sequence[PlayedBlock], size: int, ids: Integers) -> _Choices:
    """Return the choices in blocks of this size. A set is a block and a bit for each of its players; the four games of
    a block share most of their sets."""
    players = np.searchsorted(ids, np.array([block.entries for block in blocks]))
    lengths = [len(block.finish) // size for block in blocks]
    block_of = np.repeat(np.arange(len(blocks)), lengths)
    digits = np.frombuffer("".join(block.finish for block in blocks).encode(), np.uint8).reshape(-1, size)
    bits = 1 << np.arange(size)
    won = np.zeros(len(ids))
    chosen_from = np.zeros((len(blocks), 1 << size))
    for seat in range(size):
        behind = (digits > digits[:, seat, None]) @ bits
        decided = behind > 0
        won += np.bincount(players[block_of[decided], seat], minlength=len(ids))
        np.add.at(chosen_from, (block_of[decided], behind[decided] + (1 << seat)), 1)
    block, mask = np.nonzero(chosen_from)
    sets = np.where(mask[:, None] & bits, players[block], len(ids))
    return _Choices(won, sets, chosen_from[block, mask])


def _fit(choices: Sequence[_Choices], players: int) -> Numbers:
    """Return the strengths; their geometric mean is 1, the strength of the average player."""
    won = 1 + sum((each.won for each in choices), start=np.zeros(players))
    strengths = np.ones(players)
    for _ in range(MAX_ROUNDS):
        better = won / _exposure(choices, strengths)
        better /= np.exp(np.log(better).mean())
        change = np.abs(np.log(better / strengths)).max()
        strengths = better
        if change < TOLERANCE:
            break
    return strengths


def _exposure(choices: Sequence[_Choices], strengths: Numbers) -> Numbers:
    """Return, for each player, the sum of 1 / (strength of the whole set) over all choices from sets that contain the
    player."""
    padded = np.append(strengths, 0.0)
    total = 2 / (strengths + 1)
    for each in choices:
        share = each.times / padded[each.sets].sum(axis=1)
        weights = np.repeat(share, each.sets.shape[1])
        total += np.bincount(each.sets.ravel(), weights, minlength=len(padded))[:-1]
    return total
