"""Which cards fit on a group on the table, and where: the seed's "Playing Cards on Groups"."""

from collections.abc import Sequence

from tournament.games.cards import COLOUR, VALUE
from tournament.games.phazed import messages
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


def check_build(kind: int, group: Group, card: str, index: int) -> None:
    """Raise IllegalPlay unless the card may be inserted before that index of the group of that type."""
    if not 0 <= index <= len(group):
        raise messages.no_such_index(card, group, index)
    if kind in ACCUMULATIONS:
        _check_accumulation(group, card, kind == COLOUR_ACCUMULATION)
    elif kind in RUNS:
        _check_run(group, card, index, kind == COLOUR_RUN_OF_4)
    elif card not in ACES:
        _check_set(group, card, kind)


def is_unfinished(accumulation: Group) -> bool:
    """Whether an accumulation stands between two totals."""
    return total(accumulation) not in TOTALS


def run_end(run: Sequence[str], at_start: bool) -> int:
    """The value that continues the run there: 2 to 13."""
    offset = run_offset(run)
    return (offset - 1 if at_start else offset + len(run)) % CYCLE + 2


def _check_accumulation(group: Group, card: str, one_colour: bool) -> None:
    before = total(group)
    if one_colour and COLOUR[card] != COLOUR[group[0]]:
        raise messages.wrong_colour(card, group, COLOUR[group[0]])
    if before == TOTALS[-1]:
        raise messages.accumulation_full(card, group)
    after, limit = before + VALUE[card], NEXT_TOTAL[before]
    if after > limit:
        raise messages.too_much(card, group, before, after, limit)


def _check_run(group: Group, card: str, index: int, one_colour: bool) -> None:
    if len(group) >= CYCLE:
        raise messages.run_full(card, group)
    if index not in (0, len(group)):
        raise messages.not_an_end(card, group, index)
    if card in ACES:
        return
    wanted = run_end(group, index == 0)
    if VALUE[card] != wanted:
        raise messages.out_of_order(card, group, index, wanted)
    colour = COLOUR[naturals(group)[0]]
    if one_colour and COLOUR[card] != colour:
        raise messages.wrong_colour(card, group, colour)


def _check_set(group: Group, card: str, kind: int) -> None:
    letter = 1 if kind == SUIT_OF_7 else 0
    wanted = next(natural for natural in group if natural not in ACES)
    if card[letter] != wanted[letter]:
        raise messages.wrong_suit(card, group) if letter else messages.wrong_value(card, group)
