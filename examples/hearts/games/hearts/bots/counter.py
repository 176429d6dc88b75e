"""Counts the cards that are gone, weighs how likely each card is to take points, and stops others' moons."""

SUITS = "CDSH"
RANKS = "234567890JQKA"


def rank(card):
    """0 for a two … 12 for an ace."""
    return RANKS.index(card[0])


def points(card):
    return 13 if card == "QS" else int(card[1] == "H")


def hearts_legal_cards(hand, trick, first_trick, hearts_broken):
    """The cards of the hand that may be played."""
    if trick:
        following = [card for card in hand if card[1] == trick[0][1]]
        harmless = [card for card in hand if not points(card)] if first_trick else []
        return following or harmless or hand
    if first_trick:
        return ["2C"]
    return [card for card in hand if hearts_broken or card[1] != "H"] or hand


def hearts_pass(hand, direction, scores, player_no):
    """High spades without guards, high hearts, and short suits that can be emptied."""
    lengths = {suit: sum(card[1] == suit for card in hand) for suit in SUITS}

    def burden(card):
        value = rank(card)
        if card[1] == "S":
            guards = sum(other[1] == "S" and rank(other) < rank("QS") for other in hand)
            return (60 if card == "QS" else 40) - 12 * guards if value >= rank("QS") else -20
        if card[1] == "H":
            return 1.6 * value
        return 1.3 * value + 4 * (4 - lengths[card[1]])

    return sorted(hand, key=burden)[-3:]


def hearts_play(hand, trick, tricks, hearts_broken, scores, player_no):
    """The card that is expected to cost least."""
    table = Table(hand, trick, tricks, player_no)
    return min(hearts_legal_cards(hand, trick, not tricks, hearts_broken), key=table.cost)


class Table:
    """What can be known from one seat."""

    def __init__(self, hand, trick, tricks, player_no):
        self.hand, self.trick, self.player_no = hand, trick, player_no
        self.gone = {card for _, cards in tricks for card in cards} | set(trick)
        self.out = [rank + suit for suit in SUITS for rank in RANKS if rank + suit not in self.gone]
        self.out = [card for card in self.out if card not in hand]
        self.voids = {seat: set() for seat in range(4)}
        self.taken = [0, 0, 0, 0]
        for leader, cards in tricks:
            self.watch(leader, cards)
        leader = (player_no - len(trick)) % 4
        for place, card in enumerate(trick):
            if card[1] != trick[0][1]:
                self.voids[(leader + place) % 4].add(trick[0][1])
        self.later = [(player_no + step) % 4 for step in range(1, 4 - len(trick))]

    def watch(self, leader, cards):
        """Note who lacked the suit led, and who took the points."""
        followed = [card for card in cards if card[1] == cards[0][1]]
        winner = (leader + cards.index(max(followed, key=rank))) % 4
        self.taken[winner] += sum(map(points, cards))
        for place, card in enumerate(cards):
            if card[1] != cards[0][1]:
                self.voids[(leader + place) % 4].add(cards[0][1])

    def cost(self, card):
        """What the card is expected to cost: the points of the trick if it wins, less what leaves the hand with it."""
        led = self.trick[0][1] if self.trick else card[1]
        takes = self.chance_to_take(card, led)
        lying = sum(map(points, self.trick)) + points(card)
        value = takes * (lying + self.expected(led) + 0.3) - (1 - takes) * self.relief(card)
        if self.somebody_shoots() and takes > 0.5 and lying:
            value -= 8
        return value

    def chance_to_take(self, card, led):
        """How likely the card is to take the trick."""
        if card[1] != led:
            return 0.0
        if any(other[1] == led and rank(other) > rank(card) for other in self.trick):
            return 0.0
        higher = sum(other[1] == led and rank(other) > rank(card) for other in self.out)
        lower = sum(other[1] == led and rank(other) < rank(card) for other in self.out)
        chance = 1.0
        for seat in self.later:
            if led not in self.voids[seat] and higher:
                # who follows with a choice goes under, so a lone higher card takes the trick only at times
                chance *= (1 - 1 / (higher + lower)) ** higher if lower == 0 else lower / (higher + lower)
        return chance if higher else 1.0

    def expected(self, led):
        """Points that the players after this one may still discard on the trick, or follow with."""
        left = sum(other[1] == led for other in self.out)
        queen = "QS" in self.out
        hearts = sum(other[1] == "H" for other in self.out)
        total = 0.0
        for seat in self.later:
            if led in self.voids[seat] or left == 0:
                void = 1.0
            else:
                void = max(0.03, 0.5 - 0.07 * left)
            total += void * (4.0 * queen + min(1.0, hearts / 4))
        if led == "H":
            total += 0.9 * min(len(self.later), left)
        if led == "S" and queen and self.later:
            total += 4.0
        return total

    def relief(self, card):
        """How good it is to be rid of the card without taking the trick."""
        if card == "QS":
            return 13.0
        if card in ("KS", "AS") and "QS" in self.out:
            return 6.0
        higher = sum(other[1] == card[1] and rank(other) > rank(card) for other in self.out)
        lower = sum(other[1] == card[1] and rank(other) < rank(card) for other in self.out)
        length = sum(other[1] == card[1] for other in self.hand)
        weight = 1.5 if card[1] == "H" else 1.0
        return weight * lower / (higher + lower + 1) * 2.0 + 0.5 / length + 0.02 * rank(card)

    def somebody_shoots(self):
        """Whether one other seat has all the points so far, and many of them."""
        top = max(self.taken)
        return top >= 8 and sum(self.taken) == top and self.taken[self.player_no] != top
