# verdict: ILLEGAL
# It changes the very functions that speak for it: the host takes what they say for this player's own.
import sys


def play(hand):
    guest = sys._getframe(1).f_globals
    guest["encode"] = lambda value: '"SA"'
    sys._getframe(1).f_globals["encode"].__code__ = (lambda value: '"SA"').__code__
    guest["PlayerRuntime"]._report = lambda *_: None
    return hand[0]
