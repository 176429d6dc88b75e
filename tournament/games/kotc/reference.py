"""A complete player for King of the Cards: all questions, and a plain but sensible way to play.

It is one file with one class, as a student would hand it in.
"""

import kotc


class Reference(kotc.KOTCBot):
    """Keeps its Eights, and plays the card that most other cards of its hand can follow."""

    def play(self, discard):
        """Return the card to play; the hand always holds one that fits."""
        fitting = [card for card in self.hand if fits(card, discard)]
        plain = [card for card in fitting if card.rank != kotc.Rank.Eight]
        if plain:
            return max(plain, key=self.followers)
        return kotc.Card(self.best_suit(), kotc.Rank.Eight)

    def followers(self, card):
        """Return how many other cards of the hand fit on this one."""
        return sum(fits(other, card) for other in self.hand if other != card)

    def best_suit(self):
        """Return the most frequent suit in the hand, without Eights."""
        suits = [card.suit for card in self.hand if card.rank != kotc.Rank.Eight]
        return max(kotc.Suit, key=suits.count)


def fits(card, discard):
    """Whether the card may be played on the top card."""
    return card.rank == kotc.Rank.Eight or card.suit == discard.suit or card.rank == discard.rank
