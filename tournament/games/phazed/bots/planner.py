"""Counts how many cards its phase still lacks, and draws and discards so that they become fewer.

Once the phase is down it puts everything on the table that fits. It discards what helps nobody.
"""

from collections import Counter

VALUE = {letter: number for number, letter in enumerate("A234567890JQK", start=1)}
PENALTY = VALUE | {"A": 25}
COLOURS = ("SC", "HD")
TOTALS = (34, 55, 68, 76, 81, 84, 86, 87, 88)


def phazed_play(player_id, table, turn_history, phase_status, hand, discard):
    """One play: draw, then the phase, then cards onto the table, then a discard."""
    done = table[player_id][0] is not None
    phase = phase_status[player_id] + 1
    if not turn_history or turn_history[-1][0] != player_id:
        if discard and (fits(discard, table) if done else LACKS[phase]([*hand, discard])[0] < LACKS[phase](hand)[0]):
            return (2, discard)
        return (1, None)
    if done:
        play = build(hand, table)
        if play:
            return play
        return (5, max(hand, key=lambda card: (not fits(card, table), PENALTY[card[0]])))
    groups = find_phase(hand, phase)
    if groups:
        return (3, (phase, groups))
    return (5, least_useful(hand, phase, table))


def least_useful(hand, phase, table):
    """The card without which the phase lacks least; of several, one that fits nowhere, and that costs most."""

    def rank(card):
        rest = list(hand)
        rest.remove(card)
        return (*LACKS[phase](rest), fits(card, table) if card[0] != "A" else 2, -PENALTY[card[0]])

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


def lacks_run(hand):
    """The same for a run of eight."""
    naturals, aces = split(hand)
    mask = sum({1 << VALUE[card[0]] - 2 for card in naturals})
    best = max([(mask & window).bit_count() for window in WINDOWS_OF_8])
    outs = 0
    for window in WINDOWS_OF_8:
        if (mask & window).bit_count() == best:
            outs |= window & ~mask
    return max(8 - best - len(aces), 2 - best), -outs.bit_count()


def lacks_last(hand):
    """The same for a run of four of one colour and a set of four."""
    naturals, aces = split(hand)
    counts = Counter([card[0] for card in naturals])
    likely = [(VALUE[value] - 2, count) for value, count in counts.most_common(3)]
    lacks = []
    for colour in COLOURS:
        mask = sum({1 << VALUE[card[0]] - 2 for card in naturals if card[1] in colour})
        for window in WINDOWS_OF_4:
            run = (mask & window).bit_count()
            for value, count in likely if run else ():
                same = count - ((mask & window) >> value & 1)  # a card cannot serve both
                gap = 8 - run - min(same, 4) - len(aces)
                lacks.append(max(gap, max(0, 2 - run) + max(0, 2 - same)))
    best = min(lacks, default=8)
    return best, -lacks.count(best)


ROW = 48
LIMIT = sum((1 << 35) - 1 << ROW * total for total in range(35))


def reachable(cards):
    """For each number of cards taken in order: bit `ROW * a + b` says that piles out of them can come to a and b."""
    steps = [1]
    for card in cards:
        value = VALUE[card[0]]
        steps.append(steps[-1] | (steps[-1] << value | steps[-1] << ROW * value) & LIMIT)
    return steps


def cards_to_34(total):
    """How many cards at least bring the total to 34."""
    return -(-(34 - total) // 13)


NEEDS = [
    sum(1 << ROW * a + b for a in range(35) for b in range(35) if cards_to_34(a) + cards_to_34(b) == count)
    for count in range(7)
]


def lacks_accumulations(cards):
    """(cards lacking, minus the number of ways) for two accumulations."""
    reach = reachable(cards)[-1]
    for count, mask in enumerate(NEEDS):
        if reach & mask:
            return count, -(reach & mask).bit_count()
    return 6, 0


def lacks_coloured(hand):
    """The same for two accumulations of one colour each."""
    colours = [[card for card in hand if card[1] in colour] for colour in COLOURS]
    highest = [(reachable(cards)[-1] & (1 << 35) - 1).bit_length() - 1 for cards in colours]
    return min(*map(lacks_accumulations, colours), (sum(map(cards_to_34, highest)), -1))


LACKS = {
    1: lambda hand: lacks_sets(hand, 3),
    2: lacks_suit,
    3: lacks_accumulations,
    4: lambda hand: lacks_sets(hand, 4),
    5: lacks_run,
    6: lacks_coloured,
    7: lacks_last,
}


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
        return piles(hand, 34, 34)
    black, red = [[card for card in hand if card[1] in colour] for colour in COLOURS]
    apart = piles(black, 34, 0), piles(red, 34, 0)
    mixed = [pile[0] for pile in apart] if all(apart) else None
    return piles(black, 34, 34) or piles(red, 34, 34) or mixed


def find_sets(naturals, aces, size):
    """Two sets, the Aces filling up."""
    aces = list(aces)
    parts = []
    for value in sorted({card[0] for card in naturals}):
        cards = [card for card in naturals if card[0] == value]
        parts += [cards[:size], cards[size:]]
    parts.sort(key=len, reverse=True)
    return [part + [aces.pop() for _ in range(size - len(part))] for part in parts[:2]]


def find_run(naturals, aces, size):
    """A run with Aces in the gaps; None if they are too few."""
    by_value = {VALUE[card[0]] - 2: card for card in naturals}
    for first in range(12):
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
                run = find_run([card for card in rest if card[1] in colour], aces[4 - len(cards) :], 4)
                if run:
                    return [run, cards + aces[: 4 - len(cards)]]
    return None


def piles(cards, *goals):
    """Two separate piles that come to these totals, of low cards rather than high; None if there are none."""
    cards = sorted(cards, key=lambda card: -VALUE[card[0]])
    steps = reachable(cards)
    if not steps[-1] >> ROW * goals[0] + goals[1] & 1:
        return None
    found = [], []
    for card, reach in zip(reversed(cards), reversed(steps[:-1]), strict=True):
        value = VALUE[card[0]]
        for pile, left in enumerate(((goals[0] - value, goals[1]), (goals[0], goals[1] - value))):
            if min(left) >= 0 and reach >> ROW * left[0] + left[1] & 1:
                found[pile].append(card)
                goals = left
                break
    return [*found]


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
    value, suits = place[3:]
    return card[0] == "A" or (card[1] in suits and value in (None, VALUE[card[0]]))


def fits(card, table):
    """Whether the card alone fits somewhere on the table."""
    if any(suits_place(card, place) for place in places(table)):
        return True
    return any(gap == VALUE[card[0]] and card[1] in suits for *_, gap, suits in accumulations(table))


def accumulations(table):
    """Each accumulation that can grow: (finished, player, group, length, what it lacks, suits), open ones first."""
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
        chosen = piles([card for card in hand if card[1] in suits], gap, 0)
        if chosen:
            return (4, (chosen[0][0], (owner, number, length)))
    return None
