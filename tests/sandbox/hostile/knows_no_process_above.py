# verdict: survives
# only: nested
import os


def attack():
    return os.getppid() or os.getpid() > 2
