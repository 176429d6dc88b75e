"""The best ways to group cards: seed 003_b5bb939de3a2bcd0, Part 4. A set of cards is a bit mask. Each step chooses a
valid group that contains the first remaining card, and each remaining set is solved only once. Only valid groups are
tried, since any other group never scores more than its cards one by one."""

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import combinations
from math import factorial
from operator import or_

from tournament.games.cards import COLOUR, VALUE
from tournament.games.go.groups import COST, OTHER_COLOUR

KING = 13


def best_partitions(cards: Sequence[str]) -> list[list[list[str]]]:
    """Return every grouping of the cards into valid groups that has the highest score, each once and in no particular
    order."""
    choices = _groups_by_first(cards)
    everything = (1 << len(cards)) - 1
    scores = _scores(choices, everything)
    groups = {mask: [card for bit, card in enumerate(cards) if mask >> bit & 1] for each in choices for mask in each}
    return [[groups[mask] for mask in masks] for masks in _best_masks(choices, scores, everything)]


def best_score(cards: Sequence[str]) -> int:
    """Return the highest score of any grouping of the cards."""
    everything = (1 << len(cards)) - 1
    return _scores(_groups_by_first(cards), everything)[everything]


def _groups_by_first(cards: Sequence[str]) -> list[dict[int, int]]:
    """Return the valid groups, by the index of their first card: for each group, its mask and its points."""
    choices: list[dict[int, int]] = [{1 << index: -COST[card]} for index, card in enumerate(cards)]
    for mask, points in (*_kinds(cards), *_runs(cards)):
        choices[_lowest(mask)][mask] = points
    return choices


def _scores(choices: Sequence[Mapping[int, int]], everything: int) -> dict[int, int]:
    """Return the best score of every set that can remain while valid groups are taken from `everything`."""
    scores = {0: 0}

    def solve(mask: int) -> int:
        if mask not in scores:
            scores[mask] = max(
                points + solve(mask ^ group)
                for group, points in choices[_lowest(mask)].items()
                if group & mask == group
            )
        return scores[mask]

    solve(everything)
    return scores


def _best_masks(choices: Sequence[Mapping[int, int]], scores: Mapping[int, int], mask: int) -> Iterator[list[int]]:
    """Yield every grouping of the set that reaches its best score."""
    if not mask:
        yield []
        return
    for group, points in choices[_lowest(mask)].items():
        if group & mask == group and points + scores[mask ^ group] == scores[mask]:
            for rest in _best_masks(choices, scores, mask ^ group):
                yield [group, *rest]


def _kinds(cards: Sequence[str]) -> Iterator[tuple[int, int]]:
    by_value: dict[int, list[int]] = {}
    for index, card in enumerate(cards):
        if card[0] != "A":
            by_value.setdefault(VALUE[card], []).append(1 << index)
    for value, bits in by_value.items():
        for size in range(2, len(bits) + 1):
            for chosen in combinations(bits, size):
                yield reduce(or_, chosen), factorial(size) * value


def _runs(cards: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield every run, as its mask and its points. Some runs appear more than once, since Aces of one colour are
    interchangeable."""
    naturals: dict[tuple[int, str], list[int]] = {}
    aces: dict[str, list[int]] = {"red": [], "black": []}
    for index, card in enumerate(cards):
        if card[0] == "A":
            aces[COLOUR[card]].append(1 << index)
        else:
            naturals.setdefault((VALUE[card], COLOUR[card]), []).append(1 << index)

    def extend(mask: int, points: int, size: int, value: int, colour: str) -> Iterator[tuple[int, int]]:
        """Yield the runs that continue this one with a card of that value and colour."""
        if value > KING:
            return
        for bit in naturals.get((value, colour), ()):
            if size > 1:
                yield mask | bit, points + value
            yield from extend(mask | bit, points + value, size + 1, value + 1, OTHER_COLOUR[colour])
        for bit in aces[colour]:
            if not mask & bit:
                yield from extend(mask | bit, points + value, size + 1, value + 1, OTHER_COLOUR[colour])

    for (value, colour), bits in naturals.items():
        for bit in bits:
            yield from extend(bit, value, 1, value + 1, OTHER_COLOUR[colour])


def _lowest(mask: int) -> int:
    """Return the lowest index of a card in the set."""
    return (mask & -mask).bit_length() - 1
