# verdict: survives
import os


def attack():
    found = []
    for number in range(3, 256):
        try:
            found.append((number, os.fstat(number).st_mode))
        except OSError:
            pass
    return found if [number for number, _ in found] != [3] else None
