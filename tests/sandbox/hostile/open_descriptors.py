# verdict: survives
# Beside the four that every player has, of which it may ask nothing (see numbers_of_files.py).
import os


def attack():
    found = []
    for number in range(256):
        try:
            found.append((number, os.fstat(number).st_mode))
        except OSError:
            pass
    return found
