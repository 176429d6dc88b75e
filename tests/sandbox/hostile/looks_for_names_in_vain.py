# verdict: survives
# calls: 1
# limits: call_s=2 game_s=3
# Each name that is not there may be remembered by the kernel, in memory that no limit counts (see `test_python_copy.py`).
import ctypes
import os
import time

libc = ctypes.CDLL(None)


def attack():
    new = time.time_ns()
    for number in range(20_000):
        libc.access(f"{os.__file__}.{new}.{number}".encode(), 0)
