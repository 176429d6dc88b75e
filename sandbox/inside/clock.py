"""The clocks by which a player is judged: its own computing time, and the time in which it could have computed."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

Scheduling = tuple[float, int, int]
"""Of a process in its life: how long it has queued for a processor, in seconds; how often it lost one because others
were to have it; and how often because it slept or waited."""

_PF_EXITING: Final = 4

GIVE_UP: Final = 20.0
"""The wait for a player ends, as a failure of ours, after this many times the wall-clock guard. Only a player that
computes all the time and hardly gets a processor is waited for so long (see `compelled_s`), and it would take some
sixty busy processes for each core. Players cannot make that many."""

UNBORN: Final = (0.0, 0, 0)
"""The `Scheduling` of a process that has not begun."""


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


def scheduling(pid: int) -> Scheduling:
    """How the kernel has treated a process; zeros where it does not say."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
            *_, slept, preempted = file.read().split("_ctxt_switches:")[-2:]
        return queued_s(pid), int(preempted), int(slept.split()[0])
    except (OSError, ValueError):
        return UNBORN


def compelled_s(former: Scheduling, latter: Scheduling, messages: int) -> float:
    """How long a process queued for a processor, between the two, because others computed.

    Whoever wakes up queues too, if only for a moment. So on a busy machine a player that takes thousands of naps
    spends nearly all of its time in the queue, and only a part of this is compelled: as much as it was woken by one of
    our `messages` or stopped while it computed."""
    queued, preempted, slept = (now - then for now, then in zip(latter, former, strict=True))
    naps = max(0, slept - messages)
    return queued * (1 - naps / (preempted + slept)) if naps else queued


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
