# verdict: survives
import os


def attack():
    return dict(os.environ)
