"""Valid tables of Comp10001-Huxxy, a sister game with two packs: seed 003_b5bb939de3a2bcd0, Part 1.

Its groups are others than those of Comp10001-Go: three cards at least, and an Ace is worth 1 and stands for nothing.
"""

from collections.abc import Sequence
from itertools import pairwise

from tournament.games.api import IllegalPlay
from tournament.games.cards import COLOUR, SUITS, VALUE, code


def valid_table(groups: Sequence[Sequence[str]]) -> bool:
    """Whether every group on the table is an N-of-a-kind or a run (seed, Part 1)."""
    try:
        for group in groups:
            judge(group)
    except IllegalPlay:
        return False
    return True


def judge(group: Sequence[str]) -> str:
    """`kind` or `run`; raises IllegalPlay for a group that is neither."""
    if len(group) < 3:
        raise _refused("too-few", group, "a group has at least three cards")
    if all(card[0] == group[0][0] for card in group):
        return _judge_kind(group)
    return _judge_run(group)


def _judge_kind(group: Sequence[str]) -> str:
    suits = {card[1] for card in group}
    if len(group) == 3 and len(suits) < 3:
        raise _refused("suit-twice", group, "in a 3-of-a-kind each card has another suit")
    if len(group) > 3 and len(suits) < len(SUITS):
        raise _refused("suit-missing", group, "an N-of-a-kind of four or more cards has all four suits")
    return "kind"


def _judge_run(group: Sequence[str]) -> str:
    for low, high in pairwise(sorted(group, key=VALUE.__getitem__)):
        if VALUE[low] == VALUE[high]:
            raise _refused("same-value", group, f"{code(low)} and {code(high)} have the same value, others have not")
        if VALUE[high] - VALUE[low] > 1:
            raise _refused("gap", group, f"the values between {code(low)} and {code(high)} are missing")
        if COLOUR[low] == COLOUR[high]:
            raise _refused("colours", group, f"{code(low)} and {code(high)} have the same colour")
    return "run"


def _refused(rule: str, group: Sequence[str], reason: str) -> IllegalPlay:
    return IllegalPlay(rule, f"{list(group)} is not a group: {reason}.")
