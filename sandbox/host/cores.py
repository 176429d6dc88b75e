"""Which core a player computes on: while its replies come quickly, that of the host who waits for them.

The two take turns, so one core is enough for both. On two cores each would wake the other from its sleep with every
message, which takes longer than most calls do. A player that takes its time may go wherever there is room. Nobody waits
for what else there is to do, the forks of the next players and the end of the last: it stays off the host's core.
"""

import ctypes
import os
from contextlib import suppress
from typing import Final

ANYWHERE: Final = -1

_core_of_thread = ctypes.PyDLL(None).sched_getcpu


def bring_here(pid: int, core: int) -> int:
    """Let a process that runs on `core`, or ANYWHERE, run where this thread does; the core, or ANYWHERE still if we
    have no right to, or the process is gone."""
    here: int = _core_of_thread()
    return core if here == core else _confine(pid, {here}, here)


def let_go(pid: int) -> int:
    """Let a process run wherever this thread may; ANYWHERE."""
    return _confine(pid, os.sched_getaffinity(0), ANYWHERE)


def send_away(pid: int) -> int:
    """Let a process, and what it forks, run wherever this thread may, but not where it does if there is another core;
    ANYWHERE."""
    cores = os.sched_getaffinity(0)
    return _confine(pid, cores - {_core_of_thread()} or cores, ANYWHERE)


def _confine(pid: int, cores: set[int], core: int) -> int:
    with suppress(OSError):
        os.sched_setaffinity(pid, cores)
        return core
    return ANYWHERE
