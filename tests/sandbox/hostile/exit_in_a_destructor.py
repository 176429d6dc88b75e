# verdict: EXIT
# message: exit status 4
import os


class Parting:
    def __del__(self):
        os._exit(4)


def play(hand):
    parting = Parting()
    return hand[0]
