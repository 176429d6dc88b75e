# verdict: survives
import os
import signal


def attack():
    os.kill(os.getpid(), signal.SIGSTOP)
    return "stopped and resumed"
