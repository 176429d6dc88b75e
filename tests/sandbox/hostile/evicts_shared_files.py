# verdict: survives
# What one player throws out of memory, or marks as read, another could see.
import os


def attack():
    opened = os.open(os.__file__, os.O_RDONLY)
    before = os.stat(opened).st_atime_ns
    os.read(opened, 4096)
    return each([
        lambda: os.posix_fadvise(opened, 0, 0, os.POSIX_FADV_DONTNEED), lambda: os.posix_fadvise(opened, 0, 0, os.POSIX_FADV_WILLNEED),
        lambda: os.fsync(opened), lambda: os.utime(opened), lambda: os.utime(os.__file__),
    ]) or os.stat(opened).st_atime_ns != before
