"""Makes the C library keep memory in a process of the site (saves a quarter of joining and compressing a leaderboard).

A class's leaderboard is a string of half a megabyte, made and compressed again for every viewer. By default the C
library asks the kernel for such a block each time and then gives it back, and fresh pages cost 440 page faults.
"""

import ctypes
from typing import Final

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8  # mallopt(3)

LARGEST: Final = 32 << 20  # bytes of a block that is kept for the next request
UNUSED: Final = 64 << 20  # bytes that may lie idle at the end of the heap
HEAPS: Final = 2  # for all threads: Python runs one at a time, and each heap keeps what its threads freed


def keep_freed_memory() -> bool:
    """Keep freed memory for the next request. Returns False, and changes nothing, unless the C library is GNU's."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    wanted = (_MMAP_THRESHOLD, LARGEST), (_TRIM_THRESHOLD, UNUSED), (_ARENA_MAX, HEAPS)
    return mallopt is not None and all(mallopt(*each) for each in wanted)
