"""The plays offered to a person who plays Uno by hand."""

from collections.abc import Sequence

from tournament.games.api import Offer
from tournament.games.uno.pack import COLOUR_NAMES, COLOURS, WILD, name, playable
from tournament.games.uno.rules import DRAWN
from tournament.games.uno.state import UnoState

EFFECTS = {"S": " The next player is skipped.", "R": " Turns go the other way.", "D": " The next player draws two."}


def choices(state: UnoState, seat: int) -> Sequence[Offer]:
    """Every card that matches, and to draw; or the four colours."""
    hand, top, colour = state.hands[seat], state.discard[-1], state.colour
    if state.choosing:
        held = {each: sum(card[0] == each for card in hand) for each in COLOURS}
        return [Offer(f"Choose {COLOUR_NAMES[each].lower()}", each, f"You hold {held[each]}.") for each in COLOURS]
    cards = {hand[index]: index for index in reversed(playable(hand, top, colour))}
    found = [Offer(f"Play the {name(card)}", index, _why(card, colour)) for card, index in reversed(cards.items())]
    if state.draw:
        found.append(Offer("Draw a card", DRAWN, "If it matches, it is played at once."))
    return found


def _why(card: str, colour: str) -> str:
    if card[0] == WILD:
        return "It always matches; then you choose a colour." + (" The next player draws four." if card == "WD" else "")
    return (
        f"It has the {'colour to follow' if card[0] == colour else 'sign of the top card'}.{EFFECTS.get(card[1], '')}"
    )
