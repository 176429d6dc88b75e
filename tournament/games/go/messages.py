"""Why a discard or a grouping is refused: for each rule its short stable name and a sentence for a beginner."""

from collections.abc import Sequence

from tournament.games.api import IllegalPlay
from tournament.games.cards import COLOUR, VALUES, code


def not_held(card: str, hand: Sequence[str]) -> IllegalPlay:
    return IllegalPlay("not-held", f"You do not hold {code(card)}: your hand is {listed(hand)}.")


def not_yours(card: str, discards: Sequence[str]) -> IllegalPlay:
    return IllegalPlay(
        "not-yours", f"{code(card)} is in your groups, and you did not discard it; you discarded {listed(discards)}."
    )


def used_twice(card: str) -> IllegalPlay:
    return IllegalPlay("used-twice", f"{code(card)} is in your groups more than once, and you discarded it once.")


def left_out(cards: Sequence[str]) -> IllegalPlay:
    verb = "is" if len(cards) == 1 else "are"
    return IllegalPlay(
        "left-out", f"{listed(cards)} {verb} in none of your groups: each of your ten discards must be in one."
    )


def empty_group() -> IllegalPlay:
    return IllegalPlay("empty-group", "[] is not a group: a group has at least one card.")


def no_pair(group: Sequence[str]) -> IllegalPlay:
    return _no_group("no-pair", group, "two cards must have the same value, and a run has at least three")


def only_aces(group: Sequence[str]) -> IllegalPlay:
    return _no_group(
        "only-aces", group, "Aces are not an N-of-a-kind, and a run has at least two cards that are not Aces"
    )


def one_natural(group: Sequence[str]) -> IllegalPlay:
    return _no_group("one-natural", group, "a run has at least two cards that are not Aces")


def same_value(card: str, other: str, group: Sequence[str]) -> IllegalPlay:
    reason = f"{code(card)} and {code(other)} have the same value, which a run has once and other cards have not"
    return _no_group("same-value", group, reason)


def gap(low: str, high: str, value: int, colour: str, aces: Sequence[str], group: Sequence[str]) -> IllegalPlay:
    missing = VALUES[value - 1]
    between = f"between {code(low)} and {code(high)} a {colour} {'10' if missing == '0' else missing} is missing"
    if aces:
        return _no_group("ace-colour", group, f"{between}, and no {colour} Ace is left to stand for it")
    return _no_group("gap", group, f"{between}, and there is no {colour} Ace to stand for it")


def colours(low: str, high: str, group: Sequence[str]) -> IllegalPlay:
    wanted = "red" if COLOUR[high] == "black" else "black"
    reason = f"red and black alternate in a run, and {code(high)} is {COLOUR[high]} where a {wanted} card must be"
    return _no_group("colours", group, reason)


def idle_ace(ace: str, group: Sequence[str]) -> IllegalPlay:
    return _no_group("idle-ace", group, f"{code(ace)} fills no gap of the run, and an Ace can do nothing else")


def _no_group(rule: str, group: Sequence[str], reason: str) -> IllegalPlay:
    return IllegalPlay(rule, f"{list(group)} is not a group: {reason}.")


def listed(cards: Sequence[str]) -> str:
    return ", ".join(map(code, cards))
