"""The host's end of one jail for programs: sends requests to its launcher (`sandbox/inside/programs/launcher.py`)."""

import os
import select
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, Final, TypeAlias

from sandbox.api import SandboxError
from sandbox.host.inspection import ProcessStatus, Promise, of_jail, require_kept
from sandbox.host.jail_process import ControlledJail, Holder
from sandbox.host.programs import filters
from sandbox.host.programs.toolchains import ROOT
from sandbox.inside import proc
from sandbox.inside.programs.launcher import Usage
from sandbox.inside.programs.scratch import FOLDER

PROGRAM_LAYERS: Final = frozenset({"namespaces", "network", "landlock", "seccomp", "rlimits", "memory"})
"""The layers of a jail that tests can leave out."""
WRITABLE: Final = ("/proc/", f"{ROOT}{FOLDER}/")
"""The paths to which a launcher may write: the user maps of its keepers, and the scratch folder."""

_GROUPS: Final = Path("/sys/fs/cgroup")
_OURS: Final = 12 << 20  # bytes for a keeper, and for the command that it becomes
_numbers = count(1)


def settings(layers: frozenset[str], uid: int | None, naming: bool) -> dict[str, Any]:
    """Return the first message to a launcher. `uid`: the user that a launcher becomes if root starts it. `naming`: see
    `filters.programs`."""
    return {
        "layers": sorted(layers),
        "uid": uid,
        "root": ROOT,
        "filters": filters.programs(naming),
        "own_pid": filters.OWN_PID.to_bytes(4, sys.byteorder),
    }


# The names of files in a version of control groups: the limit, the use, the count of kills, the limit of swap.
_Files: TypeAlias = tuple[str, str, str, str]
_V1: Final[_Files] = ("memory.limit_in_bytes", "memory.usage_in_bytes", "memory.oom_control", "memory.swappiness")
_V2: Final[_Files] = ("memory.max", "memory.current", "memory.events", "memory.swap.max")


class MemoryGroup:
    """A control group that limits the memory of a jail, if this process may create one.

    With a group, the kernel kills a command as soon as it exceeds the limit, so its address space need not be limited.
    Without a group, the address space is limited, and the host often checks the resident memory.
    """

    def __init__(self, folder: Path, files: _Files, pid: int) -> None:
        """Create the group, and move into it the jail that process `pid` started. Raises OSError and KeyError."""
        folder.mkdir()
        self._folder = folder
        self._limit, self._usage, self._events, swap = (folder / name for name in files)
        self._kills = 0
        try:
            self._kills = self._killed()
            with suppress(OSError):  # a kernel without swap has no such file
                swap.write_text("0")
            self.allow(_OURS)
            for each in (str(pid), *Path(f"/proc/{pid}/task/{pid}/children").read_text().split()):
                (folder / "cgroup.procs").write_text(each)
        except BaseException:
            self.remove()
            raise

    def allow(self, size: int) -> None:
        """Limit the group to what it uses now and `size` bytes, with some room for the keeper. Raises OSError."""
        self._limit.write_text(str(int(self._usage.read_text()) + size + _OURS))

    def exceeded(self) -> bool:
        """Whether a process has been killed for lack of memory since the last call."""
        before, self._kills = self._kills, self._killed()
        return self._kills > before

    def _killed(self) -> int:
        return int(dict(line.split() for line in self._events.read_text().splitlines())["oom_kill"])

    def remove(self) -> None:
        """Remove the group, once its processes are gone."""
        for _ in range(100):
            try:
                self._folder.rmdir()
                return
            except FileNotFoundError:
                return
            except OSError:
                time.sleep(0.01)


def memory_group_of(pid: int) -> MemoryGroup | None:
    """Create a group for the jail that process `pid` started. Returns None where this process may not create groups."""
    for parent, files in _parent_groups():
        for left in parent.glob("quadrille-*-*"):
            if not Path("/proc", left.name.split("-")[1]).exists():
                with suppress(OSError):  # its jail has not yet ended
                    left.rmdir()
        with suppress(OSError, KeyError):
            return MemoryGroup(parent / f"quadrille-{os.getpid()}-{next(_numbers)}", files, pid)
    return None


def _parent_groups() -> Iterator[tuple[Path, _Files]]:
    """Yield the groups in which this process may create groups: its own, and that group's parent, which a service
    manager may have granted."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "memory":
            yield _GROUPS / "memory" / path[1:], _V1
        elif not controllers and (_GROUPS / "cgroup.controllers").exists():
            own = _GROUPS / path[1:]
            yield from ((each, _V2) for each in (own, own.parent) if _shares_memory(each))


def _shares_memory(group: Path) -> bool:
    """Whether the groups inside this group can have memory limits."""
    with suppress(OSError):
        return "memory" in (group / "cgroup.subtree_control").read_text().split()
    return False


class LauncherJail(ControlledJail):
    """A jail for programs."""

    def __init__(self, holder: Holder, settings: dict[str, Any], promise: Promise) -> None:
        """Set up and inspect the jail that the holder has started. Raises SandboxError with the reason."""
        super().__init__(holder)
        self.group: MemoryGroup | None = None  # limits the memory of the jail's commands
        try:
            self._send(settings)
            hello, _ = self._receive()
            self.nested: bool = hello["nested"]  # whether each command has namespaces of its own
            self.landlock: int = hello["landlock"]  # the kernel's version, 0: none
            self.tools: str = hello["tools"]  # what its image has (`toolchains.told`), "" if it has none
            # the launcher is trusted, so its view of itself is used
            ours, theirs = ProcessStatus(proc.look("self")), ProcessStatus(hello["sight"])
            wrong = [*of_jail(theirs, ours, hello["mounts"], self.nested, hello["started_with"], promise)]
            require_kept("a jail for programs", wrong)
        except SandboxError:
            self.close()
            raise

    def is_ready(self) -> bool:
        """Whether the jail seems to be alive. (A jail that waits for a command sends nothing.)"""
        if self.dead:
            return False
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        return not poll.poll(0)

    def run(self, descriptors: list[int]) -> None:
        """Start a command. `descriptors`: see `sandbox/inside/programs/launcher.py`. Raises SandboxError."""
        self._ask("run", descriptors)

    def used(self) -> Usage:
        """Return what the command's processes have used. Blocks while the jail is paused. Raises SandboxError."""
        usage: Usage = self._ask("look")
        return usage

    def reap(self) -> None:
        """End the command's remaining processes. Raises SandboxError."""
        self._ask("reap")

    def close(self) -> None:
        """Kill the jail and everything in it. May be called twice."""
        super().close()
        if self.group and self.is_ours:
            self.group.remove()

    def _ask(self, request: str, descriptors: Sequence[int] = ()) -> Any:
        self._send((request,), descriptors)
        answer, _ = self._receive()
        return answer[1]
