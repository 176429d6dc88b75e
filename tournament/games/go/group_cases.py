"""Hidden cases of Q2 and of the bonus question, judged by the rules.

No case contains an empty group, two equal cards (there is only one pack) or no cards at all.
"""

from collections.abc import Iterator
from random import Random

from tournament.games.api import Case, IllegalPlay
from tournament.games.go.groups import judge
from tournament.games.go.partitions import best_partitions
from tournament.games.go.positions import groupings, piles
from tournament.games.go.rules import TURNS, Grouping
from tournament.games.quotas import Candidate, Kind, by_quotas

GROUP_QUOTAS: dict[Kind, int] = {
    (True, "singles"): 40,
    (True, "kind"): 120,
    (True, "run"): 140,
    (True, "run with Aces"): 210,
    (False, "no-pair"): 110,
    (False, "only-aces"): 40,
    (False, "one-natural"): 30,
    (False, "same-value"): 90,
    (False, "gap"): 90,
    (False, "ace-colour"): 70,
    (False, "colours"): 100,
    (False, "idle-ace"): 90,
}
PARTITION_QUOTAS: dict[Kind, int] = {
    ("one card", "one best"): 2,
    ("few cards", "one best"): 14,
    ("few cards", "several best"): 8,
    ("ten cards", "one best"): 40,
    ("ten cards", "several best"): 36,
}


@by_quotas(GROUP_QUOTAS)
def group_cases(rng: Random) -> Iterator[Candidate]:
    """Yield hidden cases of Q2. If a group is refused, the title is the reason."""
    for grouping in groupings(rng):
        copy = [list(group) for group in rng.sample(grouping, len(grouping))]
        try:
            yield (True, _kind_of_grouping(copy)), Case((copy,), True)
        except IllegalPlay as illegal:
            yield (False, illegal.rule), Case((copy,), False, illegal.message)


def _kind_of_grouping(grouping: Grouping) -> str:
    """Return what a valid grouping contains; raises IllegalPlay if it is not valid."""
    for group in grouping:
        judge(group)
    larger = [{card[0] for card in group} for group in grouping if len(group) > 1]
    if any("A" in values for values in larger):
        return "run with Aces"
    if any(len(values) > 1 for values in larger):
        return "run"
    return "kind" if larger else "singles"


@by_quotas(PARTITION_QUOTAS)
def partition_cases(rng: Random) -> Iterator[Candidate]:
    """Yield hidden cases of the bonus question, most of them with ten cards."""
    for pile in piles(rng):
        cards = rng.sample(pile, len(pile))
        best = best_partitions(cards)
        size = {1: "one card", TURNS: "ten cards"}.get(len(cards), "few cards")
        title = f"{len(cards)} card{'s' * (len(cards) > 1)}, {len(best)} best grouping{'s' * (len(best) > 1)}"
        yield (size, "several best" if len(best) > 1 else "one best"), Case((cards,), best, title)
