"""Gates: how much of each question must pass before a player may enter its assignment's tournaments.

Pure functions on plain data. Instructors choose a gate for each question of an assignment; there is a default. A
tournament that hangs on a question of its own asks for all of that question's cases as well.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from tournament.games.api import Game, Question, label

TRIAL_GAMES = 8
"""The number played before an entry unless an instructor has chosen otherwise, see `tournament.custom.trials`."""


class Gate(StrEnum):
    """How much of a question must pass."""

    NONE = "none"
    EXAMPLES = "examples"  # those that every student can see
    ALL = "all"


Gates = Mapping[str, Gate]
"""The gate of each question, by its slug, in the order of the questions."""


def default_gate(question: Question) -> Gate:
    """The default: all cases of a question that calls the player, none of a bonus question, the examples of others."""
    if question.qualifies:
        return Gate.ALL
    return Gate.NONE if question.tournament else Gate.EXAMPLES


def gates_of(game: Game[Any], chosen: Mapping[str, str] | None = None) -> Gates:
    """The gates of an assignment with this game; `chosen` has those that differ from the default."""
    given = chosen or {}
    return {each.slug: Gate(given.get(each.slug, default_gate(each))) for each in game.questions}


def for_tournament(gates: Gates, slug: str) -> Gates:
    """The gates of the tournament with that slug: all cases of the question on which it hangs, if it hangs on one."""
    return {question: Gate.ALL if question == slug else gate for question, gate in gates.items()}


def in_words(gates: Gates) -> str:
    """`all cases of Q4 and the visible examples of Q1, Q2 and Q3`; empty if nothing is asked for."""
    what = {Gate.ALL: "all cases of ", Gate.EXAMPLES: "the visible examples of "}
    slugs = {gate: [label(slug) for slug, each in gates.items() if each is gate] for gate in what}
    return enumerated([what[gate] + enumerated(found) for gate, found in slugs.items() if found])


def enumerated(items: list[str]) -> str:
    """`a, b and c`."""
    return " and ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))
