# verdict: EXIT
import os


def play(hand):
    os.abort()
