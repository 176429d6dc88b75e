# verdict: survives
# A machine that reserves no huge pages refuses with ENOMEM: the filter must have refused before that.
import errno
import mmap

HUGE = 0x40000
SIZES = (0, 21 << 26, 30 << 26)  # the usual one, 2 MiB, 1 GiB
KINDS = (mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE)


def asks(flags):
    try:
        return mmap.mmap(-1, 1 << 30, flags)
    except OSError as refused:
        return None if refused.errno == errno.EPERM else refused.errno


def attack():
    return next((got for kind in KINDS for size in SIZES if (got := asks(kind | HUGE | size))), None)
