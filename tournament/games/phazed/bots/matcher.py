"""Plans its phase group by group, takes and keeps what the plan uses, and fills gaps with Aces.

Once its phase is on the table it draws from the deck, and adds cards to sets only.
"""

from itertools import combinations

VALUES = "A234567890JQK"
ANY, BLACK, RED = "SHDC", "SC", "HD"


def worth(card):
    """The value in an accumulation."""
    return VALUES.index(card[0]) + 1


def phazed_play(player_id, table, turn_history, phase_status, hand, discard):
    """Draw, the phase, cards for sets, discard."""
    phase = phase_status[player_id] + 1
    done = table[player_id][0] is not None
    if not turn_history or turn_history[-1][0] != player_id:
        takes = discard is not None and not done and helps(discard, hand, phase)
        return (2, discard) if takes else (1, None)
    if done:
        return addition(hand, table) or (5, max(hand, key=worth))
    groups = [list(group) for group in plan(hand, phase)]
    aces = [card for card in hand if card[0] == "A"] if phase not in (3, 6) else []
    spare = without(hand, [card for group in groups for card in group if card] + aces)
    if fill_gaps(groups, aces) and len(groups) == len(PLANS[phase]):
        return (3, (phase, groups))
    return (5, (min if phase in (3, 6) else max)(spare or hand, key=worth))


def helps(card, hand, phase):
    """Whether the phase is nearer with the card."""
    now, then = missing(plan(hand, phase)), missing(plan([*hand, card], phase))
    return len(then) > len(now) or sum(then) < sum(now)


def missing(groups):
    return [group.count(None) for group in groups]


def without(hand, cards):
    rest = list(hand)
    for card in cards:
        rest.remove(card)
    return rest


def plan(hand, phase):
    """For each group of the phase the cards that come nearest to it, with None for each card that is missing."""
    groups, rest = [], list(hand)
    for candidates in PLANS[phase]:
        found = [group for group in candidates(rest) if len(group) - group.count(None) >= 2]
        if found:
            best = min(found, key=lambda group: group.count(None))
            rest = without(rest, [card for card in best if card])
            groups.append(best)
    return groups


def fill_gaps(groups, aces):
    """Put Aces where cards are missing; whether there are enough of them."""
    left = list(aces)
    for group in groups:
        for index, card in enumerate(group):
            if card is None and left:
                group[index] = left.pop()
    return not any(None in group for group in groups)


def of_kind(size, letter):
    """Sets of cards that agree in their value (letter 0) or in their suit (letter 1)."""

    def candidates(hand):
        naturals = [card for card in hand if card[0] != "A"]
        for wanted in sorted({card[letter] for card in naturals}):
            cards = [card for card in naturals if card[letter] == wanted][:size]
            yield cards + [None] * (size - len(cards))

    return candidates


def runs(size, colours):
    def candidates(hand):
        for suits in colours:
            cards = {card[0]: card for card in hand if card[1] in suits and card[0] != "A"}
            for start in range(12):
                yield [cards.get(VALUES[(start + step) % 12 + 1]) for step in range(size)]

    return candidates


def sums(colours):
    def candidates(hand):
        for suits in colours:
            cards = [card for card in hand if card[1] in suits]
            for size in (3, 4, 5):
                yield from (list(group) for group in combinations(cards, size) if sum(map(worth, group)) == 34)

    return candidates


PLANS = {
    1: [of_kind(3, 0), of_kind(3, 0)],
    2: [of_kind(7, 1)],
    3: [sums([ANY]), sums([ANY])],
    4: [of_kind(4, 0), of_kind(4, 0)],
    5: [runs(8, [ANY])],
    6: [sums([BLACK, RED]), sums([BLACK, RED])],
    7: [runs(4, [BLACK, RED]), of_kind(4, 0)],
}


def addition(hand, table):
    """A card of the hand at the end of a set that it fits, as a play, or None."""
    for owner, (phase, groups) in enumerate(table):
        for number, group in enumerate(groups):
            if phase in (1, 2, 4) or (phase == 7 and number == 1):
                letter = 1 if phase == 2 else 0
                wanted = next(card[letter] for card in group if card[0] != "A")
                for card in hand:
                    if card[letter] == wanted or card[0] == "A":
                        return (4, (card, (owner, number, len(group))))
    return None
