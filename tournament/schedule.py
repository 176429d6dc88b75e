"""Who plays whom next on a ladder: plain functions on plain data.

The first seat of a table goes to whoever has the fewest games, the others to those whom the ones already seated have
met least, and among these again to those with the fewest games. House bots sit where students are lacking, and now
and then elsewhere, so that everybody is measured against them. The ladder rests once every student has enough games.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import TypeAlias, TypeVar

T = TypeVar("T")

SEATINGS_OF_FOUR = ((0, 1, 2, 3), (1, 3, 0, 2), (2, 0, 3, 1), (3, 2, 1, 0))
"""ABCD BDAC CADB DCBA."""

HOUSE_SHARE = 1 / 16
"""Of the tables that students could fill alone, how many a house bot joins."""

Meetings: TypeAlias = Counter[tuple[int, int]]
"""How often two entries sat at one table lately, by their ids, the smaller one first."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An active entry. `games` counts those played and those waiting to be played; a house bot has no author."""

    id: int
    games: int
    author: int | None = None
    house: bool = False


def seatings(table: Sequence[T]) -> list[tuple[T, ...]]:
    """The orders in which a table sits for the games of one block: everybody sits once in each seat."""
    if len(table) == 4:
        return [tuple(table[index] for index in order) for order in SEATINGS_OF_FOUR]
    return [tuple(table[shift:]) + tuple(table[:shift]) for shift in range(len(table))]


def count_meetings(tables: Iterable[Sequence[int]]) -> Meetings:
    """How often each two of the entries sat together at `tables`."""
    return Counter(pair for table in tables for pair in combinations(sorted(table), 2))


def next_tables(
    candidates: Sequence[Candidate],
    sizes: Sequence[int],
    tables: int,
    target_games: int,
    met: Meetings,
    rng: Random,
) -> list[tuple[int, ...]]:
    """The next tables, `tables` at most, as tuples of entry ids; fewer or none when the ladder rests.

    `sizes` are the table sizes that the game allows, the usual one first; a smaller one is used only when there are
    not enough players, house bots included.
    """
    games = {each.id: each.games for each in candidates}
    met = met.copy()
    chosen: list[tuple[int, ...]] = []
    while len(chosen) < tables:
        table = _next_table(candidates, games, sizes, target_games, met, rng)
        if not table:
            break
        chosen.append(table)
        for id_ in table:
            games[id_] += len(table)  # a block is as many games as it has seatings
        met.update(count_meetings([table]))
    return chosen


def _next_table(
    candidates: Sequence[Candidate],
    games: dict[int, int],
    sizes: Sequence[int],
    target_games: int,
    met: Meetings,
    rng: Random,
) -> tuple[int, ...]:
    students = [each for each in candidates if not each.house]
    bots = [each for each in candidates if each.house]
    first = min(students, key=lambda each: (games[each.id], rng.random()), default=None)
    size = _size(sizes, len({each.author for each in students}) + len(bots))
    if first is None or not size or games[first.id] >= target_games:
        return ()
    table = [first]
    while len(table) < size:
        free = _strangers(students, table)
        last_for_house = len(table) == size - 1 and rng.random() < HOUSE_SHARE
        pool = _strangers(bots, table) if not free or last_for_house else []
        table.append(_least_met(pool or free, table, games, met, rng))
    rng.shuffle(table)
    return tuple(each.id for each in table)


def _size(sizes: Sequence[int], players: int) -> int:
    """The usual table size if there are as many players, else the largest that they can fill, else 0."""
    return sizes[0] if players >= sizes[0] else max((size for size in sizes if size <= players), default=0)


def _strangers(pool: Sequence[Candidate], table: Sequence[Candidate]) -> list[Candidate]:
    """Those of the pool who may join the table: nobody meets himself or another entry of the same author."""
    ids = {each.id for each in table}
    authors = {each.author for each in table if not each.house}
    return [each for each in pool if each.id not in ids and (each.house or each.author not in authors)]


def _least_met(
    pool: Sequence[Candidate], table: Sequence[Candidate], games: dict[int, int], met: Meetings, rng: Random
) -> Candidate:
    def cost(each: Candidate) -> tuple[int, int, float]:
        meetings = sum(met[min(each.id, other.id), max(each.id, other.id)] for other in table)
        return meetings, games[each.id], rng.random()

    return min(pool, key=cost)
