"""King of the Cards: your player. Fill in the method `play`, and hand in this one file.

The module kotc exists only where your player runs: on the site, and where the kit checks it on your own computer.
It has

    kotc.Suit    Clubs, Diamonds, Spades, Hearts
    kotc.Rank    Ace, Two, Three, ..., Ten, Jack, Queen, King
    kotc.Card    a card: card.suit and card.rank; kotc.Card(kotc.Suit.Hearts, kotc.Rank.Eight) makes one
    kotc.KOTCBot what your class extends
"""

import kotc


class MyBot(kotc.KOTCBot):
    """My bot. There must be only one such class in the file; it is made without arguments, once for each game.

    self.hand                  the list of your cards; leave it as it is, the game looks after it
    self.draw()                draws a card into your hand and returns it; None if there is none left
    self.arena.handSizes()     a list with the number of cards of the other bot
    self.arena.discardSize()   how many cards lie in the discard pile
    self.arena.drawSize()      how many cards are left to draw
    """

    def play(self, discard):
        """Return a card of your hand that fits on the card `discard`, or None to skip the turn.

        A card fits if it has the suit or the rank of `discard`. An Eight always fits, and you choose the suit that it
        counts as: return kotc.Card(suit, kotc.Rank.Eight) with any suit.
        You are asked only if a card of your hand fits.
        """
