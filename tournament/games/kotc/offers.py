"""The plays offered to a person who plays King of the Cards by hand."""

from collections.abc import Sequence

from tournament.games.api import Offer
from tournament.games.cards import NAMES, name
from tournament.games.kotc.state import FOLLOWS, KotcState

SUITS = "CDHS"


def choices(state: KotcState, seat: int) -> Sequence[Offer]:
    """Every card that fits, an Eight with each suit, to draw, and to skip."""
    hand, top = state.hands[seat], state.top
    found = [
        Offer(f"Play the {name(card)}", card, f"It has the {'rank' if card[0] == top[0] else 'suit'} of the top card.")
        for card in dict.fromkeys(hand)
        if card[0] != "8" and card in FOLLOWS[top]
    ]
    if any(card[0] == "8" for card in hand):
        why = "An Eight always fits."
        found += [Offer(f"Play an Eight and declare {NAMES[suit]}", f"8{suit}", why) for suit in SUITS]
    if state.draw or len(state.discard) > 1:
        found.append(Offer("Draw a card", question="draw", why="Draw as often as you like; then play or skip."))
    return [*found, Offer("Skip the turn", None, "You keep your cards, and the next player is on turn.")]
