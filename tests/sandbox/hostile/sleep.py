# verdict: WTLE
# message: does it sleep or wait?
import time


def play(hand):
    time.sleep(60)
