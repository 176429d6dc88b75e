"""Plays wrong in one thing only, with positions that make them so: whoever forgets that one rule allows them."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import TypeAlias, TypeVar

from tournament.games.cards import COLOUR, PACK, VALUE
from tournament.games.phazed.building import is_unfinished, run_end
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
from tournament.games.phazed.positions import Position, find_phase, unseen
from tournament.games.phazed.shape import BUILD, PHASE, Play

Place: TypeAlias = tuple[int, int, int]
NearMiss: TypeAlias = tuple[Position, Play]
Item = TypeVar("Item")


def near_misses(position: Position, rng: Random) -> Iterator[NearMiss]:
    """Some for a position in which the player has drawn, and now and then one that is legal after all."""
    if not position.begun:
        return
    if rng.random() < 0.1:
        yield from _phase_out_of_place(position, rng)
    if position.played:
        for place in _sample(position.places(), 2, rng):
            yield from _tempting_builds(position, place, rng)
            yield from _beside_an_ace(position, place)
        if rng.random() < 0.3:
            yield from _last_cards(position, rng)


def _phase_out_of_place(position: Position, rng: Random) -> Iterator[NearMiss]:
    """A second phase in the hand, though it is the next one; another phase under the number of that which is due; or
    one with a card more often than the hand has it."""
    due = min(position.phase_status[position.player_id] + 1, LAST_PHASE)
    number = due if position.played or rng.random() < 0.5 else rng.choice([*PHASES])
    groups = find_phase(_sample(unseen(position), 40, rng), number)
    if groups:
        cards = [card for group in groups for card in group]
        yield position._replace(hand=_sample([*cards, position.hand[0]], 12, rng)), (PHASE, (due, groups))
        if number == due and not position.played and len(set(cards)) < len(cards):
            yield position._replace(hand=list(dict.fromkeys(cards))), (PHASE, (due, groups))


def _tempting_builds(position: Position, place: Place, rng: Random) -> Iterator[NearMiss]:
    """Cards that seem to go on the group, taken into the hand; or the right one at a place counted from the end."""
    owner, number, index = place
    phase, groups = position.table[owner]
    group = groups[number]
    cards = unseen(position)
    for wanted in _sample(_tempting(PHASES[phase or 0][number], group, index), 3, rng):
        if wanted in cards:
            holding = position._replace(hand=[wanted, *position.hand[1:]])
            yield holding, (BUILD, (wanted, place))
            if holding.is_legal((BUILD, (wanted, place))):
                yield holding, (BUILD, (wanted, _from_the_end(place, len(group), len(groups), rng)))


def _beside_an_ace(position: Position, place: Place) -> Iterator[NearMiss]:
    """A card where an Ace at the end of a run stands: it would be a run still, if the Ace could change its value."""
    owner, number, index = place
    phase, groups = position.table[owner]
    run = groups[number]
    if PHASES[phase or 0][number] in RUNS and run[0 if index == 0 else -1] in ACES and len(run) < CYCLE:
        value = run_end(run[1:], at_start=True) if index == 0 else run_end(run[:-1], at_start=False)
        colour = COLOUR[naturals(run)[0]]
        for card in unseen(position):
            if VALUE[card] == value and COLOUR[card] == colour:
                holding = position._replace(hand=[card, *position.hand[1:]])
                yield holding, (BUILD, (card, (owner, number, 1 if index == 0 else len(run) - 1)))
                return


def _tempting(kind: int, group: Group, index: int) -> list[str]:
    """Right cards, and cards of the right value or colour that are wrong in another way."""
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


def _from_the_end(place: Place, length: int, groups: int, rng: Random) -> Place:
    """The same place to whoever does not check its numbers: one of them is below zero."""
    owner, number, index = place
    return rng.choice(
        [(owner - 4, number, index), (owner, number - groups, index), (owner, number, index - length - 1)]
    )


def _last_cards(position: Position, rng: Random) -> Iterator[NearMiss]:
    """The last card of the hand onto one group, after another card has left an accumulation unfinished."""
    for card in position.hand:
        for owner, (phase, groups) in enumerate(position.table):
            for number, group in enumerate(groups if phase in (3, 6) else ()):
                play = (BUILD, (card, (owner, number, len(group))))
                if is_unfinished([*group, card]) and position.is_legal(play):
                    yield from _one_card_more(_after(position, play), rng)
                    return


def _after(position: Position, play: Play) -> Position:
    """The position once the card is placed."""
    card, (owner, number, index) = play[1]
    phase, groups = position.table[owner]
    grown = [*groups[number][:index], card, *groups[number][index:]]
    table = list(position.table)
    table[owner] = (phase, [*groups[:number], grown, *groups[number + 1 :]])
    player, plays = position.turn_history[-1]
    history = [*position.turn_history[:-1], (player, [*plays, play])]
    hand = list(position.hand)
    hand.remove(card)
    return position._replace(table=table, turn_history=history, hand=hand)


def _one_card_more(position: Position, rng: Random) -> Iterator[NearMiss]:
    """A hand of one card, which fits on some group that is no accumulation, or nowhere near."""
    cards = unseen(position)
    for owner, number, index in _sample(position.places(), 4, rng):
        phase, groups = position.table[owner]
        fitting = [card for card in _tempting(PHASES[phase or 0][number], groups[number], index) if card in cards]
        for card in _sample(fitting, 1, rng):
            yield position._replace(hand=[card]), (BUILD, (card, (owner, number, index)))


def _sample(items: Sequence[Item], count: int, rng: Random) -> list[Item]:
    return rng.sample(items, min(count, len(items)))
