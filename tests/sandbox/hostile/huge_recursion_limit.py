# verdict: survives
import sys


def attack():
    sys.setrecursionlimit(10**6)
    return None
