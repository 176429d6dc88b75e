# verdict: survives
import ctypes

libc = ctypes.CDLL(None)


def attack():
    return libc.inotify_init() >= 0 or libc.inotify_init1(0) >= 0 or libc.fanotify_init(0, 0) >= 0
