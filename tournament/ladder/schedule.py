"""Decides who plays whom next on a ladder. Plain functions on plain data.

The first seat of a table goes to the entry with the fewest games. Each other seat goes to the entry with the least sum
of three costs: how often it has met those already seated, how many games it is ahead of the others, and how uneven this
table would make the opposition of its players. A win rate is a fair measure only between players with equally strong
opponents. All games of a block have the same opponents, so opposition matters all the more.

A new entry has its first games soon: its blocks are drawn however many others wait, and are played before them. Among
new entries' blocks, the one whose student has the fewest games comes first.

House bots fill seats for which there are too few students, and occasionally other seats, so that everybody is measured
against them. The ladder rests once every student has enough games.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

T = TypeVar("T")

HOUSE_SHARE = 1 / 16
"""The share of the tables that a house bot joins although students alone could fill them."""

EVENNESS = 0.5
"""The cost, in meetings, of adding an opponent one standard deviation above the mean to an opposition that is already
one above. Found by simulation (tests/tournament/ranking/simulation.py); a value three times larger or smaller makes
little difference."""

FRACTION = 1024
"""Strengths are multiples of 1/FRACTION, so that their sums are exact in any order, and tables are the same on every
machine."""

FIRST_GAMES = 10
"""The number of a new entry's games that are played before other entries' games."""

LEVEL_BLOCKS = 2
"""A lead of more blocks than this costs no more than a lead of this many. Otherwise, two new entries would meet again
and again."""

PRIOR_GAMES = 20
"""The prior assumption that an entry is average weighs as much as this many games."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Candidate:
    """An active entry. `games` counts those played and those waiting; a house bot has no author. `strength`: an
    estimate in standard deviations from the mean of all, 0 where nothing is known."""

    id: int
    games: int
    author: int | None = None
    house: bool = False
    strength: float = 0.0


def strengths(games: ArrayLike, scores: ArrayLike) -> Numbers:
    """Estimate each entry's strength, in standard deviations from the mean of all. This is good enough to spread strong
    opponents evenly; no ranking depends on it. `scores` are sums over the games, more is better."""
    played, total = np.asarray(games, float), np.asarray(scores, float)
    rate = total / np.maximum(played, 1)
    weight = played / (played + PRIOR_GAMES)
    if not weight.any():
        return np.zeros(len(played))
    centred = rate - np.average(rate, weights=weight)
    spread = np.sqrt(np.average(centred**2, weights=weight))
    return weight * centred / spread if spread else np.zeros(len(played))


class Meetings:
    """The number of blocks in which each pair of entries met: a square matrix, `counts`, in the order of `ids`."""

    def __init__(self, ids: Sequence[int], tables: Iterable[Sequence[int]] = ()) -> None:
        self.ids = list(ids)
        self.counts = np.zeros((len(self.ids), len(self.ids)), np.float32)  # exact, and quick to multiply
        self._row = {id_: row for row, id_ in enumerate(self.ids)}
        self.add(tables)

    def add(self, tables: Iterable[Sequence[int]]) -> None:
        """Count the meetings at these tables; entries that are not in `ids` are ignored."""
        for table in tables:
            rows = [self._row[id_] for id_ in table if id_ in self._row]
            self.counts[np.ix_(rows, rows)] += 1
            self.counts[rows, rows] -= 1

    def among(self, ids: Sequence[int]) -> "Meetings":
        """Return the meetings among the entries `ids`; new entries have met nobody."""
        wanted = Meetings(ids)
        if wanted.ids == self.ids:
            wanted.counts[:] = self.counts
            return wanted
        kept = [id_ for id_ in ids if id_ in self._row]
        here, there = [self._row[id_] for id_ in kept], [wanted._row[id_] for id_ in kept]
        wanted.counts[np.ix_(there, there)] = self.counts[np.ix_(here, here)]
        return wanted

    def numbered(self) -> "Meetings":
        """Return the same meetings, with the entries numbered from 0 instead of their ids."""
        numbered = Meetings(range(len(self.ids)))
        numbered.counts[:] = self.counts
        return numbered


def next_tables(
    candidates: Sequence[Candidate],
    sizes: Sequence[int],
    tables: int,
    target_games: int,
    met: Meetings,
    rng: Random,
    first_tables: int = 0,
) -> list[tuple[int, ...]]:
    """Return the next tables, `tables` at most, as tuples of entry ids; fewer or none when the ladder rests. While any
    student's entry lacks some of the FIRST_GAMES, the limit is `first_tables` if that is more. `sizes` are the game's
    table sizes, the usual one first; a smaller one is used only when there are not enough players, house bots
    included."""
    hall = _Hall(candidates, met.among([each.id for each in candidates]), rng)
    size = _table_size(sizes, candidates)
    chosen: list[tuple[int, ...]] = []
    while size and (fewest := hall.fewest_games()) < target_games:
        if len(chosen) >= (max(tables, first_tables) if fewest < FIRST_GAMES else tables):
            break
        chosen.append(hall.seat(size))
    return chosen


def urgencies(candidates: Iterable[Candidate], tables: Iterable[Sequence[int]]) -> list[int]:
    """Return, for each of the next tables, how many of the FIRST_GAMES its student with the fewest games still lacks by
    then."""
    games, found = {each.id: each.games for each in candidates if not each.house}, []
    for table in tables:
        students = [id_ for id_ in table if id_ in games]
        found.append(max(0, FIRST_GAMES - min(games[id_] for id_ in students)))
        games.update({id_: games[id_] + len(table) for id_ in students})
    return found


def _table_size(sizes: Sequence[int], candidates: Sequence[Candidate]) -> int:
    """Return the usual table size if there are enough players; otherwise the largest that they can fill, or 0."""
    authors = {each.author for each in candidates if not each.house}
    players = len(authors) + sum(each.house for each in candidates)
    if not authors:
        return 0
    return sizes[0] if players >= sizes[0] else max((size for size in sizes if size <= players), default=0)


class _Hall:
    """The candidates, as arrays, while tables are filled one after the other."""

    def __init__(self, candidates: Sequence[Candidate], met: Meetings, rng: Random) -> None:
        self.ids = met.ids
        self.met = met.counts
        self.games = np.array([each.games for each in candidates], float)
        self.strength = np.array([round(each.strength * FRACTION) / FRACTION for each in candidates], float)
        self.house = np.array([each.house for each in candidates], bool)
        self.author = np.array([-1 - row if each.house else each.author for row, each in enumerate(candidates)])
        students = ~self.house
        others = np.maximum(students.sum() - students, 1)
        # The mean strength of each candidate's opponents if it met all students equally often
        self.fair: Numbers = (self.strength[students].sum() - students * self.strength) / others
        # Not `@`: for a matrix and a vector its threads cost more than they save, and keep both processors busy
        strength = np.einsum("ij,j->i", self.met, self.strength.astype(np.float32))
        self.opposition = strength - self.met.sum(axis=1) * self.fair
        self.rng = rng

    def fewest_games(self) -> float:
        return float(self.games[~self.house].min(initial=np.inf))

    def seat(self, size: int) -> tuple[int, ...]:
        """Fill a table, count its games and meetings, and return its entries in a random order."""
        table = [self._least(self.games, ~self.house)]
        while len(table) < size:
            # No entry meets itself or another entry of its author
            free = (self.author[:, None] != self.author[table]).all(axis=1)
            students = free & ~self.house
            last_for_house = len(table) == size - 1 and self.rng.random() < HOUSE_SHARE
            bots = free & self.house
            pool = bots if bots.any() and (last_for_house or not students.any()) else students
            table.append(self._least(self._cost(table, pool, size), pool))
        together = self.strength[table].sum()
        self.games[table] += size  # a block has one game for each seating
        self.opposition[table] += together - self.strength[table] - (size - 1) * self.fair[table]
        self.met[np.ix_(table, table)] += 1
        self.met[table, table] -= 1
        self.rng.shuffle(table)
        return tuple(self.ids[row] for row in table)

    def _cost(self, table: Sequence[int], pool: NDArray[np.bool_], size: int) -> Numbers:
        """Return the cost of seating each candidate. If a player of strength s joins one whose opponents so far are
        stronger than fair by o, the square of o grows by 2os plus a part that hardly depends on who meets whom."""
        met: Numbers = self.met[table].sum(axis=0)
        ahead = np.minimum((self.games - self.games[pool].min()) / size, LEVEL_BLOCKS)
        uneven = self.opposition[table].sum() * self.strength + self.opposition * self.strength[table].sum()
        cost: Numbers = met + ahead + EVENNESS * uneven
        return cost

    def _least(self, cost: Numbers, pool: NDArray[np.bool_]) -> int:
        """Return one of the candidates in the pool with the least cost, chosen at random."""
        wanted = np.where(pool, cost, np.inf)
        return int(self.rng.choice(np.flatnonzero(wanted == wanted.min())))
