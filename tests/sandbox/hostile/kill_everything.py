# verdict: survives
import os


def attack():
    attempts = [lambda: os.kill(-1, 9), lambda: os.kill(0, 9), lambda: os.killpg(0, 9), lambda: os.kill(os.getppid(), 9)]
    attempts += [lambda pid=pid: os.kill(pid, 9) for pid in range(1, 300)]
    return each(attempts)
