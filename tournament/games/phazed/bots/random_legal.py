"""Any legal play: draws, adds and discards at random, and lays a phase down when it happens to see one."""

from random import choice, random, sample, shuffle

VALUES = "A234567890JQK"
SIZES = {1: 3, 4: 4}


def worth(card):
    """The value in an accumulation."""
    return VALUES.index(card[0]) + 1


def phazed_play(player_id, table, turn_history, phase_status, hand, discard):
    """Draw, perhaps the phase, perhaps a card onto a set, discard."""
    if not turn_history or turn_history[-1][0] != player_id:
        return (2, discard) if discard and random() < 0.2 else (1, None)
    phase = phase_status[player_id] + 1
    if table[player_id][0] is None:
        groups = glimpse(hand, phase)
        return (3, (phase, groups)) if groups else (5, choice(hand))
    for card in sample(hand, len(hand)):
        spots = list(sets_for(card, table))
        if spots and random() < 0.8:
            return (4, (card, choice(spots)))
    return (5, choice(hand))


def glimpse(hand, phase):
    """The groups of the phase if one look shows them; runs are never seen."""
    if phase in SIZES:
        return sets(hand, SIZES[phase])
    if phase == 2:
        for suit in "SHDC":
            cards = [card for card in hand if card[1] == suit and card[0] != "A"]
            if len(cards) >= 7:
                return [cards[:7]]
    if phase in (3, 6):
        return two_piles(hand, phase == 6)
    return None


def sets(hand, size):
    found = [[card for card in hand if card[0] == value][:size] for value in VALUES[1:]]
    full = [cards for cards in found if len(cards) == size]
    return full[:2] if len(full) >= 2 else None


def two_piles(hand, one_colour):
    """Two accumulations, if the shuffled hand happens to begin with them."""
    cards = list(hand)
    shuffle(cards)
    piles = [[], []]
    for pile in piles:
        while cards and sum(map(worth, pile)) < 34:
            pile.append(cards.pop())
        if sum(map(worth, pile)) != 34 or (one_colour and len({card[1] in "HD" for card in pile}) > 1):
            return None
    return piles


def sets_for(card, table):
    """Every place for the card on a set of one value or one suit."""
    for owner, (phase, groups) in enumerate(table):
        for number, group in enumerate(groups):
            if phase in (1, 2, 4) or (phase == 7 and number == 1):
                letter = 1 if phase == 2 else 0
                wanted = next(other[letter] for other in group if other[0] != "A")
                if card[0] == "A" or card[letter] == wanted:
                    yield (owner, number, choice(range(len(group) + 1)))
