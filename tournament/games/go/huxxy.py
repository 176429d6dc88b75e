"""Valid tables of Comp10001-Huxxy, a sister game with two packs: seed 003_b5bb939de3a2bcd0, Part 1.

Its groups differ from those of Comp10001-Go: they have at least three cards, and an Ace is worth 1 and is not wild.
"""

from collections.abc import Sequence
from itertools import pairwise

from tournament.games.api import IllegalPlay
from tournament.games.cards import COLOUR, SUITS, VALUE, code
from tournament.games.go.groups import not_a_group


def valid_table(groups: Sequence[Sequence[str]]) -> bool:
    """Whether every group on the table is an N-of-a-kind or a run (seed, Part 1)."""
    try:
        for group in groups:
            judge(group)
    except IllegalPlay:
        return False
    return True


def judge(group: Sequence[str]) -> str:
    """Return `kind` or `run`; raise IllegalPlay for a group that is neither."""
    if len(group) < 3:
        raise not_a_group("too-few", group, "a group has at least three cards")
    if all(card[0] == group[0][0] for card in group):
        suits = {card[1] for card in group}
        if len(group) == 3 and len(suits) < 3:
            raise not_a_group("suit-twice", group, "in a 3-of-a-kind each card has a different suit")
        if len(group) > 3 and len(suits) < len(SUITS):
            raise not_a_group("suit-missing", group, "an N-of-a-kind of four or more cards has all four suits")
        return "kind"
    for low, high in pairwise(sorted(group, key=VALUE.__getitem__)):
        if VALUE[low] == VALUE[high]:
            raise not_a_group(
                "same-value", group, f"{code(low)} and {code(high)} have the same value, but others do not"
            )
        if VALUE[high] - VALUE[low] > 1:
            raise not_a_group("gap", group, f"the values between {code(low)} and {code(high)} are missing")
        if COLOUR[low] == COLOUR[high]:
            raise not_a_group("colours", group, f"{code(low)} and {code(high)} have the same colour")
    return "run"
