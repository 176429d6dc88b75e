# verdict: OLE
# limits: call_s=3 game_s=9
import sys


def play(hand):
    for _ in range(2_000):
        print('x' * 100, file=sys.stderr)
    return hand[0]
