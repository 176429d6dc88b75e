"""Collects for its phase by simple rules of thumb, fills gaps with Aces, and adds single cards to sets and runs."""

from collections import Counter
from itertools import combinations

VALUES = "A234567890JQK"
BLACK, RED = "SC", "HD"


def worth(card):
    """The value in an accumulation."""
    return VALUES.index(card[0]) + 1


def is_ace(card):
    return card[0] == "A"


def phazed_play(player_id, table, turn_history, phase_status, hand, discard):
    """Draw, phase, single cards, discard."""
    phase = phase_status[player_id] + 1
    done = table[player_id][0] is not None
    if not turn_history or turn_history[-1][0] != player_id:
        wanted = discard is not None and (bool(place(discard, table)) if done else wants(discard, hand, phase))
        return (2, discard) if wanted else (1, None)
    if done:
        for card in sorted(hand, key=worth, reverse=True):
            spot = place(card, table)
            if spot:
                return (4, (card, spot))
        return (5, max(hand, key=lambda card: 25 if is_ace(card) else worth(card)))
    groups = FINDERS[phase](sorted(hand, key=worth))
    if groups:
        return (3, (phase, groups))
    return (5, min(hand, key=lambda card: (use(card, hand, phase), -worth(card))))


def wants(card, hand, phase):
    """Whether the card on the discard pile looks useful."""
    if phase in (3, 6):
        return False
    if is_ace(card):
        return True
    if phase == 5:
        return all(other[0] != card[0] for other in hand)
    return use(card, [*hand, card], phase) > (4 if phase == 2 else 2)


def use(card, hand, phase):
    """How useful a card of the hand looks."""
    if phase in (3, 6):
        return worth(card)
    if is_ace(card):
        return 99
    if phase == 2:
        return sum(other[1] == card[1] for other in hand)
    same = sum(other[0] == card[0] for other in hand)
    if phase == 5:
        near = {other[0] for other in hand if abs(worth(other) - worth(card)) < 6}
        return len(near) if same == 1 else 0
    if phase == 7:
        near = {other[0] for other in hand if 0 < abs(worth(other) - worth(card)) < 3 and same_colour(card, other)}
        return max(same, 1 + len(near))
    return same


def same_colour(card, other):
    return (card[1] in RED) == (other[1] in RED)


def split(hand):
    return [card for card in hand if not is_ace(card)], [card for card in hand if is_ace(card)]


def sets(hand, size):
    """Two sets of that size with Aces in the gaps, or None."""
    naturals, aces = split(hand)
    found = []
    for value, _ in Counter(card[0] for card in naturals).most_common(2):
        cards = [card for card in naturals if card[0] == value][:size]
        gap = size - len(cards)
        if len(cards) < 2 or gap > len(aces):
            return None
        found.append(cards + aces[:gap])
        aces = aces[gap:]
    return found if len(found) == 2 else None


def suit_of_seven(hand):
    naturals, aces = split(hand)
    for suit in "SHDC":
        cards = [card for card in naturals if card[1] == suit][:7]
        if len(cards) >= 2 and len(cards) + len(aces) >= 7:
            return [(cards + aces)[:7]]
    return None


def run(hand, size):
    """A run of that size with Aces in the gaps, or None."""
    naturals, aces = split(hand)
    cards = {worth(card) - 2: card for card in naturals}
    for start in range(12):
        slots = [cards.get((start + step) % 12) for step in range(size)]
        if slots.count(None) <= min(len(aces), size - 2):
            spare = list(aces)
            return [card or spare.pop() for card in slots]
    return None


def pile(cards):
    """Four or five cards that come to 34, or None."""
    for size in (4, 5, 3):
        for chosen in combinations(cards, size):
            if sum(map(worth, chosen)) == 34:
                return list(chosen)
    return None


def without(hand, cards):
    rest = list(hand)
    for card in cards:
        rest.remove(card)
    return rest


def two_piles(hand, colours):
    for one in colours:
        first = pile([card for card in hand if card[1] in one])
        for other in colours if first else ():
            second = pile([card for card in without(hand, first) if card[1] in other])
            if second:
                return [first, second]
    return None


def run_and_set(hand):
    naturals, aces = split(hand)
    for value, count in Counter(card[0] for card in naturals).most_common(2):
        cards = [card for card in naturals if card[0] == value][:4]
        gap = 4 - len(cards)
        for suits in (BLACK, RED) if count >= 2 and gap <= len(aces) else ():
            rest = [card for card in without(naturals, cards) if card[1] in suits]
            four = run(rest + aces[gap:], 4)
            if four:
                return [four, cards + aces[:gap]]
    return None


FINDERS = {
    1: lambda hand: sets(hand, 3),
    2: suit_of_seven,
    3: lambda hand: two_piles(hand, ["SHDC"]),
    4: lambda hand: sets(hand, 4),
    5: lambda hand: [run(hand, 8)] if run(hand, 8) else None,
    6: lambda hand: two_piles(hand, [BLACK, RED]),
    7: run_and_set,
}


def place(card, table):
    """Where on a set or a run of the table the card fits: (player, group, index), or None."""
    for owner, (phase, groups) in enumerate(table):
        for number, group in enumerate(groups):
            if phase in (3, 6):
                continue
            natural = next(other for other in group if not is_ace(other))
            if phase == 5 or (phase == 7 and number == 0):
                index = run_end(card, group, phase == 7)
            elif is_ace(card) or card[0 if phase != 2 else 1] == natural[0 if phase != 2 else 1]:
                index = len(group)
            else:
                index = None
            if index is not None:
                return (owner, number, index)
    return None


def run_end(card, group, one_colour):
    """The end of the run at which the card fits, or None."""
    index, natural = next((index, other) for index, other in enumerate(group) if not is_ace(other))
    if len(group) == 12 or (one_colour and not is_ace(card) and not same_colour(card, natural)):
        return None
    start = worth(natural) - 2 - index
    if is_ace(card) or worth(card) - 2 == (start + len(group)) % 12:
        return len(group)
    return 0 if worth(card) - 2 == (start - 1) % 12 else None
