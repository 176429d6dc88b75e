"""What `quadrille bench games` measures of Comp10001-Go besides what it measures of every game."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from random import Random
from time import perf_counter

from deploy.measure.figures import Figure
from tournament.games.cards import PACK
from tournament.games.go.groups import points, valid_groups
from tournament.games.go.partitions import best_partitions
from tournament.games.go.state import TURNS, Grouping
from tournament.games.judges import Unordered

SEED = 1
HANDS = 5
REPEATS = 40


def measure() -> Iterator[Figure]:
    """`go.partitions`: sets of ten cards a second for which `best_partitions` finds all best groupings, beside trying
    all 115,975 groupings of each, with the points of every group remembered."""
    rng = Random(SEED)
    hands = [rng.sample(PACK, TURNS) for _ in range(HANDS)]
    slow_s, slow = _timed(try_all, hands)
    fast_s, fast = min((_timed(best_partitions, hands) for _ in range(REPEATS)), key=lambda run: run[0])
    if not all(map(Unordered(levels=3), slow, fast)):
        raise AssertionError("the two ways to find the best groupings disagree")
    yield Figure("go.partitions", HANDS / fast_s, "hands/s", HANDS / slow_s)


def try_all(cards: Sequence[str]) -> list[Grouping]:
    """All best groupings, by trying every one that there is."""

    @cache
    def known_points(*group: str) -> int:
        return points(group)

    best, found = -1000, list[Grouping]()
    for grouping in every_grouping(cards):
        score = sum(known_points(*group) for group in grouping)
        if score > best:
            best, found = score, []
        if score == best:
            found.append(grouping)
    return [grouping for grouping in found if valid_groups(grouping)]


def every_grouping(cards: Sequence[str]) -> Iterator[Grouping]:
    """All ways to put the cards into groups: 1, 1, 2, 5, 15 … for 0, 1, 2, 3, 4 … cards."""
    if not cards:
        yield []
        return
    first, *rest = cards
    for grouping in every_grouping(rest):
        yield [[first], *grouping]
        for number, group in enumerate(grouping):
            yield [*grouping[:number], [first, *group], *grouping[number + 1 :]]


def _timed(
    function: Callable[[Sequence[str]], list[Grouping]], hands: Sequence[Sequence[str]]
) -> tuple[float, list[list[Grouping]]]:
    start = perf_counter()
    found = [function(hand) for hand in hands]
    return perf_counter() - start, found
