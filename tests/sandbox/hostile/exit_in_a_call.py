# verdict: EXIT
# message: exit status 3
import os


def play(hand):
    os._exit(3)
