# verdict: MALFORMED
# Only before the player's code runs can a failure be ours.
import os


def play(hand):
    os.write(3, b'!our own fault')
