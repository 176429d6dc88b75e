"""The assignment's example bot: plays any available card, without using eights."""

import kotc


class ExampleBot(kotc.KOTCBot):
    def play(self, discard):  # noqa: RET503 - as the assignment has it
        for card in self.hand:
            if card.suit == discard.suit or card.rank == discard.rank:
                return card
