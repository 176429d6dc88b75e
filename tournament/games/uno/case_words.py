"""Words that say what cases of Q1, Q2, Q3 and Q5 are about."""

from collections.abc import Sequence
from typing import Any

from sandbox.visible import count
from tournament.games.api import CaseWords
from tournament.games.uno.pack import COLOUR_NAMES, WILD, name


def case_words(function: str, args: Sequence[Any], got: Any) -> CaseWords:
    """Return words for the card and the top card, or for the hand."""
    match function, args:
        case "uno_match", [card, top, colour]:
            follow = "no colour" if colour == WILD else COLOUR_NAMES[colour].lower()
            return CaseWords(f"{name(card)} on {name(top)}, and {follow} is to be followed")
        case "uno_hand_points" | "uno_most_frequent_colour", [hand]:
            return CaseWords(f"a hand of {count(len(hand), 'card')}")
        case "uno_choose_colour", [_, hand, *_]:
            return CaseWords(f"the colour after a wild card, with {count(len(hand), 'card')} in the hand")
    return CaseWords()
