# verdict: survives
import fcntl
import os


def attack():
    opened = os.open(os.__file__, os.O_RDONLY)
    return each([
        lambda: fcntl.flock(opened, fcntl.LOCK_EX), lambda: fcntl.flock(opened, fcntl.LOCK_SH), lambda: fcntl.lockf(opened, fcntl.LOCK_SH),
        lambda: fcntl.fcntl(opened, fcntl.F_SETLEASE, fcntl.F_RDLCK), lambda: fcntl.fcntl(opened, fcntl.F_NOTIFY, 0x7FF),
    ])
