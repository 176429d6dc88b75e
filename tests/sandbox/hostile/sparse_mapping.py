# verdict: survives
import mmap


def attack():
    return mmap.mmap(-1, 10 << 30, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
