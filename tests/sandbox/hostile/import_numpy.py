# verdict: RTE
# message: imports numpy on line 3, but only the standard library
import numpy


def play(hand):
    return hand[0]
