"""Why a discard or a grouping is refused: for each rule its short stable name and a sentence for a beginner."""

from collections.abc import Sequence

from tournament.games.api import IllegalPlay
from tournament.games.cards import VALUES, code


def left_out(cards: Sequence[str]) -> IllegalPlay:
    verb = "is" if len(cards) == 1 else "are"
    return IllegalPlay(
        "left-out", f"{listed(cards)} {verb} not in any of your groups: each of your ten discards must be in one."
    )


def gap(low: str, high: str, value: int, colour: str, aces: Sequence[str], group: Sequence[str]) -> IllegalPlay:
    missing = VALUES[value - 1]
    between = f"between {code(low)} and {code(high)} a {colour} {'10' if missing == '0' else missing} is missing"
    if aces:
        return not_a_group("ace-colour", group, f"{between}, and no {colour} Ace is left to stand for it")
    return not_a_group("gap", group, f"{between}, and there is no {colour} Ace to stand for it")


def not_a_group(rule: str, group: Sequence[str], reason: str) -> IllegalPlay:
    return IllegalPlay(rule, f"{list(group)} is not a group: {reason}.")


def listed(cards: Sequence[str]) -> str:
    return ", ".join(map(code, cards))
