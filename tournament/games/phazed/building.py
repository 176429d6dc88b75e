"""Which cards fit on a group on the table, and where: the seed's "Playing Cards on Groups"."""

from collections.abc import Sequence

from tournament.games.cards import COLOUR, NAMES, VALUE, VALUES
from tournament.games.phazed.groups import (
    ACCUMULATIONS,
    ACES,
    COLOUR_ACCUMULATION,
    COLOUR_RUN_OF_4,
    CYCLE,
    NEXT_TOTAL,
    RUNS,
    SUIT_OF_7,
    TOTALS,
    Group,
    naturals,
    run_offset,
    total,
)
from tournament.games.phazed.messages import does_not_fit
from tournament.games.text import show


def check_build(kind: int, group: Group, card: str, index: int) -> None:
    """Raise IllegalPlay unless the card may be inserted before that index of the group of that type."""
    if not 0 <= index <= len(group):
        why = f"it takes a card at index 0 to {len(group)}, not at {show(index)}"
        raise does_not_fit("no-such-index", card, group, why)
    if kind in ACCUMULATIONS:
        _check_accumulation(group, card, kind == COLOUR_ACCUMULATION)
    elif kind in RUNS:
        _check_run(group, card, index, kind == COLOUR_RUN_OF_4)
    elif card not in ACES:
        _check_set(group, card, kind)


def is_unfinished(accumulation: Group) -> bool:
    """Whether an accumulation is between two totals."""
    return total(accumulation) not in TOTALS


def run_end(run: Sequence[str], at_start: bool) -> int:
    """The value that continues the run there: 2 to 13."""
    offset = run_offset(run)
    return (offset - 1 if at_start else offset + len(run)) % CYCLE + 2


def _check_accumulation(group: Group, card: str, one_colour: bool) -> None:
    before = total(group)
    if one_colour:
        _check_colour(group, card, COLOUR[group[0]])
    if before == TOTALS[-1]:
        raise does_not_fit("accumulation-full", card, group, f"{before} is the highest total")
    after, limit = before + VALUE[card], NEXT_TOTAL[before]
    if after > limit:
        why = f"that would make {after}, but after {before} the next total is {limit}"
        raise does_not_fit("too-much", card, group, why)


def _check_run(group: Group, card: str, index: int, one_colour: bool) -> None:
    if len(group) >= CYCLE:
        raise does_not_fit("run-full", card, group, "this run has all twelve values already")
    if index not in (0, len(group)):
        why = f"a run takes cards only at its ends, here at index 0 or {len(group)}, not at {index}"
        raise does_not_fit("not-an-end", card, group, why)
    if card in ACES:
        return
    wanted = run_end(group, index == 0)
    if VALUE[card] != wanted:
        why = f"at the {'end' if index else 'start'} of this run only a {NAMES[VALUES[wanted - 1]]} or an ace fits"
        raise does_not_fit("out-of-order", card, group, why)
    if one_colour:
        _check_colour(group, card, COLOUR[naturals(group)[0]])


def _check_colour(group: Group, card: str, colour: str) -> None:
    if COLOUR[card] != colour:
        raise does_not_fit("wrong-colour", card, group, f"the cards of this group are {colour}")


def _check_set(group: Group, card: str, kind: int) -> None:
    letter = 1 if kind == SUIT_OF_7 else 0
    wanted = naturals(group)[0][letter]
    if card[letter] != wanted:
        rule, cards = ("wrong-suit", NAMES[wanted]) if letter else ("wrong-value", f"cards of value {NAMES[wanted]}")
        raise does_not_fit(rule, card, group, f"this set takes only {cards} and aces")
