"""A control group that limits the memory of a jail for programs, where this process may make one.

Then a command that takes more is killed at that moment, however quickly it does so, and need not have its address space
limited. Where no group can be made, there is such a limit, and the host looks at the resident memory often."""

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Final

_FOLDER: Final = Path("/sys/fs/cgroup")
_OURS: Final = 12 << 20  # bytes for a keeper, and for what it becomes
_numbers = count(1)


@dataclass(frozen=True, slots=True)
class _Files:
    """What a version of control groups calls its files: the limit, what is used, further settings, and kills."""

    limit: str
    usage: str
    more: tuple[tuple[str, str], ...]
    events: str


_V1: Final = _Files(
    "memory.limit_in_bytes", "memory.usage_in_bytes", (("memory.swappiness", "0"),), "memory.oom_control"
)
_V2: Final = _Files("memory.max", "memory.current", (("memory.swap.max", "0"),), "memory.events")


class MemoryGroup:
    """A control group of its own for a jail."""

    def __init__(self, folder: Path, files: _Files) -> None:
        """Make it. Raises OSError."""
        folder.mkdir()
        self._folder = folder
        self._limit, self._usage, self._events = (folder / name for name in (files.limit, files.usage, files.events))
        self._kills = 0
        try:
            self._kills = self._killed()
            for name, value in files.more:
                with suppress(OSError):  # a kernel without swap has no such file
                    (folder / name).write_text(value)
            self.allow(_OURS)
        except OSError:
            folder.rmdir()
            raise

    def take(self, pid: int) -> None:
        """Move a jail into it, by the process that started it. Raises OSError."""
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for each in (str(pid), *children):
            (self._folder / "cgroup.procs").write_text(each)

    def allow(self, size: int) -> None:
        """Limit it to so many bytes besides what it uses now. Raises OSError."""
        self._limit.write_text(str(int(self._usage.read_text()) + size + _OURS))

    def exceeded(self) -> bool:
        """Whether somebody was killed since the last time because there was not enough."""
        before, self._kills = self._kills, self._killed()
        return self._kills > before

    def _killed(self) -> int:
        lines = dict(line.split() for line in self._events.read_text().splitlines())
        return int(lines["oom_kill"])

    def remove(self) -> None:
        """Remove it, once its processes are gone."""
        for _ in range(100):
            try:
                self._folder.rmdir()
                return
            except FileNotFoundError:
                return
            except OSError:
                time.sleep(0.01)


def made(pid: int) -> MemoryGroup | None:
    """A group that holds the jail which that process has started; None where we may not make one."""
    for parent, files in _parents():
        _clear(parent)
        try:
            group = MemoryGroup(parent / f"quadrille-{os.getpid()}-{next(_numbers)}", files)
        except (OSError, KeyError):
            continue
        try:
            group.take(pid)
            return group
        except OSError:
            group.remove()
    return None


def _clear(parent: Path) -> None:
    """Remove what processes that are gone have left there."""
    for left in parent.glob("quadrille-*-*"):
        if not Path("/proc", left.name.split("-")[1]).exists():
            with suppress(OSError):  # its jail has not yet ended
                left.rmdir()


def _parents() -> Iterator[tuple[Path, _Files]]:
    """The groups in which one may be made: our own, and the one above, which is ours too if a service manager has
    started us in a part of it."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "memory":
            yield _FOLDER / "memory" / path[1:], _V1
        elif not controllers and (_FOLDER / "cgroup.controllers").exists():
            own = _FOLDER / path[1:]
            yield from ((each, _V2) for each in (own, own.parent) if _shares_memory(each))


def _shares_memory(group: Path) -> bool:
    """Whether the groups in that one have limits of memory."""
    with suppress(OSError):
        return "memory" in (group / "cgroup.subtree_control").read_text().split()
    return False
