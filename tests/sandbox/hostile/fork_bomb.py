# verdict: RTE
# message: on line 8
import os


def play(hand):
    while True:
        os.fork()
