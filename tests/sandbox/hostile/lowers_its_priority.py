# verdict: survives
# Whoever is always last in the queue for a processor would never be late, only unlucky; and the game would be ours to
# play again.
import os


def attack():
    lowest = os.sched_param(0)
    return each([
        lambda: os.nice(19), lambda: os.nice(-1), lambda: os.setpriority(os.PRIO_PROCESS, 0, 19), lambda: os.setpriority(os.PRIO_USER, 0, 19),
        lambda: os.sched_setaffinity(0, {0}), lambda: os.sched_setscheduler(0, os.SCHED_IDLE, lowest),
        lambda: os.sched_setscheduler(0, os.SCHED_BATCH, lowest), lambda: os.sched_setparam(0, lowest),
    ])
