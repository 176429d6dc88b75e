"""What tests that students run at home check in a game of Comp10001-Bo."""

from tournament.games.api import AtHome, Questions, Request, one_of
from tournament.games.bo.plays import legal_plays
from tournament.games.bo.shape import NO_PLAY
from tournament.games.bo.state import BoState


def check(state: BoState, request: Request, questions: Questions) -> str:
    """The answer must be one of the plays that are possible, or say that there is none."""
    seat = request.seat
    plays = legal_plays(seat, state.hands[seat], state.stockpiles[seat][-1], state.discards, state.builds)
    return one_of(list(plays) or [NO_PLAY])


at_home = AtHome(check)
