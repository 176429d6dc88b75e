# verdict: survives
import os


def attack():
    return each([
        lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.setresuid(0, 0, 0), lambda: os.setgroups([0]), lambda: os.seteuid(1000), lambda: os.setsid(), lambda: os.setpgid(0, 0), lambda: os.nice(-5),
    ])
