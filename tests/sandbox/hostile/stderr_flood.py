# verdict: OLE
import sys


def play(hand):
    for _ in range(20_000):
        print('x' * 100, file=sys.stderr)
    return hand[0]
