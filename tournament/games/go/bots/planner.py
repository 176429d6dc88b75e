"""Weighs what each card makes of its own discards, what could still come, and what the next players would do with it.

Between the plays of a game it remembers the hands that it has seen: they come back after four turns.
"""

VALUES = "A234567890JQK"
KIND_POINTS = (0, -1, 2, 6, 24)  # times the value
TURNS = 10
COMES_BACK = 0.45
IN_DOUBT = 0.2
DENY = 0.35
PACK = [value + suit for value in VALUES for suit in "SHDC"]
SEEN = set()


def comp10001go_play(discard_history, player_no, hand):
    """The card with the best sum of what it is to its player and of what it is to the others."""
    table = Table(discard_history, player_no, hand)
    return max(hand, key=table.worth)


def comp10001go_group(discard_history, player_no):
    """One of the best groupings."""
    return best_grouping([turn[player_no] for turn in discard_history])[1]


class Table:
    """What a player knows at a turn."""

    def __init__(self, discard_history, player_no, hand):
        if not discard_history:
            SEEN.clear()
        SEEN.update(hand)
        discards = [[turn[(player_no + steps) % 4] for turn in discard_history] for steps in range(4)]
        self.mine, *self.rivals = discards
        self.scores = [best_grouping(cards)[0] for cards in self.rivals]
        self.turns_left = TURNS - 1 - len(self.mine)
        gone = {card for turn in discard_history for card in turn}
        self.chances = {card: self.chance(card, hand) for card in PACK if card not in gone}

    def chance(self, card, hand):
        """How likely it is that the card can be discarded in a later turn."""
        if self.turns_left < (4 if card in hand else 1):
            return 0
        return COMES_BACK if card in SEEN else IN_DOUBT

    def worth(self, card):
        """Own points with the card, hopes included, and a part of what the next player would gain by it."""
        return self.hopes([*self.mine, card]) + DENY * self.denied(card)

    def hopes(self, mine):
        """What the cards score and may come to score."""
        score = best_grouping(mine)[0]
        return score + sum(self.hope(value, mine) for value in values(mine))

    def hope(self, value, mine):
        """What more cards of the value can be expected to add."""
        have = sum(card[0] == value for card in mine)
        chances = [1.0, 0, 0, 0, 0]  # of getting so many more
        for card, chance in self.chances.items():
            if card[0] == value and card not in mine:
                for more in (4, 3, 2, 1):
                    chances[more] += chance * (chances[more - 1] - chances[more])
                chances[0] *= 1 - chance
        points = VALUES.index(value) + 1
        now = KIND_POINTS[have]
        gain = 0
        for more, chance in enumerate(chances):
            gain += chance * (KIND_POINTS[min(have + min(more, self.turns_left), 4)] - now)
        return gain * points

    def denied(self, card):
        """What the next players would gain by the card at once: the nearer, the more it matters."""
        if not self.turns_left:
            return 0
        gains = [
            best_grouping([*cards, card])[0] - score for cards, score in zip(self.rivals, self.scores, strict=True)
        ]
        return max(gains[0], gains[1] / 2, gains[2] / 4)


def best_grouping(cards):
    """The best score of the cards, and a grouping that reaches it."""
    groups = [
        [(1 << number, -20 if card[0] == "A" else -VALUES.index(card[0]) - 1)] for number, card in enumerate(cards)
    ]
    for mask, points in [*kinds(cards), *runs(cards)]:
        groups[(mask & -mask).bit_length() - 1].append((mask, points))
    known = {0: (0, 0)}

    def solve(left):
        if left not in known:
            best = None
            for mask, points in groups[(left & -left).bit_length() - 1]:
                if mask & left == mask:
                    score = points + solve(left ^ mask)[0]
                    if best is None or score > best[0]:
                        best = score, mask
            known[left] = best
        return known[left]

    left = (1 << len(cards)) - 1
    score, grouping = solve(left)[0], []
    while left:
        mask = known[left][1]
        grouping.append([card for number, card in enumerate(cards) if mask >> number & 1])
        left ^= mask
    return score, grouping


def values(cards):
    """The values of the cards, each once, but no Ace."""
    return [value for value in dict.fromkeys(card[0] for card in cards) if value != "A"]


def kinds(cards):
    """Every N-of-a-kind as a mask, with its points."""
    for value in values(cards):
        masks = [0]
        for number, card in enumerate(cards):
            if card[0] == value:
                masks += [mask | 1 << number for mask in masks]
        for mask in masks:
            size = bin(mask).count("1")
            if size > 1:
                yield mask, KIND_POINTS[size] * (VALUES.index(value) + 1)


def runs(cards):
    """Every run as a mask, with its points."""
    places = [(VALUES.index(card[0]) + 1, card[1] in "HD", 1 << number) for number, card in enumerate(cards)]
    started = [(bit, value, 1, value, red) for value, red, bit in places if value > 1]
    while started:
        mask, points, size, top, red = started.pop()
        for value, other, bit in places:
            if other != red and not mask & bit and (value == top + 1 or (value == 1 and top < 13)):
                run = (mask | bit, points + top + 1, size + 1, top + 1, other)
                started.append(run)
                if size > 1 and value > 1:
                    yield run[:2]
