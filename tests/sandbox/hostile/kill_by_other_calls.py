# verdict: survives
# only: x86_64
import ctypes
import os

CALLS = {"tkill": 200, "tgkill": 234, "rt_sigqueueinfo": 129, "rt_tgsigqueueinfo": 297, "pidfd_send_signal": 424}
syscall = ctypes.CDLL(None).syscall


def attack():
    got = []
    for pid in (os.getpid(), os.getppid(), 1, 2, 3):
        for name, number in CALLS.items():
            arguments = (pid, pid, 0, 0) if name in ("tgkill", "rt_tgsigqueueinfo") else (pid, 0, 0, 0)
            if syscall(number, *arguments) == 0:
                got.append((name, pid))
    return got
