# verdict: survives
# only: nested
# How many descriptors a co-player has open is a message from it, and so is that it is there at all.
import os


def attack():
    return each([
        *(lambda number=number: os.stat(f"/proc/{number}/fd") for number in range(1, 300)),
        lambda: os.stat("/proc/self/fd/1"), lambda: os.stat("/proc"), lambda: os.stat("/dev"), lambda: os.stat("/sys"),
        lambda: os.stat("/etc"), lambda: os.stat("/control"),
    ])
