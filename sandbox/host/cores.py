"""Chooses the core on which a player computes: the host's own, as long as its replies come quickly.

Host and player take turns, so one core is enough for both. On two cores each message would have to wake the other one
from its sleep, which takes longer than most calls: without this, a game of Bo takes a tenth more. A slow player may use
any core. Work for which nobody waits (forking the next players, ending the last) stays off the host's core. And how the
kernel has scheduled a process, as seen at several looks.
"""

import ctypes
import os
from contextlib import suppress
from typing import Final

from sandbox.inside.proc import UNBORN, Clocks, Scheduling, held_up_s

ANYWHERE: Final = -1

_core_of_thread = ctypes.PyDLL(None).sched_getcpu


def bring_here(pid: int, core: int) -> int:
    """Move a process, now on `core` or ANYWHERE, to this thread's core. Returns that core, or ANYWHERE if we may not
    or the process is gone."""
    here: int = _core_of_thread()
    return core if here == core else _confine(pid, {here}, here)


def let_go(pid: int) -> int:
    """Let a process run wherever this thread may. Returns ANYWHERE."""
    return _confine(pid, os.sched_getaffinity(0), ANYWHERE)


def send_away(pid: int) -> None:
    """Keep a process, and what it forks, off this thread's core if there is another one."""
    cores = os.sched_getaffinity(0)
    _confine(pid, cores - {_core_of_thread()} or cores, ANYWHERE)


def _confine(pid: int, cores: set[int], core: int) -> int:
    with suppress(OSError):
        os.sched_setaffinity(pid, cores)
        return core
    return ANYWHERE


class SchedulingLog:
    """What is seen of a process so far. Time in which something that the kernel has not counted kept it from computing
    counts as queueing."""

    def __init__(self) -> None:
        self._clocks: Clocks = (0.0, UNBORN, False)
        self._waited = 0.0
        self._held_up = 0.0

    def look(self, clocks: Clocks, waited: float) -> None:
        """Note what is seen of it now, when we have waited for it so long in all, in seconds."""
        self._held_up = held_up_s(self._held_up, self._clocks, clocks, waited - self._waited)
        self._clocks, self._waited = clocks, waited

    @property
    def scheduling(self) -> Scheduling:
        """At the last look."""
        queued, preempted, slept = self._clocks[1]
        return queued + self._held_up, preempted, slept
