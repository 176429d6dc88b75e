"""What tests that students run at home check in a game of Uno."""

from tournament.games.api import AtHome, Questions, Request, one_of
from tournament.games.uno.pack import COLOURS, playable
from tournament.games.uno.rules import DRAWN
from tournament.games.uno.state import UnoState


def check(state: UnoState, request: Request, questions: Questions) -> str:
    """The answer must be a colour, the index of a card that matches, or -2 while there are cards to draw."""
    if state.choosing:
        return one_of(COLOURS)
    matching = playable(state.hands[request.seat], state.discard[-1], state.colour)
    return one_of([*matching, *([DRAWN] if state.draw else [])])


at_home = AtHome(check)
