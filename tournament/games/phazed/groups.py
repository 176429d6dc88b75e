"""The types of groups and phases: seed 001_6b98dfbde5aac69e, "Card Combination Types" and Q1, Q2, Q4.

Aces are wild in sets and runs, in which at least two cards must be natural; in accumulations they count 1. Runs go from
2 to King and then continue with 2.
"""

from collections.abc import Sequence
from typing import TypeAlias

from tournament.games.cards import COLOUR, PACK, VALUE, symbol

Group: TypeAlias = Sequence[str]
Groups: TypeAlias = Sequence[Group]

SET_OF_3, SUIT_OF_7, SET_OF_4, RUN_OF_8, COLOUR_RUN_OF_4, ACCUMULATION, COLOUR_ACCUMULATION = range(1, 8)
RUNS = (RUN_OF_8, COLOUR_RUN_OF_4)
ACCUMULATIONS = (ACCUMULATION, COLOUR_ACCUMULATION)
SIZES = {SET_OF_3: 3, SUIT_OF_7: 7, SET_OF_4: 4, RUN_OF_8: 8, COLOUR_RUN_OF_4: 4}
"""The number of cards in a group of each type; an accumulation may have any number."""

KIND_NAMES = {
    1: "a set of three cards of the same value",
    2: "a set of seven cards of the same suit",
    3: "a set of four cards of the same value",
    4: "a run of eight cards",
    5: "a run of four cards of the same colour",
    6: "a 34-accumulation",
    7: "a 34-accumulation of cards of the same colour",
}

PHASES: dict[int, tuple[int, ...]] = {
    1: (SET_OF_3, SET_OF_3),
    2: (SUIT_OF_7,),
    3: (ACCUMULATION, ACCUMULATION),
    4: (SET_OF_4, SET_OF_4),
    5: (RUN_OF_8,),
    6: (COLOUR_ACCUMULATION, COLOUR_ACCUMULATION),
    7: (COLOUR_RUN_OF_4, SET_OF_4),
}
"""The types of the groups of each phase, in the order in which they must be given."""
LAST_PHASE = max(PHASES)

ACES = frozenset(card for card in PACK if card[0] == "A")
CYCLE = 12
"""The number of values from 2 to King, which is also the length of the longest run."""
TOTALS = (34, 55, 68, 76, 81, 84, 86, 87, 88)
"""The totals that an accumulation may have when a turn ends."""
NEXT_TOTAL = {total: min(later for later in TOTALS if later > total) for total in range(TOTALS[-1])}
PENALTY = {card: 25 if card in ACES else VALUE[card] for card in PACK}


def group_types(group: Group) -> list[int]:
    """Return every combination type, from 1 to 7, of the whole group, sorted (seed, Q1)."""
    return [kind for kind in range(SET_OF_3, COLOUR_ACCUMULATION + 1) if is_group(group, kind)]


def phase_types(phase: Groups) -> list[int]:
    """Return every phase, from 1 to 7, that the groups form in their order, sorted (seed, Q2)."""
    return [number for number in PHASES if is_phase(phase, number)]


def is_phase(phase: Groups, number: int) -> bool:
    """Whether the groups, in their order, are an instance of that phase."""
    kinds = PHASES[number]
    return len(phase) == len(kinds) and all(is_group(group, kind) for kind, group in zip(kinds, phase, strict=True))


def is_group(group: Group, kind: int) -> bool:
    """Whether the whole group is of that type."""
    if kind in ACCUMULATIONS:
        return total(group) == TOTALS[0] and (kind == ACCUMULATION or len({COLOUR[card] for card in group}) == 1)
    named = [(index, card) for index, card in enumerate(group) if card not in ACES]
    if len(group) != SIZES[kind] or len(named) < 2:
        return False
    if kind in RUNS:
        offsets = {(VALUE[card] - index) % CYCLE for index, card in named}
        return len(offsets) == 1 and (kind == RUN_OF_8 or len({COLOUR[card] for _, card in named}) == 1)
    letter = 1 if kind == SUIT_OF_7 else 0
    return len({card[letter] for _, card in named}) == 1


def score(hand: Group) -> int:
    """Return the penalty points for the cards left in a hand: 25 for an Ace, face value otherwise (seed, Q4)."""
    return sum([PENALTY[card] for card in hand])


def total(group: Group) -> int:
    """Return the total of an accumulation, in which Aces count 1."""
    return sum([VALUE[card] for card in group])


def naturals(group: Group) -> list[str]:
    """Return the cards that are not wild."""
    return [card for card in group if card not in ACES]


def run_offset(run: Group) -> int:
    """Return the place in the cycle of values (0 for a 2 … 11 for a King) of a run's first card, derived from its first
    natural card."""
    for index, card in enumerate(run):
        if card not in ACES:
            return (VALUE[card] - 2 - index) % CYCLE
    raise ValueError("a run has natural cards")


def symbols(group: Group) -> str:
    """Return the cards as they look: `10♥ A♠`."""
    return " ".join(map(symbol, group)) or "empty"
