"""Always draws from the deck, uses no Ace as a wild card, adds nothing to groups, discards what looks loneliest."""

VALUES = "A234567890JQK"
NATURAL = "234567890JQK"


def worth(card):
    """The value in an accumulation."""
    return VALUES.index(card[0]) + 1


def phazed_play(player_id, table, turn_history, phase_status, hand, discard):
    """Draw, the phase if it is plainly there, discard."""
    if not turn_history or turn_history[-1][0] != player_id:
        return (1, None)
    phase = phase_status[player_id] + 1
    if table[player_id][0] is None:
        groups = FINDERS[phase](sorted(hand))
        if groups:
            return (3, (phase, groups))
    return (5, min(hand, key=lambda card: (company(card, hand, phase), -worth(card))))


def company(card, hand, phase):
    """How many cards of the hand go with this one, more or less."""
    if card[0] == "A":
        return 0 if phase != 2 else sum(other[1] == card[1] for other in hand)
    if phase == 2:
        return sum(other[1] == card[1] for other in hand)
    if phase in (3, 6):
        return -abs(worth(card) - 8)
    if phase == 5:
        alone = sum(other[0] == card[0] for other in hand) == 1
        return alone + sum(abs(worth(other) - worth(card)) < 5 for other in hand) / 10
    return sum(other[0] == card[0] for other in hand)


def sets(hand, size, wanted):
    """That many sets of that size, or None."""
    found = []
    for value in NATURAL:
        cards = [card for card in hand if card[0] == value]
        if len(cards) >= size:
            found.append(cards[:size])
    return found[:wanted] if len(found) >= wanted else None


def suit_of_seven(hand):
    for suit in "SHDC":
        cards = [card for card in hand if card[1] == suit]
        if len(cards) >= 7 and sum(card[0] != "A" for card in cards[:7]) >= 2:
            return [cards[:7]]
    return None


def run(hand, size):
    """A run of that size, not wrapping, or None."""
    first = {}
    for card in hand:
        first.setdefault(card[0], card)
    for start in range(12 - size + 1):
        values = NATURAL[start : start + size]
        if all(value in first for value in values):
            return [first[value] for value in values]
    return None


def pile(cards):
    """Cards that come to 34, taking the highest that fits each time, or None."""
    total, chosen = 0, []
    for card in sorted(cards, key=worth, reverse=True):
        if total + worth(card) <= 34:
            total += worth(card)
            chosen.append(card)
    return chosen if total == 34 else None


def without(hand, cards):
    rest = list(hand)
    for card in cards:
        rest.remove(card)
    return rest


def two_piles(hand, colours):
    """Two accumulations out of the hand, each out of one of the colours given as suits, or None."""
    for one in colours:
        first = pile([card for card in hand if card[1] in one])
        for other in colours if first else ():
            second = pile([card for card in without(hand, first) if card[1] in other])
            if second:
                return [first, second]
    return None


def run_and_set(hand):
    found = sets(hand, 4, 1)
    for suits in ("SC", "HD") if found else ():
        four = run([card for card in without(hand, found[0]) if card[1] in suits], 4)
        if four:
            return [four, found[0]]
    return None


FINDERS = {
    1: lambda hand: sets(hand, 3, 2),
    2: suit_of_seven,
    3: lambda hand: two_piles(hand, ["SHDC"]),
    4: lambda hand: sets(hand, 4, 2),
    5: lambda hand: [run(hand, 8)] if run(hand, 8) else None,
    6: lambda hand: two_piles(hand, ["SC", "HD"]),
    7: run_and_set,
}
