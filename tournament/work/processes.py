"""Names of processes from which others on the same machine can tell whether they are alive.

A claim's lease runs out some time after its worker died. On the worker's own machine that can be known at once.

This reads /proc and does not use psutil: psutil knows neither the boot id nor the PID namespace, and its time of a
process's start moves when the system clock is set, so that living workers would look dead.
"""

import os
from pathlib import Path

from sandbox import signs

BOOT = Path("/proc/sys/kernel/random/boot_id")
ENDED = ("Z", "X")
"""States of a process that has ended: its parent has not asked yet how."""


def this_process() -> str:
    """A name that no other process has, here or elsewhere: `<boot> <PID namespace> <pid> <start>`. Of a process that
    is watched it is the name of its watch, which outlives it to release what it held.

    Empty where the kernel does not tell these things."""
    pid = os.getppid() if signs.are_watched() else os.getpid()
    machine, state = _machine(), _state(pid)
    return f"{machine} {pid} {state[1]}" if machine and state else ""


def is_here(process: str) -> bool:
    """Whether the process of that name ran on this machine, in this container if it is one, since its last start."""
    machine = _machine()
    return bool(machine) and process.startswith(f"{machine} ")


def shares_processors(process: str) -> bool:
    """Whether the process of that name ran on this machine since its last start, in whatever container."""
    here = _machine()
    return bool(here) and process.split(" ")[0] == here.split(" ")[0]


def has_ended(process: str) -> bool:
    """Whether the process of that name is known to have ended: it ran on this machine, since its last start, and its
    number is free or belongs to another process by now. False of any other machine's."""
    if not is_here(process):
        return False
    pid, start = process.split()[-2:]
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:  # it is alive, and belongs to another user
        pass
    state = _state(int(pid))
    return state is not None and (state[0] in ENDED or state[1] != start)


def _machine() -> str:
    """This machine since its last start, and the namespace in which the numbers of its processes count."""
    try:
        return f"{BOOT.read_text().strip()} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return ""


def _state(pid: int) -> tuple[str, str] | None:
    """The state of a process and when it started, in ticks since the machine's start; None if that cannot be read."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()  # the program's name may hold anything
    return fields[0], fields[19]
