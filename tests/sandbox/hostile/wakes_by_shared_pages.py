# verdict: survives
# Two players who wait and wake on one page of a file that both can read could talk with each other, in any jail.
# only: x86_64
import ctypes
import mmap
import os

WAIT, WAKE, REQUEUE, LOCK_PI, WAIT_BITSET, WAKE_BITSET = 0, 1, 3, 6, 9, 10
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]


def attack():
    file = os.open(os.__file__, os.O_RDONLY)
    page = libc.mmap(None, mmap.PAGESIZE, mmap.PROT_READ, mmap.MAP_SHARED, file, 0)
    other = 1 + int.from_bytes(ctypes.string_at(page, 4), "little")  # so that nobody waits for long
    for operation in (WAIT, WAKE, REQUEUE, LOCK_PI, WAIT_BITSET, WAKE_BITSET):
        ctypes.set_errno(0)
        done = libc.syscall(202, ctypes.c_void_p(page), operation, ctypes.c_uint(other), None, ctypes.c_void_p(page), -1)
        if done >= 0:
            return operation
    return None
