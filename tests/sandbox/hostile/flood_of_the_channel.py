# verdict: MALFORMED
import os


def play(hand):
    while True:
        os.write(3, b'x' * 4096)
