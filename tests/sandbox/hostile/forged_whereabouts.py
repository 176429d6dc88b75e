# verdict: TLE
# message: play took more than the 0.25 s of computing time allowed.
# calls: 1
"""Out of time, it is asked where it is, and answers that it has a reply."""

import os
import signal
import sys


def nonce():
    frame = sys._getframe()
    while "self" not in frame.f_locals or not hasattr(frame.f_locals["self"], "nonce"):
        frame = frame.f_back
    return frame.f_locals["self"].nonce


def forge(number, frame):
    for body in (b'V%s"HQ"', b'W%s{"frames":[[99999,"<b>",1]]}', b'W%s{"frames":"x"}', b"W%s]"):
        os.write(3, body % nonce())


def play(hand):
    signal.signal(signal.SIGXCPU, forge)
    while True:
        pass
