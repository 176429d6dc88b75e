"""Whether a game of King of the Cards can come to a position, as its arguments tell it."""

from typing import Any

from tournament.games.cards import PACK
from tournament.games.kotc.state import playable


def check_reachable(args: Any) -> None:
    """Fails unless every card is somewhere, the top one alone on the discards, and the player has one to play."""
    hand, discard, pile, sizes = args
    assert len(hand) + len(pile) + sum(sizes) + 1 == len(PACK)
    assert len({*hand, *pile}) == len(hand) + len(pile)
    assert len(sizes) == 1 <= min(sizes)
    assert sum(card[0] == "8" for card in hand) <= 4 - (discard[0] == "8")
    assert discard[0] == "8" or discard not in {*hand, *pile}
    assert playable(hand, discard)
