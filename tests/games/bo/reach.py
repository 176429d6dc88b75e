"""Whether a game of Comp10001-Bo can come to a position, as its arguments tell it: what must hold in every one."""

from collections import Counter
from itertools import pairwise
from typing import Any

from tournament.games.bo.plays import ACES, COMPLETES_BUILD, match_build
from tournament.games.bo.state import HAND, STOCKPILE

CARDS = 104


def check_reachable(args: Any) -> None:
    """Fails for a position that no game comes to. The cards that are not seen are in the draw pile, under the top cards
    of the stockpiles, and in the others' hands, at most five in each."""
    player, hand, stockpiles, discards, builds = args
    assert 0 <= player < 4 == len(stockpiles) == len(discards) == len(builds)
    piles = [pile for owner in discards for pile in owner]
    assert len(piles) == 16
    assert not any(card in ACES for pile in piles for card in pile)
    for pile in builds:
        assert not pile or match_build(pile[0], [])
        assert all(match_build(card, [top]) and top not in COMPLETES_BUILD for top, card in pairwise(pile[1:]))
        assert len(pile) < 2 or (match_build(pile[1], pile[:1]) and pile[-1] not in COMPLETES_BUILD)
    assert all(1 <= number <= STOCKPILE for _, number in stockpiles)
    seen = [*hand, *(top for top, _ in stockpiles), *(card for pile in (*piles, *builds) for card in pile)]
    assert max(Counter(seen).values()) <= 2
    elsewhere = CARDS - len(seen) - sum(number - 1 for _, number in stockpiles)
    assert elsewhere >= 0
    assert len(hand) <= HAND
    assert hand or elsewhere <= 3 * HAND, "a hand that is empty is filled while there are cards to draw"
