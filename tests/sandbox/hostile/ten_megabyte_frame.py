# verdict: RTE
# The kernel refuses a message of this size, and the player sees it.
import os


def play(hand):
    os.write(3, b'x' * 10_000_000)
    return hand[0]
