# verdict: MALFORMED
import os


def play(hand):
    os.write(3, b'V' + bytes(8) + b'"SA"')
    return hand[0]
