"""Plays any card that fits; an Eight with any suit."""

import random

import kotc


class RandomLegal(kotc.KOTCBot):
    def play(self, discard):
        card = random.choice([card for card in self.hand if fits(card, discard)])
        if card.rank == kotc.Rank.Eight:
            return kotc.Card(random.choice(list(kotc.Suit)), kotc.Rank.Eight)
        return card


def fits(card, discard):
    return card.rank == kotc.Rank.Eight or card.suit == discard.suit or card.rank == discard.rank
