"""Words that say what cases of Q1, Q2 and Q4 are about, and why a group or a phase is, or is not, of a type."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sandbox.visible import count
from tournament.games.api import CaseWords
from tournament.games.cards import COLOUR, VALUE, symbol
from tournament.games.phazed.groups import (
    ACCUMULATIONS,
    ACES,
    CYCLE,
    KIND_NAMES,
    PHASES,
    RUNS,
    SIZES,
    SUIT_OF_7,
    TOTALS,
    Group,
    Groups,
    group_types,
    is_group,
    phase_types,
    symbols,
    total,
)


def case_words(function: str, args: Sequence[Any], got: Any) -> CaseWords:
    """Return words for the types of the group or phase, and the reason for each type about which `got` is wrong."""
    match function, args:
        case "phazed_group_type", [group]:
            kinds = group_types(group)
            title = " and ".join(KIND_NAMES[kind] for kind in kinds) or f"{count(len(group), 'card')}, no group"
            return CaseWords(title, _reasons(kinds, got, KIND_NAMES, lambda kind: why_group(group, kind)))
        case "phazed_phase_type", [phase]:
            numbers = phase_types(phase)
            title = " and ".join(f"phase {number}" for number in numbers) or f"{count(len(phase), 'group')}, no phase"
            return CaseWords(title, _reasons(numbers, got, PHASES, lambda number: why_phase(phase, number)))
        case "phazed_score", [hand]:
            aces = sum(card in ACES for card in hand)
            return CaseWords(f"a hand of {count(len(hand), 'card')}, {count(aces, 'Ace')}")
    return CaseWords()


def _reasons(right: Sequence[int], got: Any, known: Iterable[int], why: Callable[[int], str]) -> str:
    given = got if isinstance(got, list) else []
    return " ".join(why(each) for each in known if (each in right) != (each in given))


def why_group(group: Group, kind: int) -> str:
    """Return a sentence that says why the group is, or is not, of that type."""
    what = f"{symbols(group)} is not {KIND_NAMES[kind]} (type {kind})"
    if is_group(group, kind):
        return f"{symbols(group)} is {KIND_NAMES[kind]} (type {kind})."
    if kind in ACCUMULATIONS:
        off = total(group) != TOTALS[0]
        return f"{what}: " + (f"its total is {total(group)}." if off else "it has cards of both colours.")
    if len(group) != SIZES[kind]:
        return f"{what}: it has {count(len(group), 'card')}."
    named = [(index, card) for index, card in enumerate(group) if card not in ACES]
    if len(named) < 2:
        return f"{what}: fewer than two of its cards are not Aces."
    return f"{what}: {_odd_card(group, kind, named)}."


def _odd_card(group: Group, kind: int, named: Sequence[tuple[int, str]]) -> str:
    """Return words about the first card that does not fit the group's first natural card."""
    (start, first), *others = named
    if kind not in RUNS:
        letter, same = (1, "suit") if kind == SUIT_OF_7 else (0, "value")
        other = next(card for _, card in others if card[letter] != first[letter])
        return f"{symbol(first)} and {symbol(other)} do not have the same {same}"
    for index, card in others:
        if (VALUE[card] - VALUE[first] - index + start) % CYCLE:
            return f"{symbol(card)} cannot stand {count(index - start, 'place')} after {symbol(first)}"
    other = next(card for _, card in others if COLOUR[card] != COLOUR[first])
    return f"{symbol(first)} and {symbol(other)} do not have the same colour"


def why_phase(phase: Groups, number: int) -> str:
    """Return a sentence that says why the groups are, or are not, an instance of that phase."""
    kinds = PHASES[number]
    if len(phase) != len(kinds):
        return f"Phase {number} has {count(len(kinds), 'group')}, not {len(phase)}."
    wrong = (why_group(group, kind) for kind, group in zip(kinds, phase, strict=True) if not is_group(group, kind))
    if reason := next(wrong, ""):
        return f"It is not phase {number}: {reason}"
    return f"It is phase {number}: {' and '.join(KIND_NAMES[kind] for kind in kinds)}."
