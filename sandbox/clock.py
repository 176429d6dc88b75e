"""The clocks by which a player is judged: its own computing time, and the time in which it could have computed."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_PF_EXITING: Final = 4

GIVE_UP: Final = 20.0
"""A player that got so little of the processor that its reply takes this many times the wall-clock guard is not to
blame: the machine is."""


def cpu_clock(pid: int) -> int:
    """The clock of a process's CPU time, for `time.clock_gettime` (Linux: clock_getcpuclockid)."""
    return (~pid << 3) | 2


def is_ending(pid: int) -> bool:
    """Whether a process has begun to end, however long it then waits for a processor to do so (Linux: PF_EXITING)."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return bool(int(file.read().rpartition(")")[2].split()[6]) & _PF_EXITING)
    except OSError:
        return False


def queued_s(process: int | str) -> float:
    """How long a process (or `thread-self`) has waited for a processor in its life; 0 where the kernel does not say.

    What is left of the wall clock without this is time in which it ran or chose to sleep, however busy the machine."""
    try:
        file = os.open(f"/proc/{process}/schedstat", os.O_RDONLY)
        try:
            return int(os.read(file, 100).split()[1]) / 1e9
        finally:
            os.close(file)
    except (OSError, IndexError):
        return 0.0
