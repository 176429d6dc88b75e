# verdict: OLE
import os


def play(hand):
    try:
        for _ in range(100):
            os.write(1, b"x" * 4096)
    except OSError as full:
        error = full
    return hand[0] if error else "LEAK"
