"""Looks for the play that leaves the longest chain of its own cards, weighed with what the opponent could answer: it
has watched which suits and ranks made the opponent draw, and which cards are gone."""

import kotc

EIGHT = kotc.Rank.Eight


class Planner(kotc.KOTCBot):
    def __init__(self):
        self.seen = set()
        self.lacks = set()
        self.left = None
        self.other = None

    def play(self, discard):
        self.watch(discard)
        best = max(self.choices(discard), key=self.worth)
        self.left = best
        self.other = self.arena.handSizes()[0]
        self.seen.add(best)
        return best

    def watch(self, discard):
        """What the opponent's last turn tells: a hand that grew had no card for what was left to it."""
        sizes = self.arena.handSizes()[0]
        if self.left is not None and sizes >= self.other and discard is not self.left:
            self.lacks = {self.left.suit}
        elif discard.rank != EIGHT:
            self.lacks.discard(discard.suit)
        self.seen.update(self.hand)
        self.seen.add(discard)

    def choices(self, discard):
        """Every card that fits; an Eight with each suit."""
        for card in self.hand:
            if card.rank != EIGHT and (card.suit == discard.suit or card.rank == discard.rank):
                yield card
        if any(card.rank == EIGHT for card in self.hand):
            yield from (kotc.Card(suit, EIGHT) for suit in kotc.Suit)

    def worth(self, card):
        """How good it is to leave that card on top."""
        rest = [other for other in self.hand if other.rank != EIGHT and other is not card]
        eights = sum(other.rank == EIGHT for other in self.hand) - (card.rank == EIGHT)
        follow = sum(other.suit == card.suit or other.rank == card.rank for other in rest)
        answers = self.unseen(card)
        value = 1.0 * follow - 0.35 * answers + 3.0 * (card.suit in self.lacks)
        value += 2.5 * eights if card.rank == EIGHT else 0
        if card.rank == EIGHT:
            value -= 6
        if not rest and not eights:
            value += 100
        return value

    def unseen(self, card):
        """How many cards that fit on it are still to be met with."""
        suit = sum(kotc.Card(card.suit, rank) not in self.seen for rank in kotc.Rank if rank != EIGHT)
        rank = sum(kotc.Card(suit, card.rank) not in self.seen for suit in kotc.Suit if suit != card.suit)
        return suit + rank * (card.rank != EIGHT)
