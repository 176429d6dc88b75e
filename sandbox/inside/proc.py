"""What the kernel reports about a process: the clocks by which a player is judged (the time that it computed, and the
time in which it could have computed), and what /proc shows for `host/inspection.py`. This runs on the host, or in the
jail if the host cannot see the jail's processes. Standard library only."""

from __future__ import annotations

import os
from collections.abc import Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

NAMESPACES: Final = ("user", "ipc", "pid", "uts", "net", "mnt")
CHILDS: Final = NAMESPACES[:2]  # namespaces that a child may have to itself; its status shows its process namespace

Sight = tuple[bytes, int, list[str], bytes]
"""What is visible of a process: its /proc/PID/status, the owner of that file, the targets of the links to its
namespaces ("" where this process may not look), and its uid_map if the first link, to its user namespace, cannot be
read."""

_STATUS: Final = 1 << 14  # bytes: the kernel gives all of it or nothing


def look(process: int | str, namespaces: Sequence[str] = NAMESPACES) -> Sight:
    """Look at a process. Raises OSError if it is gone."""
    folder = f"/proc/{process}"
    descriptor = os.open(f"{folder}/status", os.O_RDONLY)
    try:
        status, owner = os.read(descriptor, _STATUS), os.fstat(descriptor).st_uid
    finally:
        os.close(descriptor)
    links = [_link(f"{folder}/ns/{name}") for name in namespaces]
    return status, owner, links, content(f"{folder}/uid_map") if links[:1] == [""] else b""


def limits(process: int | str) -> bytes:
    """Return the resource limits of a process (/proc/PID/limits). Raises OSError if it is gone."""
    return content(f"/proc/{process}/limits")


def mounts(process: int | str) -> bytes:
    """Return the mounts that a process sees (/proc/PID/mountinfo). Raises OSError if it is gone."""
    return content(f"/proc/{process}/mountinfo")


def content(path: str) -> bytes:
    """Return the current content of a file in /proc. Raises OSError."""
    with open(path, "rb", buffering=0) as file:
        return file.readall()


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except PermissionError:
        return ""


Scheduling = tuple[float, int, int]
"""What the kernel has counted for a process: how long it queued for a processor, in seconds; how often other processes
made it give up a processor; and how often it gave one up to sleep or wait."""

Clocks = tuple[float, Scheduling, bool]
"""What can be observed of a process: its CPU time, in seconds; its `Scheduling`; and whether it is computing or ready
to compute."""

_PF_EXITING: Final = 4

GIVE_UP: Final = 20.0
"""Waiting for a player ends with an internal error after this many times the wall-clock limit. Only a player that is
always ready to compute but hardly ever gets a processor can take that long (see `compelled_s`). For that, each core
would need some sixty busy processes, which is more than players can start."""

UNBORN: Final = (0.0, 0, 0)  # the `Scheduling` of a process before it starts


def cpu_clock(pid: int) -> int:
    """Return the number of a process's CPU clock, for `time.clock_gettime` (Linux: clock_getcpuclockid)."""
    return (~pid << 3) | 2


def is_ending(pid: int) -> bool:
    """Whether a process has begun to end, even if it still waits for a processor to finish (Linux: PF_EXITING)."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return bool(int(file.read().rpartition(")")[2].split()[6]) & _PF_EXITING)
    except OSError:
        return False


def clocks(pid: int, cpu_s: float) -> Clocks:
    """Return the clocks of a process that has computed for `cpu_s` seconds, with zeros where the kernel does not report
    them."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
            status = file.read()
        *_, slept, preempted = status.split("_ctxt_switches:")[-2:]
        return cpu_s, (queued_s(pid), int(preempted), int(slept.split()[0])), "\nState:\tR" in status
    except (OSError, ValueError):
        return cpu_s, UNBORN, False


def held_up_s(held_up: float, former: Clocks, latter: Clocks, waited: float) -> float:
    """Return how long a process was ready to compute but did not, excluding the time that the kernel has counted as
    queueing. The kernel counts a stay in the queue only when it ends, and never counts the time for which the host of a
    virtual machine gives its processor to others. `held_up`: the result up to the former observation; `waited`: the
    seconds between the two observations.
    """
    explained = latter[0] - former[0] + latter[1][0] - former[1][0]
    change = waited - explained
    return max(0.0, held_up + (change if former[2] and latter[2] else min(0.0, change)))


def compelled_s(former: Scheduling, latter: Scheduling, messages: int) -> float:
    """Return how long a process queued for a processor between two counts because others were computing.

    A process that wakes up also queues, if only for a moment. So on a busy machine a player that takes thousands of
    naps spends nearly all of its time in the queue. The queueing that these naps cause is left out, in proportion to
    their share: waking up for one of our `messages` is not a nap, nor is an interruption while computing.
    """
    queued, preempted, slept = (now - then for now, then in zip(latter, former, strict=True))
    naps = max(0, slept - messages)
    return queued * (1 - naps / (preempted + slept)) if naps else queued


def queued_s(process: int | str) -> float:
    """Return how long a process (or `thread-self`) has queued for a processor in total, or 0 if the kernel does not
    report it.

    For the rest of the wall-clock time the process ran or chose to sleep, however busy the machine was.
    """
    try:
        file = os.open(f"/proc/{process}/schedstat", os.O_RDONLY)
        try:
            return int(os.read(file, 100).split()[1]) / 1e9
        finally:
            os.close(file)
    except (OSError, IndexError):
        return 0.0
