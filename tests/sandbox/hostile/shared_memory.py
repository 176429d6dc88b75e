# verdict: survives
import ctypes

libc = ctypes.CDLL(None)


def attack():
    return libc.shmget(0x51, 4096, 0o1666) >= 0 or libc.semget(0x51, 1, 0o1666) >= 0 or libc.msgget(0x51, 0o1666) >= 0
