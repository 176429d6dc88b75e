"""The cards of Uno, what they are worth and which match: seed 004_4c68ad11bb2ee45c, Table 1 and "ActionCard".

A card is two characters: its colour (`R Y G B`, or `W` for a wild card), then its number (`0`–`9`) or its action: `S`
skip, `R` reverse, `D` draw 2; `WC` is the wild card and `WD` wild draw 4. The colour to follow is one letter of `RYGB`,
or `W` while the top card is a wild card whose colour nobody has chosen.
"""

from collections.abc import Iterable, Sequence
from sys import intern

COLOURS = "RYGB"
WILD = "W"
COLOUR_NAMES = {"R": "Red", "Y": "Yellow", "G": "Green", "B": "Blue", WILD: "Wild"}
ACTION_NAMES = {"S": "skip", "R": "reverse", "D": "draw 2"}

PACK = tuple(intern(colour + sign) for colour in COLOURS for sign in "0123456789RSDRSD") + ("WC", "WD") * 4
"""The 72 cards in the order in which the seed's program creates them."""

COLOUR = {card: intern(card[0]) for card in PACK}
"""The letter of each card's colour; `W` for a wild card."""

VALUES = {card: 50 if card[0] == WILD else int(card[1]) if card[1].isdigit() else 20 for card in PACK}


def match(card: str, top: str, colour: str) -> bool:
    """Whether `card` may be played on `top` when `colour` must be followed. A wild card always may be played; any other
    card must have the colour, or the number or action of `top`. The `D` of `WD` is not a draw 2."""
    return card[0] == WILD or card[0] == colour or (card[1] == top[1] and top[0] != WILD)


def playable(hand: Sequence[str], top: str, colour: str) -> list[int]:
    """Return the indices of the cards that may be played."""
    return [index for index, card in enumerate(hand) if match(card, top, colour)]


def hand_points(hand: Iterable[str]) -> int:
    """Return the points of the cards: face value for numbers, 20 for actions, 50 for wild cards."""
    return sum(VALUES[card] for card in hand)


def most_frequent_colour(hand: Iterable[str]) -> str:
    """Return the letter of the colour that most cards have; the first of R, Y, G, B if several are equally frequent.
    Wild cards do not count."""
    colours = [card[0] for card in hand]
    return max(COLOURS, key=colours.count)


def name(card: str) -> str:
    """Return the card as read aloud: `green 7`, `red draw 2`, `wild draw 4`."""
    if card[0] == WILD:
        return "wild draw 4" if card == "WD" else "wild card"
    return f"{COLOUR_NAMES[card[0]].lower()} {ACTION_NAMES.get(card[1], card[1])}"
