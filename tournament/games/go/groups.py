"""Groups of discards, and what they score: seed 003_b5bb939de3a2bcd0, Parts 2 and 3; RULES.md settles what the seed
leaves open.

A group is a list of cards in any order: a single card, an N-of-a-kind, or a run in which Aces may fill the gaps.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import factorial
from typing import TypeAlias

from tournament.games.api import IllegalPlay
from tournament.games.cards import COLOUR, PACK, VALUE, VALUES, code

Group: TypeAlias = Sequence[str]
Groups: TypeAlias = Sequence[Group]

COST = {card: 20 if card[0] == "A" else VALUE[card] for card in PACK}
"""The cost of each card that scores nothing."""

OTHER_COLOUR = {"red": "black", "black": "red"}


def valid_groups(groups: Groups) -> bool:
    """Whether every group is a single card, an N-of-a-kind or a run (seed, Part 2)."""
    try:
        for group in groups:
            judge(group)
    except IllegalPlay:
        return False
    return True


def points(group: Group) -> int:
    """Return what a group scores. An invalid group costs as much as all its cards one by one."""
    try:
        return judge(group)
    except IllegalPlay:
        return -cost(group)


def cost(cards: Group) -> int:
    """Return the total cost of the cards if each counts on its own."""
    return sum(COST[card] for card in cards)


def judge(group: Group) -> int:
    """Return what a valid group scores. For any other group, raises IllegalPlay, which says what is wrong."""
    if not group:
        raise IllegalPlay("empty-group", "[] is not a group: a group has at least one card.")
    if len(group) == 1:
        return -COST[group[0]]
    value = group[0][0]
    if value != "A" and all(card[0] == value for card in group):
        return factorial(len(group)) * VALUE[group[0]]
    return _judge_run(group)


def _judge_run(group: Group) -> int:
    """Return the sum of the values from the lowest card to the highest; an Ace scores the value that it stands for."""
    naturals = sorted((card for card in group if card[0] != "A"), key=VALUE.__getitem__)
    aces = [card for card in group if card[0] == "A"]
    if not naturals:
        reason = "Aces are not an N-of-a-kind, and a run has at least two cards that are not Aces"
        raise not_a_group("only-aces", group, reason)
    if len(group) < 3:
        raise not_a_group("no-pair", group, "two cards must have the same value, and a run has at least three")
    if len(naturals) < 2:
        raise not_a_group("one-natural", group, "a run has at least two cards that are not Aces")
    for low, high in pairwise(naturals):
        _fill_gap(low, high, aces, group)
    if aces:
        raise not_a_group("idle-ace", group, f"{code(aces[0])} fills no gap of the run, and an Ace can do nothing else")
    return sum(range(VALUE[naturals[0]], VALUE[naturals[-1]] + 1))


def _fill_gap(low: str, high: str, aces: list[str], group: Group) -> None:
    """Remove from `aces` those that stand between these two neighbouring cards of a run."""
    if VALUE[low] == VALUE[high]:
        reason = f"{code(low)} and {code(high)} have the same value, which may occur only once in a run"
        raise not_a_group("same-value", group, reason)
    colour = OTHER_COLOUR[COLOUR[low]]
    for value in range(VALUE[low] + 1, VALUE[high]):
        ace = next((ace for ace in aces if COLOUR[ace] == colour), None)
        if ace is None:
            missing = VALUES[value - 1].replace("0", "10")
            between = f"between {code(low)} and {code(high)} a {colour} {missing} is missing"
            if aces:
                why = f"no {colour} Ace is left to stand for it"
                raise not_a_group("ace-colour", group, f"{between}, and {why}")
            raise not_a_group("gap", group, f"{between}, and there is no {colour} Ace to stand for it")
        aces.remove(ace)
        colour = OTHER_COLOUR[colour]
    if COLOUR[high] != colour:
        reason = f"red and black alternate in a run, and {code(high)} is {COLOUR[high]} where a {colour} card must be"
        raise not_a_group("colours", group, reason)


def not_a_group(rule: str, group: Group, reason: str) -> IllegalPlay:
    """Return the error for cards that are not a valid group."""
    return IllegalPlay(rule, f"{list(group)} is not a group: {reason}.")


def laid_out(group: Group) -> list[str]:
    """Return a valid group as a person would lay it out: a run from low to high, each Ace in the gap that it fills."""
    values = {VALUE[card]: card for card in group if card[0] != "A"}
    aces = [card for card in group if card[0] == "A"]
    if len(values) < 2:
        return list(group)
    laid = [values[min(values)]]
    while len(laid) < len(group):
        colour = OTHER_COLOUR[COLOUR[laid[-1]]]
        following = values.get(min(values) + len(laid)) or next(ace for ace in aces if COLOUR[ace] == colour)
        if following in aces:
            aces.remove(following)
        laid.append(following)
    return laid
