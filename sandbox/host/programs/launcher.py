"""The host's end of one jail for programs: sends requests to its launcher (`sandbox/inside/programs/launcher.py`)."""

import select
import sys
from collections.abc import Sequence
from typing import Any, Final

from sandbox.api import SandboxError
from sandbox.host.inspection import ProcessStatus, Promise, of_jail
from sandbox.host.jail import ControlledJail, Holder
from sandbox.host.programs import filters
from sandbox.host.programs.memory_group import MemoryGroup
from sandbox.host.programs.toolchains import ROOT
from sandbox.inside import proc
from sandbox.inside.programs.scratch import FOLDER
from sandbox.inside.programs.sight import Look

LAYERS: Final = frozenset({"namespaces", "network", "landlock", "seccomp", "rlimits", "memory"})
"""The layers of a jail that tests can leave out."""
WRITABLE: Final = ("/proc/", f"{ROOT}{FOLDER}/")
"""What a launcher may write to: the maps of its keepers' users, and the scratch folder."""


def settings(layers: frozenset[str], uid: int | None, naming: bool) -> dict[str, Any]:
    """What a launcher is told first. `uid`: the user that it becomes, if it starts as root. `naming`: see
    `filters.programs`."""
    return {
        "layers": sorted(layers),
        "uid": uid,
        "root": ROOT,
        "filters": filters.programs(naming),
        "own_pid": filters.OWN_PID.to_bytes(4, sys.byteorder),
    }


class LauncherJail(ControlledJail):
    """A jail for programs."""

    def __init__(self, holder: Holder, settings: dict[str, Any], promise: Promise) -> None:
        """Set up and inspect what the holder has started. Raises SandboxError, with what it printed or what is wrong
        with it."""
        super().__init__(holder)
        self.group: MemoryGroup | None = None  # what limits the memory of its commands
        try:
            self._send(settings)
            hello, _ = self._receive()
            self.nested: bool = hello["nested"]  # each command has namespaces of its own
            self.landlock: int = hello["landlock"]  # the kernel's version, 0: none
            self.tools: str = hello["tools"]  # what its image has (`toolchains.told`), "" if it has none
            self._inspect(hello, promise)
        except SandboxError:
            self.close()
            raise

    def _inspect(self, hello: dict[str, Any], promise: Promise) -> None:
        """Raise SandboxError if the jail is not as promised, as the launcher, which is trusted, sees itself."""
        ours, theirs = ProcessStatus(proc.look("self")), ProcessStatus(hello["sight"])
        wrong = [*of_jail(theirs, ours, hello["mounts"], self.nested, hello["started_with"], promise)]
        if wrong:
            raise SandboxError(f"a jail for programs is not as promised: {'; '.join(wrong)}")

    def is_ready(self) -> bool:
        """Whether the jail lives, as far as can be seen: while it waits for a command, it says nothing."""
        if self.dead:
            return False
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        return not poll.poll(0)

    def run(self, descriptors: list[int]) -> None:
        """Start a command. `descriptors`: see `sandbox/inside/programs/launcher.py`. Raises SandboxError."""
        self._ask("run", descriptors)

    def look(self) -> Look:
        """What the command's processes have used. While the jail is paused, this waits. Raises SandboxError."""
        look: Look = self._ask("look")
        return look

    def reap(self) -> None:
        """End whatever is left of the command. Raises SandboxError."""
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
