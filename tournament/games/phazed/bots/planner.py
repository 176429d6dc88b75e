"""Counts how many cards its phase still lacks, and draws and discards so that they become fewer.

Once the phase is down it puts everything on the table that fits. It discards what helps nobody.
"""

from collections import Counter

VALUE = {letter: number for number, letter in enumerate("A234567890JQK", start=1)}
COLOURS = ("SC", "HD")
TOTALS = (34, 55, 68, 76, 81, 84, 86, 87, 88)


def penalty(card):
    """What the card costs if it is left in the hand."""
    return 25 if card[0] == "A" else VALUE[card[0]]


def phazed_play(player_id, table, turn_history, phase_status, hand, discard):
    """One play: draw, then the phase, then cards onto the table, then a discard."""
    done = table[player_id][0] is not None
    phase = phase_status[player_id] + 1
    if not turn_history or turn_history[-1][0] != player_id:
        takes = discard is not None and (fits(discard, table) if done else helps(discard, hand, phase))
        return (2, discard) if takes else (1, None)
    if done:
        play = build(hand, table)
        if play:
            return play
        return (5, max(hand, key=lambda card: (not fits(card, table), penalty(card))))
    groups = find_phase(hand, phase)
    if groups:
        return (3, (phase, groups))
    return (5, least_useful(hand, phase, table))


# Towards the phase


def helps(card, hand, phase):
    """Whether the phase lacks fewer cards with this one."""
    return LACKS[phase]([*hand, card])[0] < LACKS[phase](hand)[0]


def least_useful(hand, phase, table):
    """The card without which the phase lacks least; of several, one that fits nowhere, and that costs most."""

    def rank(card):
        rest = list(hand)
        rest.remove(card)
        return (*LACKS[phase](rest), fits(card, table) if card[0] != "A" else 2, -penalty(card))

    return min(sorted(set(hand)), key=rank)


def split(hand):
    """The natural cards and the Aces."""
    aces = [card for card in hand if card[0] == "A"]
    return [card for card in hand if card[0] != "A"], aces


def lacks_sets(hand, size):
    """(cards lacking, minus the number of cards that would help) for two sets of that size."""
    naturals, aces = split(hand)
    counts = Counter([card[0] for card in naturals])
    parts = []
    for count in counts.values():
        parts.append(min(count, size))
        if count > size:
            parts.append(count - size)
    first, second = [*sorted(parts, reverse=True), 0, 0][:2]
    gap = 2 * size - first - second - len(aces)
    outs = sum(8 - count for count in counts.values() if second <= count < size)
    return max(gap, max(0, 2 - first) + max(0, 2 - second)), -outs


def lacks_suit(hand):
    """The same for seven of a suit; ties go to the hand with the longer second suit."""
    naturals, aces = split(hand)
    counts = Counter([card[1] for card in naturals])
    first, second = [*sorted(counts.values(), reverse=True), 0, 0][:2]
    return max(7 - first - len(aces), 2 - first), -second


WINDOWS_OF_8 = [sum(1 << (start + step) % 12 for step in range(8)) for start in range(12)]
WINDOWS_OF_4 = [sum(1 << (start + step) % 12 for step in range(4)) for start in range(12)]


def value_mask(cards):
    """One bit for each natural value."""
    mask = 0
    for card in cards:
        mask |= 1 << VALUE[card[0]] - 2
    return mask


def lacks_run(hand):
    """The same for a run of eight."""
    naturals, aces = split(hand)
    mask = value_mask(naturals)
    lengths = [(mask & window).bit_count() for window in WINDOWS_OF_8]
    best = max(lengths)
    outs = 0
    for length, window in zip(lengths, WINDOWS_OF_8):
        if length == best:
            outs |= window & ~mask
    return max(8 - best - len(aces), 2 - best), -outs.bit_count()


def lacks_last(hand):
    """The same for a run of four of one colour and a set of four."""
    naturals, aces = split(hand)
    counts = Counter([card[0] for card in naturals])
    most = max(counts.values(), default=0)
    best, ways = 9, 0
    for colour in COLOURS:
        mask = value_mask([card for card in naturals if card[1] in colour])
        for window in WINDOWS_OF_4:
            run = (mask & window).bit_count()
            if run < 2 and best < 9:
                continue
            for value, count in counts.items():
                if count < most - 1:
                    continue
                if (mask & window) >> VALUE[value] - 2 & 1:
                    count -= 1
                gap = 8 - run - min(count, 4) - len(aces)
                lack = max(gap, max(0, 2 - run) + max(0, 2 - count))
                if lack < best:
                    best, ways = lack, 1
                elif lack == best:
                    ways += 1
    return best, -ways


ROW = 48
LIMIT = sum((1 << 35) - 1 << ROW * total for total in range(35))
BOTH = 1 << ROW * 34 + 34


def reachable(cards):
    """Bit `ROW * a + b` says that two separate piles out of these cards can come to a and b, none above 34."""
    reach = 1
    for card in cards:
        value = VALUE[card[0]]
        reach |= (reach << value | reach << ROW * value) & LIMIT
    return reach


def cards_to_34(total):
    """How many cards at least bring the total to 34."""
    return -(-(34 - total) // 13)


NEEDS = [
    sum(1 << ROW * a + b for a in range(35) for b in range(35) if cards_to_34(a) + cards_to_34(b) == count)
    for count in range(7)
]


def lacks_accumulations(cards):
    """(cards lacking, minus the number of ways) for two accumulations."""
    reach = reachable(cards)
    for count, mask in enumerate(NEEDS):
        if reach & mask:
            return count, -(reach & mask).bit_count()
    return 6, 0


def lacks_coloured(hand):
    """The same for two accumulations of one colour each."""
    black, red = [[card for card in hand if card[1] in colour] for colour in COLOURS]
    ends = []
    for cards in (black, red):
        reach = reachable(cards) & (1 << 35) - 1
        ends.append(cards_to_34(reach.bit_length() - 1) if not reach >> 34 else 0)
    return min(lacks_accumulations(black), lacks_accumulations(red), (sum(ends), -1))


LACKS = {
    1: lambda hand: lacks_sets(hand, 3),
    2: lacks_suit,
    3: lacks_accumulations,
    4: lambda hand: lacks_sets(hand, 4),
    5: lacks_run,
    6: lacks_coloured,
    7: lacks_last,
}


# The phase itself


def find_phase(hand, phase):
    """The groups of the phase, or None."""
    if LACKS[phase](hand)[0] > 0:
        return None
    naturals, aces = split(hand)
    if phase in (1, 4):
        return find_sets(naturals, aces, 3 if phase == 1 else 4)
    if phase == 2:
        suit = Counter([card[1] for card in naturals]).most_common(1)[0][0]
        return [([card for card in naturals if card[1] == suit] + aces)[:7]]
    if phase == 5:
        return [find_run(naturals, aces, 8)]
    if phase == 7:
        return find_last(naturals, aces)
    if phase == 3:
        return split_34(hand)
    black, red = [[card for card in hand if card[1] in colour] for colour in COLOURS]
    mixed = [subset(black, 34), subset(red, 34)]
    return split_34(black) or split_34(red) or (mixed if all(mixed) else None)


def find_sets(naturals, aces, size):
    """Two sets, the Aces filling up."""
    aces = list(aces)
    parts = []
    for value in sorted({card[0] for card in naturals}):
        cards = [card for card in naturals if card[0] == value]
        parts += [cards[:size], cards[size:]]
    parts.sort(key=len, reverse=True)
    return [part + [aces.pop() for _ in range(size - len(part))] for part in parts[:2]]


def find_run(naturals, aces, size, start=None):
    """A run, from that value if one is given, with Aces in the gaps; None if they are too few."""
    by_value = {VALUE[card[0]] - 2: card for card in naturals}
    for first in range(12) if start is None else (start,):
        run = [by_value.get((first + step) % 12) for step in range(size)]
        if size - 2 >= run.count(None) <= len(aces):
            spare = list(aces)
            return [card or spare.pop() for card in run]
    return None


def find_last(naturals, aces):
    """A run of four of one colour and a set of four; a card that both could use goes to either."""
    for value in sorted({card[0] for card in naturals}):
        for kept in (4, 3, 2):
            cards = [card for card in naturals if card[0] == value][:kept]
            if len(cards) < 2 or 4 - len(cards) > len(aces):
                continue
            rest = list(naturals)
            for card in cards:
                rest.remove(card)
            for colour in COLOURS:
                spare = aces[4 - len(cards) :]
                run = find_run([card for card in rest if card[1] in colour], spare, 4)
                if run:
                    return [run, cards + aces[: 4 - len(cards)]]
    return None


def by_value_down(cards):
    return sorted(cards, key=lambda card: -VALUE[card[0]])


def split_34(cards):
    """Two separate accumulations of 34, of low cards rather than high; None if there are none."""
    cards = by_value_down(cards)
    steps = [1]
    for card in cards:
        steps.append(steps[-1] | (steps[-1] << VALUE[card[0]] | steps[-1] << ROW * VALUE[card[0]]) & LIMIT)
    if not steps[-1] & BOTH:
        return None
    left = [34, 34]
    piles = [[], []]
    for card, reach in zip(reversed(cards), reversed(steps[:-1])):
        for pile, (a, b) in enumerate(((VALUE[card[0]], 0), (0, VALUE[card[0]]))):
            rest = left[0] - a, left[1] - b
            if min(rest) >= 0 and reach >> ROW * rest[0] + rest[1] & 1:
                piles[pile].append(card)
                left = rest
                break
    return piles


def subset(cards, total):
    """Cards that come to the total, low rather than high; None if there are none."""
    cards = by_value_down(cards)
    steps = [1]
    for card in cards:
        steps.append(steps[-1] | steps[-1] << VALUE[card[0]])
    if not steps[-1] >> total & 1:
        return None
    chosen = []
    for card, reach in zip(reversed(cards), reversed(steps[:-1])):
        rest = total - VALUE[card[0]]
        if rest >= 0 and reach >> rest & 1:
            chosen.append(card)
            total = rest
    return chosen


# Cards onto the table


def places(table):
    """Every place for a single card: (player, group number, index, values, suits)."""
    for owner, (phase, groups) in enumerate(table):
        for number, group in enumerate(groups):
            if phase in (3, 6):
                continue
            first = next(index for index, card in enumerate(group) if card[0] != "A")
            card = group[first]
            if phase == 5 or (phase == 7 and number == 0):
                if len(group) < 12:
                    offset = VALUE[card[0]] - 2 - first
                    suits = "SHDC" if phase == 5 else COLOURS[card[1] in "HD"]
                    yield owner, number, 0, (offset - 1) % 12 + 2, suits
                    yield owner, number, len(group), (offset + len(group)) % 12 + 2, suits
            elif phase == 2:
                yield owner, number, len(group), None, card[1]
            else:
                yield owner, number, len(group), VALUE[card[0]], "SHDC"


def suits_place(card, place):
    """Whether the card may go there."""
    _, _, _, value, suits = place
    return card[0] == "A" or (card[1] in suits and value in (None, VALUE[card[0]]))


def fits(card, table):
    """Whether the card alone fits somewhere on the table."""
    if any(suits_place(card, place) for place in places(table)):
        return True
    return any(gap == VALUE[card[0]] and card[1] in suits for *_, gap, suits in accumulations(table))


def accumulations(table):
    """Every accumulation that can grow: (finished, player, group number, length, what it lacks, suits), open ones first."""
    found = []
    for owner, (phase, groups) in enumerate(table):
        if phase in (3, 6):
            for number, group in enumerate(groups):
                total = sum([VALUE[card[0]] for card in group])
                suits = "SHDC" if phase == 3 else COLOURS[group[0][1] in "HD"]
                later = [mark for mark in TOTALS if mark > total]
                if later:
                    found.append((total in TOTALS, owner, number, len(group), later[0] - total, suits))
    return sorted(found)


def build(hand, table):
    """A card onto the table, Aces last so that they fill what nothing else does; None if nothing fits."""
    growing = accumulations(table)
    if not growing or growing[0][0]:
        spots = list(places(table))
        for card in sorted(hand, key=lambda card: (card[0] == "A", -VALUE[card[0]])):
            for place in spots:
                if suits_place(card, place):
                    return (4, (card, place[:3]))
    for _, owner, number, length, gap, suits in growing:
        chosen = subset([card for card in hand if card[1] in suits], gap)
        if chosen:
            return (4, (chosen[0], (owner, number, length)))
    return None
