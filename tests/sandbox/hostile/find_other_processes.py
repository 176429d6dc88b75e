# verdict: survives
import os
import resource
import time


def attack():
    attempts = [lambda pid=pid: os.kill(pid, 0) for pid in range(2, 300)]
    attempts += [lambda pid=pid: os.sched_getaffinity(pid) for pid in range(2, 300)]
    attempts += [lambda pid=pid: os.getpgid(pid) for pid in range(2, 300)]
    attempts += [lambda pid=pid: os.getpriority(os.PRIO_PROCESS, pid) for pid in range(2, 300)]
    attempts += [lambda pid=pid: time.clock_gettime((~pid << 3) | 2) for pid in range(2, 300)]
    attempts += [lambda pid=pid: resource.prlimit(pid, resource.RLIMIT_AS) for pid in range(2, 300)]
    return each(attempts)
