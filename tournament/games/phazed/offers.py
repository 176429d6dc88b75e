"""The plays offered to a person who plays Phazed by hand."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from tournament.games.api import Composition, IllegalPlay, Offer, Offered
from tournament.games.cards import COLOUR, VALUE, symbol
from tournament.games.phazed.building import is_unfinished
from tournament.games.phazed.groups import (
    ACCUMULATIONS,
    ACES,
    COLOUR_ACCUMULATION,
    CYCLE,
    LAST_PHASE,
    NEXT_TOTAL,
    PHASES,
    RUNS,
    TOTALS,
    Group,
    is_group,
    total,
)
from tournament.games.phazed.messages import KINDS
from tournament.games.phazed.rules import parse
from tournament.games.phazed.shape import BUILD, DISCARD, DRAW, FROM_PILE, PHASE, Play
from tournament.games.phazed.state import PhazedState


def choices(state: PhazedState, seat: int) -> Sequence[Offered]:
    """Where a card is drawn from; after that the phase, cards to place on groups, and cards to discard."""
    if not state.begun:
        found = [Offer("Draw from the deck", DRAW, "Nobody else sees the card.")]
        if state.pile:
            top = state.pile[-1]
            found.append(Offer(f"Take {symbol(top)} from the discard pile", (FROM_PILE, top), "Everybody sees it."))
        return found
    hand = list(dict.fromkeys(state.hands[seat]))
    discards = [Offer(f"Discard {symbol(card)}", (DISCARD, card), "This ends your turn.", "Discard") for card in hand]
    return [*_phase(state, seat), *_builds(state, seat, hand), *_legal(state, seat, discards)]


def _legal(state: PhazedState, seat: int, found: Sequence[Offer]) -> Iterator[Offer]:
    for choice in found:
        try:
            parse(state, seat, choice.play)
        except IllegalPlay:
            continue
        yield choice


# The phase


def _phase(state: PhazedState, seat: int) -> Iterator[Composition]:
    number = state.phase_status[seat] + 1
    if state.table[seat][0] is None and number <= LAST_PHASE:
        kinds = PHASES[number]
        parts = [
            f"{'Second' if index else 'First'} group" if len(kinds) > 1 else "The group" for index in range(len(kinds))
        ]
        order = " A run is put in order for you." if set(kinds) & set(RUNS) else ""
        why = f"It is {' and '.join(KINDS[kind] for kind in kinds)}. Choose the cards.{order}"
        yield Composition(f"Play phase {number}", state.hands[seat], parts, partial(_laid_down, number), why)


def _laid_down(number: int, parts: Sequence[Sequence[str]]) -> Play:
    return PHASE, (number, [_in_order(group, kind) for group, kind in zip(parts, PHASES[number], strict=True)])


def _in_order(group: Sequence[str], kind: int) -> list[str]:
    """The cards of a run in its order, Aces in the gaps and then at its end; as they are if they are none."""
    if kind not in RUNS:
        return list(group)
    for start in range(CYCLE):
        natural = {(VALUE[card] - 2 - start) % CYCLE: card for card in group if card not in ACES}
        aces = [card for card in group if card in ACES]
        if len(natural) + len(aces) != len(group):  # two of one value
            break
        run: list[Any] = [natural.get(place) or (aces.pop() if aces else None) for place in range(len(group))]
        if None not in run and is_group(run, kind):
            return run
    return list(group)


# Cards on groups


def _builds(state: PhazedState, seat: int, hand: Sequence[str]) -> Iterator[Offer]:
    """Only what does not lead into a dead end: an accumulation that is begun must be finished with the hand."""
    if state.table[seat][0] is None:
        return
    groups = [
        (owner, number, PHASES[phase or 0][number], group)
        for owner, (phase, laid) in enumerate(state.table)
        for number, group in enumerate(laid)
    ]
    begun = [each for each in groups if each[2] in ACCUMULATIONS and is_unfinished(each[3])]
    for owner, number, kind, group in begun or groups:
        whose = "your" if owner == seat else f"player {owner}’s"
        for index in (0, len(group)) if kind in RUNS else (len(group),):
            end = f", {'at its end' if index else 'before it'}" if kind in RUNS else ""
            found = [
                Offer(
                    f"Place {symbol(card)} on {whose} group {number}{end}",
                    (BUILD, (card, (owner, number, index))),
                    f"{' '.join(map(symbol, group))} is {KINDS[kind]}.",
                    f"Place on {whose} group {number}",
                )
                for card in hand
                if kind not in ACCUMULATIONS or _can_finish([*group, card], kind, _without(state.hands[seat], card))
            ]
            yield from _legal(state, seat, found)


def _without(hand: Sequence[str], card: str) -> list[str]:
    left = list(hand)
    left.remove(card)
    return left


def _can_finish(group: Group, kind: int, hand: Sequence[str]) -> bool:
    """Whether cards of the hand lead from an accumulation to its next total."""
    if total(group) in TOTALS or total(group) > TOTALS[-1]:
        return True
    missing = NEXT_TOTAL[total(group)] - total(group)
    sums = {0}
    for card in hand:
        if kind != COLOUR_ACCUMULATION or COLOUR[card] == COLOUR[group[0]]:
            sums |= {each + VALUE[card] for each in sums}
    return missing in sums
