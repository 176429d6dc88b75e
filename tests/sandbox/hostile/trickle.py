# verdict: TLE
# calls: 20
# message: in all its calls in this game together
import time


def play(hand):
    start = time.process_time()
    while time.process_time() - start < 0.08:
        pass
    return hand[0]
