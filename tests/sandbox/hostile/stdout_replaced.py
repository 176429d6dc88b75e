# verdict: survives
import io
import sys


def play(hand):
    sys.stdout = io.StringIO()
    print('x' * 100_000)
    return hand[0]
