# verdict: survives
import atexit
import sys

sys.settrace(lambda *event: None)
sys.setprofile(lambda *event: None)
sys.addaudithook(lambda *event: None)
atexit.register(lambda: 1 / 0)


def play(hand):
    return hand[0]
