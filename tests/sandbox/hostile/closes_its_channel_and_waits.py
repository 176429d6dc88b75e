# verdict: EXIT
# message: closed the connection
import os
import time


def play(hand):
    os.close(3)
    time.sleep(60)
