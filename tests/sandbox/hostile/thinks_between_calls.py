# verdict: TLE
# It answers by itself and goes on computing while the others play: that is charged like everything else.
import os
import sys


def nonce():
    frame = sys._getframe(1)
    while "self" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals["self"].nonce


def play(hand):
    os.write(3, b'V' + nonce() + b'"H4"')
    while True:
        pass
