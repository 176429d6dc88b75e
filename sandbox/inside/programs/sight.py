"""What the processes of a command have used so far, as /proc tells it. Standard library only."""

from __future__ import annotations

import os
import time

from sandbox.inside.proc import UNBORN, Clocks, Scheduling, cpu_clock, queued_s

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_PAGE: Final = os.sysconf("SC_PAGESIZE")
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_READ: Final = {"x86_64": (0, 19), "aarch64": (63, 65)}.get(os.uname().machine, ())  # and readv
_POLL: Final = {"x86_64": (7, 23, 270, 271), "aarch64": (72, 73)}.get(os.uname().machine, ())  # and select
_STDIN: Final = 0

NOT_READING, MAY_READ, READS = range(3)
"""What a process does about its standard input: nothing; it sleeps, and may be waiting for it; it waits to read it."""

Look = tuple[Clocks, int, int, int]
"""The clocks of all processes together, those that are gone included; resident bytes; the number of processes and
threads; and the most that one of them does about its standard input."""


class Sight:
    """Looks at all processes of this jail besides the trusted ones."""

    def __init__(self, trusted: set[int] | frozenset[int] = frozenset()) -> None:
        self._trusted = trusted
        self._scheduling: dict[int, Scheduling] = {}  # by process, those that are gone included

    def look(self) -> Look:
        """Look at them now."""
        cpu_s, resident, threads, reading, ready = 0.0, 0, 0, NOT_READING, False
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            pid = int(name)
            try:
                fields = _stat(pid)
                gone = (int(fields[13]) + int(fields[14])) / _TICKS  # of children that were waited for
                if pid in self._trusted:
                    cpu_s += gone if pid != os.getpid() else 0
                    continue
                cpu_s += gone + time.clock_gettime(cpu_clock(pid))
            except OSError:  # it is gone
                continue
            threads += int(fields[17])
            resident += int(fields[21]) * _PAGE
            reading = max(reading, _reading(pid, fields[0]))
            ready = ready or fields[0] == b"R"
            self._scheduling[pid] = _scheduling(pid)
        sums = [sum(each) for each in zip(UNBORN, *self._scheduling.values(), strict=True)]
        return (cpu_s, (sums[0], int(sums[1]), int(sums[2])), ready), resident, threads, reading


def _stat(pid: int) -> list[bytes]:
    """/proc/PID/stat from the third field on."""
    return _text(f"/proc/{pid}/stat").rpartition(b")")[2].split()


def _reading(pid: int, state: bytes) -> int:
    try:
        call = _text(f"/proc/{pid}/syscall").split()
    except OSError:  # not every kernel tells us
        return MAY_READ if state == b"S" else NOT_READING
    number = int(call[0]) if call and call[0].isdigit() else -1  # none, while it computes
    if number in _READ and int(call[1], 16) == _STDIN:
        return READS
    return MAY_READ if number in (*_READ, *_POLL) else NOT_READING  # by another number of it, perhaps


def _scheduling(pid: int) -> Scheduling:
    try:
        *_, slept, preempted = _text(f"/proc/{pid}/status").split(b"_ctxt_switches:")[-2:]
        return queued_s(pid), int(preempted), int(slept.split()[0])
    except (OSError, ValueError):
        return UNBORN


def _text(path: str) -> bytes:
    file = os.open(path, os.O_RDONLY)
    try:
        return os.read(file, 1 << 14)
    finally:
        os.close(file)
