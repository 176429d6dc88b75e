# verdict: MALFORMED
import os

os.dup2(3, 1)


def play(hand):
    print(hand[0])
    return hand[0]
