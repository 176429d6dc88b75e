"""A complete player for Phazed: all five questions, and a plain but sensible way to play.

It is one file with the function names of the assignment, as a student would hand it in.
"""

from collections import Counter
from itertools import combinations

VALUES = "A234567890JQK"
SUITS = "SHDC"
BLACK, RED = "SC", "HD"

DECK, PILE, PHASE, BUILD, DISCARD = 1, 2, 3, 4, 5
PHASES = {1: [1, 1], 2: [2], 3: [6, 6], 4: [3, 3], 5: [4], 6: [7, 7], 7: [5, 3]}
TOTALS = [34, 55, 68, 76, 81, 84, 86, 87, 88]


def worth(card):
    """Return the value of a card in an accumulation, from Ace (1) to King (13)."""
    return VALUES.index(card[0]) + 1


def total(group):
    return sum(worth(card) for card in group)


def is_wild(card):
    return card[0] == "A"


def is_red(card):
    return card[1] in RED


def is_set(group, letter):
    """Whether there are two or more natural cards, all with the same value (letter 0) or suit (letter 1)."""
    named = [card[letter] for card in group if not is_wild(card)]
    return len(named) >= 2 and len(set(named)) == 1


def is_run(group):
    """Whether there are two or more natural cards, all in the order of a run, in which a 2 follows a King."""
    starts = [(worth(card) - 2 - index) % 12 for index, card in enumerate(group) if not is_wild(card)]
    return len(starts) >= 2 and len(set(starts)) == 1


def is_one_colour(cards):
    return len({is_red(card) for card in cards}) <= 1


def phazed_group_type(group):
    """Return the combination types of the group."""
    types = []
    if len(group) == 3 and is_set(group, 0):
        types.append(1)
    if len(group) == 7 and is_set(group, 1):
        types.append(2)
    if len(group) == 4 and is_set(group, 0):
        types.append(3)
    if len(group) == 8 and is_run(group):
        types.append(4)
    if len(group) == 4 and is_run(group) and is_one_colour([card for card in group if not is_wild(card)]):
        types.append(5)
    if total(group) == TOTALS[0]:
        types.append(6)
        if is_one_colour(group):
            types.append(7)
    return types


def phazed_phase_type(phase):
    """Return the phases that the groups make."""
    found = [phazed_group_type(group) for group in phase]
    return [
        number
        for number, wanted in PHASES.items()
        if len(wanted) == len(found) and all(kind in types for kind, types in zip(wanted, found, strict=True))
    ]


def phazed_is_valid_play(play, player_id, table, turn_history, phase_status, hand, discard):
    """Whether the play is valid."""
    kind, content = play
    if kind in (DECK, PILE):
        return not has_drawn(player_id, turn_history) and (kind == DECK or content == discard)
    if not has_drawn(player_id, turn_history):
        return False
    if kind == PHASE:
        return is_valid_phase(content, table[player_id][0], phase_status[player_id], hand)
    card = content[0] if kind == BUILD else content
    if card not in hand:
        return False
    if kind == BUILD:
        return is_valid_build(card, content[1], player_id, table, hand)
    return all_finished(table)


def has_drawn(player_id, turn_history):
    """Whether the last turn is an unfinished turn of this player."""
    if not turn_history:
        return False
    player, plays = turn_history[-1]
    return player == player_id and plays[-1][0] != DISCARD


def is_valid_phase(content, played, achieved, hand):
    number, groups = content
    cards = Counter(card for group in groups for card in group)
    return (
        played is None and number == achieved + 1 and not cards - Counter(hand) and number in phazed_phase_type(groups)
    )


def is_valid_build(card, position, player_id, table, hand):
    owner, number, index = position
    if table[player_id][0] is None or owner not in range(4) or number not in range(len(table[owner][1])):
        return False
    phase, groups = table[owner]
    group = groups[number]
    if not 0 <= index <= len(group):
        return False
    grown = [*group[:index], card, *group[index:]]
    kind = PHASES[phase][number]
    if kind in (6, 7):
        fits = is_step(group, card) and (kind == 6 or is_one_colour(grown))
    elif kind in (4, 5):
        naturals = [other for other in grown if not is_wild(other)]
        fits = (
            index in (0, len(group)) and len(grown) <= 12 and is_run(grown) and (kind == 4 or is_one_colour(naturals))
        )
    else:
        fits = is_set(grown, 1 if kind == 2 else 0)
    return fits and (len(hand) > 1 or all_finished(with_group(table, owner, number, grown)))


def is_step(group, card):
    """Whether the card keeps an accumulation within its next total."""
    later = [mark for mark in TOTALS if mark > total(group)]
    return bool(later) and total(group) + worth(card) <= later[0]


def all_finished(table):
    """Whether every accumulation stands at one of the totals."""
    return all(total(group) in TOTALS for phase, groups in table if phase in (3, 6) for group in groups)


def with_group(table, owner, number, group):
    """Return the table with one group replaced."""
    changed = list(table)
    phase, groups = table[owner]
    changed[owner] = (phase, [*groups[:number], group, *groups[number + 1 :]])
    return changed


def phazed_score(hand):
    """Return the penalty points for the cards in the hand."""
    return sum(25 if is_wild(card) else worth(card) for card in hand)


def phazed_play(player_id, table, turn_history, phase_status, hand, discard):
    """Draw; play the phase as soon as it is complete; put cards on the table; discard the least useful card."""
    phase = phase_status[player_id] + 1
    played = table[player_id][0] is not None
    if not has_drawn(player_id, turn_history):
        return (PILE, discard) if discard and is_wanted(discard, hand, phase, played) else (DECK, None)
    if not played:
        groups = find_phase(hand, phase)
        if groups:
            return (PHASE, (phase, groups))
        return (DISCARD, min(hand, key=lambda card: (use(card, hand, phase), -worth(card))))
    for play in builds(table, hand):
        if phazed_is_valid_play(play, player_id, table, turn_history, phase_status, hand, discard):
            return play
    return (DISCARD, max(hand, key=lambda card: phazed_score([card])))


def builds(table, hand):
    """Return plays that put cards at the ends of groups; on accumulations, only cards that bring them to a total."""
    for card in sorted(hand, key=lambda card: -phazed_score([card])):
        for owner, (_, groups) in enumerate(table):
            for number, group in enumerate(groups):
                play = (BUILD, (card, (owner, number, len(group))))
                if table[owner][0] not in (3, 6):
                    yield from (play, (BUILD, (card, (owner, number, 0))))
                elif total(group) + worth(card) in TOTALS:
                    yield play


def is_wanted(card, hand, phase, played):
    """Whether it is good to take the card from the discard pile."""
    if played or phase in (3, 6):
        return False
    return is_wild(card) or use(card, [*hand, card], phase) >= {2: 4, 5: 1}.get(phase, 3)


def use(card, hand, phase):
    """Return how useful the card is for the phase: mostly the number of cards in the hand that it goes with."""
    if phase in (3, 6):
        return worth(card)
    if is_wild(card):
        return 100
    if phase == 2:
        return sum(other[1] == card[1] for other in hand)
    same = sum(other[0] == card[0] for other in hand)
    if phase == 5:
        return int(same == 1)
    if phase == 7 and same < 3:
        return max(same, len({other[0] for other in hand if is_near(card, other)}))
    return same


def is_near(card, other):
    """Whether both cards fit in one run of four of one colour."""
    return is_red(card) == is_red(other) and (worth(card) - worth(other)) % 12 in (0, 1, 2, 10, 11)


def find_phase(hand, phase):
    """Return the groups of the phase, taken from the hand, or None."""
    naturals = [card for card in hand if not is_wild(card)]
    wilds = [card for card in hand if is_wild(card)]
    if phase in (1, 4):
        return find_two_sets(naturals, wilds, 3 if phase == 1 else 4)
    if phase == 2:
        return find_suit(naturals, wilds)
    if phase == 5:
        run = find_run(naturals, wilds, 8)
        return [run] if run else None
    if phase == 7:
        return find_run_and_set(naturals, wilds)
    return find_accumulations(hand, [SUITS] if phase == 3 else [BLACK, RED])


def find_two_sets(naturals, wilds, size):
    groups = []
    for value, _ in Counter(card[0] for card in naturals).most_common(2):
        cards = [card for card in naturals if card[0] == value][:size]
        groups.append((cards + wilds)[:size])
        wilds = wilds[size - len(cards) :]
    return groups if (1 if size == 3 else 4) in phazed_phase_type(groups) else None


def find_suit(naturals, wilds):
    for suit in SUITS:
        group = ([card for card in naturals if card[1] == suit] + wilds)[:7]
        if 2 in phazed_phase_type([group]):
            return [group]
    return None


def find_run(naturals, wilds, size):
    """Return a run of that size with Aces in its gaps, or None."""
    by_place = {worth(card) - 2: card for card in naturals}
    for start in range(12):
        run = [by_place.get((start + step) % 12) for step in range(size)]
        if run.count(None) <= min(len(wilds), size - 2):
            spare = list(wilds)
            return [card or spare.pop() for card in run]
    return None


def find_run_and_set(naturals, wilds):
    for value, _ in Counter(card[0] for card in naturals).most_common(2):
        same = [card for card in naturals if card[0] == value][:4]
        group = (same + wilds)[:4]
        rest = list(naturals)
        for card in same:
            rest.remove(card)
        for suits in (BLACK, RED):
            run = find_run([card for card in rest if card[1] in suits], wilds[4 - len(same) :], 4)
            if run and 7 in phazed_phase_type([run, group]):
                return [run, group]
    return None


def find_accumulations(hand, colours):
    """Return two accumulations of 34, or None. Each uses the suits of one of the `colours`."""
    for first in sums_to_34(hand, colours):
        rest = list(hand)
        for card in first:
            rest.remove(card)
        for second in sums_to_34(rest, colours):
            return [first, second]
    return None


def sums_to_34(hand, colours):
    """Return groups of three to five cards with a total of 34."""
    for suits in colours:
        cards = [card for card in hand if card[1] in suits]
        for size in (4, 5, 3):
            for chosen in combinations(cards, size):
                if total(chosen) == TOTALS[0]:
                    yield list(chosen)
