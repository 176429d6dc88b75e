"""Keeps its Eights until nothing else fits, and stays in the suit of which it has most."""

import kotc


class KeepsEights(kotc.KOTCBot):
    def play(self, discard):
        fitting = [card for card in self.hand if fits(card, discard)]
        plain = [card for card in fitting if card.rank != kotc.Rank.Eight]
        if plain:
            return max(plain, key=lambda card: self.count(card.suit))
        return kotc.Card(max(kotc.Suit, key=self.count), kotc.Rank.Eight)

    def count(self, suit):
        """How many cards of the suit are in the hand, Eights apart."""
        return sum(card.suit == suit and card.rank != kotc.Rank.Eight for card in self.hand)


def fits(card, discard):
    return card.rank == kotc.Rank.Eight or card.suit == discard.suit or card.rank == discard.rank
