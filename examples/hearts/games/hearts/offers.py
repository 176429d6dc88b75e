"""The plays offered to a person who plays Hearts by hand."""

from collections.abc import Sequence

from tournament.games.api import Composition, Offer, Offered
from tournament.games.cards import NAMES, name

from .plays import PASSED, POINTS, legal_cards
from .state import HeartsState


def choices(state: HeartsState, seat: int) -> Sequence[Offered]:
    """Three cards to pass, or every card that may be played."""
    hand = state.hands[seat]
    if state.passing:
        why = f"Choose three cards for player {state.receiver(seat)}."
        preset = [0 if place < PASSED else None for place in range(len(hand))]
        return [Composition("Pass these cards", hand, ["Pass"], lambda parts: list(parts[0]), why, preset)]
    legal = legal_cards(hand, state.trick, state.first_trick, state.hearts_broken)
    return [Offer(f"Play the {name(card)}", card, _why(card, state.trick)) for card in legal]


def _why(card: str, trick: Sequence[str]) -> str:
    """What the card does."""
    if not trick:
        return "You lead; the others must follow suit."
    led = NAMES[trick[0][1]]
    points = " It counts points for whoever takes the trick." if POINTS[card] else ""
    return (
        f"It follows {led}." if card[1] == trick[0][1] else f"You hold no {led}, so it cannot take the trick."
    ) + points
