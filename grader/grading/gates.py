"""Gates: how much of each question must pass before a player may enter its assignment's tournaments.

Pure functions on plain data. Instructors choose a gate for each question of an assignment; there is a default. A
tournament that hangs on a question of its own asks for all of that question's cases as well.
"""

from collections.abc import Mapping

from grader.definition.model import Definition
from grader.definition.question import Gate, label

Gates = Mapping[str, Gate]
"""The gate of each question, by its slug, in the order of the questions."""


def gates_of(definition: Definition, chosen: Mapping[str, str] | None = None) -> Gates:
    """The gates of an assignment; `chosen` has those that differ from the definition's."""
    given = chosen or {}
    return {each.slug: Gate(given.get(each.slug, each.gate)) for each in definition.asked}


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
