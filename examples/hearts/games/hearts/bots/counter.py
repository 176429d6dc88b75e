"""Counts the cards that are gone: leads where others must go higher, gets rid of high cards in harmless tricks,
discards what is most likely to take points later, and stops others' moons."""

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
    low_spades = sum(card[1] == "S" and rank(card) < rank("QS") for card in hand)

    def burden(card):
        if card[1] == "S":
            return (30 if card == "QS" else 20) - 5 * max(0, low_spades - 2) if rank(card) >= rank("QS") else -10
        if card[1] == "H":
            return 1.4 * rank(card)
        return rank(card) + 1.0 * (4 - lengths[card[1]])

    return sorted(hand, key=burden)[-3:]


def hearts_play(hand, trick, tricks, hearts_broken, scores, player_no):
    """The best legal card to lead, to follow with, or to discard."""
    legal = hearts_legal_cards(hand, trick, not tricks, hearts_broken)
    table = Table(hand, trick, tricks, player_no)
    if not trick:
        return min(legal, key=table.risk_of_lead)
    if legal[0][1] != trick[0][1]:
        return max(legal, key=table.burden)
    return table.follow(legal)


class Table:
    """What can be known from one seat."""

    def __init__(self, hand, trick, tricks, player_no):
        self.hand, self.trick, self.player_no = hand, trick, player_no
        gone = {card for _, cards in tricks for card in cards} | set(trick) | set(hand)
        self.out = [rank + suit for suit in SUITS for rank in RANKS if rank + suit not in gone]
        self.lacking = {seat: set() for seat in range(4)}
        self.taken = [0, 0, 0, 0]
        self.first = not tricks
        for leader, cards in tricks:
            self.watch(leader, cards)
            followed = [card for card in cards if card[1] == cards[0][1]]
            winner = (leader + cards.index(max(followed, key=rank))) % 4
            self.taken[winner] += sum(map(points, cards))
        if trick:
            self.watch((player_no - len(trick)) % 4, trick)
        self.later = [(player_no + step) % 4 for step in range(1, 4 - len(trick))]

    def watch(self, leader, cards):
        """Note who lacked the suit led."""
        for place, card in enumerate(cards):
            if card[1] != cards[0][1]:
                self.lacking[(leader + place) % 4].add(cards[0][1])

    def higher_and_lower(self, card):
        """How many cards of its suit that others hold are higher, and how many lower."""
        ranks = [rank(other) for other in self.out if other[1] == card[1]]
        higher = sum(other > rank(card) for other in ranks)
        return higher, len(ranks) - higher

    def risk_of_lead(self, card):
        """How likely a trick with points comes back for the card."""
        higher, lower = self.higher_and_lower(card)
        suit = card[1]
        followers = sum(suit not in self.lacking[seat] for seat in self.later)
        takes = (lower / (higher + lower)) ** min(followers, higher) if higher and followers else 1.0
        cost = 1.0 + 2.5 * max(0, 3 - (higher + lower) / 2) + 4.0 * (3 - followers)
        if suit == "H":
            cost += 3.0
        if suit == "S" and "QS" in self.out:
            if rank(card) > rank("QS"):
                return 20.0
            return -1.0 if not any(other in self.hand for other in ("KS", "AS")) else 3.0
        if card == "QS":
            return 13.0 * (takes + 0.5)
        return takes * cost - 0.02 * rank(card)

    def burden(self, card):
        """How much one would like to be rid of the card."""
        if card == "QS":
            return 100.0
        if card in ("KS", "AS") and "QS" in self.out:
            return 50.0
        higher, lower = self.higher_and_lower(card)
        length = sum(other[1] == card[1] for other in self.hand)
        lowest = min(rank(other) for other in self.hand if other[1] == card[1])
        worth = 10.0 * lower / (higher + lower + 1) + 0.2 * rank(card)
        return worth + (2.0 if card[1] == "H" else 0.0) + 1.5 / length + 0.15 * lowest

    def follow(self, legal):
        """Under the trick with the highest card that stays there; over it only when that is cheap or forced."""
        led = self.trick[0][1]
        best = max(rank(card) for card in self.trick if card[1] == led)
        under = [card for card in legal if rank(card) < best]
        safe = [card for card in legal if card != "QS"]
        lying = sum(map(points, self.trick))
        if "QS" in under:
            return "QS"
        if self.somebody_shoots() and lying and not self.later:
            return max(safe or legal, key=rank)
        if self.first and safe:
            return max(safe, key=rank)
        if under and (lying or (self.later and self.dangerous(led))):
            return max(under, key=rank)
        if not self.later and safe and (not under or not lying):
            return max(safe, key=rank)
        if under:
            return max(under, key=rank)
        if self.dangerous(led) or lying:
            return min(safe or legal, key=rank)
        return max(safe or legal, key=rank)

    def dangerous(self, led):
        """Whether a player who comes later may well put points on this trick."""
        if led == "H" or (led == "S" and "QS" in self.out):
            return True
        left = sum(other[1] == led for other in self.out)
        return left < 2 * len(self.later) + 1 or any(led in self.lacking[seat] for seat in self.later)

    def somebody_shoots(self):
        """Whether one other seat has all the points so far, and many of them."""
        top = max(self.taken)
        return top >= 6 and sum(self.taken) == top and self.taken[self.player_no] != top
