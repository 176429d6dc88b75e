# verdict: MLE
import sys

sys.setrecursionlimit(10**8)


def deeper(cards):
    return deeper(cards + [1])


def play(hand):
    return deeper([0] * 1000)
