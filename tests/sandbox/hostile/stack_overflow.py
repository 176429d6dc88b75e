# verdict: EXIT
# limits: call_s=5 game_s=15
import sys

sys.setrecursionlimit(10**8)
nested = []
for _ in range(200_000):
    nested = [nested]


def play(hand):
    return repr(nested)
