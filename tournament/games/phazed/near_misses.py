"""Plays that break only one rule, each with a position for it: a player that forgets that rule allows the play."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import TypeAlias, TypeVar

from tournament.games.cards import COLOUR, PACK, VALUE
from tournament.games.phazed.building import run_end
from tournament.games.phazed.groups import (
    ACCUMULATIONS,
    ACES,
    CYCLE,
    LAST_PHASE,
    NEXT_TOTAL,
    PHASES,
    RUNS,
    SUIT_OF_7,
    Group,
    naturals,
    total,
)
from tournament.games.phazed.hands import unseen, with_cards
from tournament.games.phazed.positions import PhazedPosition, Place, find_phase
from tournament.games.phazed.shape import BUILD, PHASE, Play

NearMiss: TypeAlias = tuple[PhazedPosition, Play]
Item = TypeVar("Item")


def near_misses(position: PhazedPosition, rng: Random) -> Iterator[NearMiss]:
    """Some for a position in which the player has drawn; occasionally one of them is legal after all."""
    if not position.begun:
        return
    if position.played:
        free = unseen(position)
        for place in _sample(position.places(), 2, rng):
            yield from _tempting_builds(position, place, free, rng)
            yield from _beside_an_ace(position, place, free)
    elif rng.random() < 0.1:
        yield from _phase_out_of_place(position, unseen(position), rng)


def _phase_out_of_place(position: PhazedPosition, free: Sequence[str], rng: Random) -> Iterator[NearMiss]:
    """Another phase under the number of the one that is due, or one with a card more often than the hand holds it."""
    due = min(position.phase_status[position.player_id] + 1, LAST_PHASE)
    number = due if rng.random() < 0.5 else rng.choice([*PHASES])
    groups = find_phase(_sample(free, 40, rng), number)
    if groups:
        cards = [card for group in groups for card in group]
        play = (PHASE, (due, groups))
        if holding := with_cards(position, cards, free):
            yield holding, play
        twice = [card for card in cards if cards.count(card) > 1]
        once = with_cards(position, [*dict.fromkeys(cards)], free) if number == due and twice else None
        if once and any(once.hand.count(card) < 2 for card in twice):
            yield once, play


def _tempting_builds(position: PhazedPosition, place: Place, free: Sequence[str], rng: Random) -> Iterator[NearMiss]:
    """Cards that seem to go on the group, taken into the hand."""
    owner, number, index = place
    phase, groups = position.table[owner]
    for wanted in _sample(_tempting(PHASES[phase or 0][number], groups[number], index), 3, rng):
        if wanted in free and (holding := with_cards(position, [wanted], free)):
            yield holding, (BUILD, (wanted, place))


def _beside_an_ace(position: PhazedPosition, place: Place, free: Sequence[str]) -> Iterator[NearMiss]:
    """A card where an Ace at the end of a run stands: it would still be a run if the Ace could change its value."""
    owner, number, index = place
    phase, groups = position.table[owner]
    run = groups[number]
    if PHASES[phase or 0][number] in RUNS and run[0 if index == 0 else -1] in ACES and len(run) < CYCLE:
        value = run_end(run[1:], at_start=True) if index == 0 else run_end(run[:-1], at_start=False)
        colour = COLOUR[naturals(run)[0]]
        fitting = [card for card in free if VALUE[card] == value and COLOUR[card] == colour]
        if fitting and (holding := with_cards(position, fitting[:1], free)):
            yield holding, (BUILD, (fitting[0], (owner, number, 1 if index == 0 else len(run) - 1)))


def _tempting(kind: int, group: Group, index: int) -> list[str]:
    """Cards that fit, and cards of the right value or colour that are wrong in another way."""
    if kind in RUNS:
        values = {run_end(group, index == 0)}
    elif kind in ACCUMULATIONS:
        left = NEXT_TOTAL.get(total(group), total(group) + 1) - total(group)
        values = {left, left - 1, left + 1, 1}
    elif kind == SUIT_OF_7:
        return [card for card in PACK if COLOUR[card] == COLOUR[naturals(group)[0]]]
    else:
        values = {VALUE[naturals(group)[0]], VALUE[naturals(group)[0]] + 1}
    return [card for card in PACK if VALUE[card] in values] + sorted(ACES)


def _sample(items: Sequence[Item], count: int, rng: Random) -> list[Item]:
    return rng.sample(items, min(count, len(items)))
