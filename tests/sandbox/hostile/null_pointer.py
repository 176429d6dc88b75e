# verdict: EXIT
# message: SIGSEGV
import ctypes


def play(hand):
    ctypes.string_at(0)
