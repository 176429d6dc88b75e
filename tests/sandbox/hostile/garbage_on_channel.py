# verdict: MALFORMED
import os


def play(hand):
    os.write(3, b'not a frame')
    return hand[0]
