"""What the processes of a command have used so far, as /proc tells it. Standard library only."""

from __future__ import annotations

import os
import time

from sandbox.inside.clock import UNBORN, Scheduling, cpu_clock, queued_s

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_PAGE: Final = os.sysconf("SC_PAGESIZE")
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_READS: Final = {"x86_64": (0, 19), "aarch64": (63, 65)}.get(os.uname().machine, ())  # read, readv
_STDIN: Final = 0

Look = tuple[float, int, int, bool, Scheduling]
"""CPU time of all processes, those that are gone included, in seconds; resident bytes; the number of processes and
threads; whether one of them waits to read its standard input; and how they were scheduled, all together."""


class Sight:
    """Looks at all processes of this jail besides the trusted ones."""

    def __init__(self, trusted: set[int] | frozenset[int] = frozenset()) -> None:
        self._trusted = trusted
        self._scheduling: dict[int, Scheduling] = {}  # by process, those that are gone included

    def look(self) -> Look:
        """Look at them now."""
        cpu_s, resident, threads, reading = 0.0, 0, 0, False
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
            reading = reading or _reads_stdin(pid)
            self._scheduling[pid] = _scheduling(pid)
        sums = [sum(each) for each in zip(UNBORN, *self._scheduling.values(), strict=True)]
        return cpu_s, resident, threads, reading, (sums[0], int(sums[1]), int(sums[2]))


def _stat(pid: int) -> list[bytes]:
    """/proc/PID/stat from the third field on."""
    return _text(f"/proc/{pid}/stat").rpartition(b")")[2].split()


def _reads_stdin(pid: int) -> bool:
    try:
        call = _text(f"/proc/{pid}/syscall").split()
    except OSError:
        return False
    return len(call) > 1 and call[0].isdigit() and int(call[0]) in _READS and int(call[1], 16) == _STDIN


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
