"""Playing cards as the seeds write them: value, then suit. `0H` is the ten of hearts."""

from collections.abc import Sequence
from random import Random
from sys import intern

VALUES = "A234567890JQK"
SUITS = "SHDC"
PACK = tuple(intern(value + suit) for suit in SUITS for value in VALUES)

NAMES = {number: number for number in "23456789"} | {
    "A": "ace",
    "0": "10",
    "J": "jack",
    "Q": "queen",
    "K": "king",
    "S": "spades",
    "H": "hearts",
    "D": "diamonds",
    "C": "clubs",
}
SYMBOLS = dict(zip("0SHDC", ("10", "♠", "♥", "♦", "♣"), strict=True))

VALUE = {card: VALUES.index(card[0]) + 1 for card in PACK}
"""The value of each card: 1 for an Ace … 13 for a King."""

NOTATION = "A card is written as its value and its suit, such as '7H', or '0S' for a ten"
"""The message for a value that is not a card."""

COLOUR = {card: "red" if card[1] in "HD" else "black" for card in PACK}


def symbol(card: str) -> str:
    """Return the card as printed in a list of plays: `10♥`."""
    return "".join(SYMBOLS.get(letter, letter) for letter in card)


def name(card: str) -> str:
    """Return the card as read aloud: `10 of hearts`."""
    return f"{NAMES[card[0]]} of {NAMES[card[1]]}"


def code(card: str) -> str:
    """Return the card as the student writes it, followed by how it looks: `'0H' (10♥)`."""
    return f"'{card}' ({symbol(card)})"


def reshuffle(piles: Sequence[list[str]], rng: Random) -> None:
    """Shuffle the cards of all these piles together, in place; each pile keeps its number of cards."""
    cards = [card for pile in piles for card in pile]
    rng.shuffle(cards)
    for pile in piles:
        pile[:] = [cards.pop() for _ in pile]
