# verdict: BLOCKED
# only: x86_64
import ctypes

libc = ctypes.CDLL(None)


def play(hand):
    libc.syscall(0x40000000 + 39)
    return hand[0]
