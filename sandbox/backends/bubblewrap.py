"""The backend of a Linux host: a jail made by bubblewrap."""

import os
from collections.abc import Sequence
from typing import Final

from sandbox import interpreter, seccomp
from sandbox.api import SandboxUnavailable
from sandbox.jail import LAYERS, Jail
from sandbox.jailed import JailedSandbox
from sandbox.launch import JailProcess
from sandbox.probe import missing

_UNPRIVILEGED: Final = 65534
_ISOLATION: Final = """
    --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --die-with-parent
    --clearenv --cap-drop ALL
"""


class BubblewrapSandbox(JailedSandbox):
    """A jail made by bubblewrap, as root or as an ordinary user."""

    name = "bubblewrap"

    def __init__(self, python: str = "", layers: frozenset[str] = LAYERS, niceness: int = 0) -> None:
        """`python` is the interpreter for players, this one by default. `layers` is for the tests that show what
        each layer stops; nothing else ever takes one away. `niceness`: of the jail beside all other processes. Raises
        SandboxUnavailable."""
        if lacking := missing():
            raise SandboxUnavailable(lacking)
        self._interpreter = interpreter.find(python)
        self._isolation = [*_ISOLATION.split(), *(["--unshare-net"] if "network" in layers else [])]
        self._settings = {
            "layers": sorted(layers),
            "uid": _UNPRIVILEGED if os.geteuid() == 0 else None,
            "readable": self._interpreter.readable,
            "guest": interpreter.GUEST,
            "filters": seccomp.programs(),
        }
        self._niceness = niceness
        super().__init__()

    def _start_jail(self) -> Jail:
        return Jail(JailProcess(self._command, self._niceness), self._settings)

    def _command(self, control: int) -> Sequence[str]:
        parts = self._interpreter
        command = ["bwrap", *self._isolation]
        if os.geteuid() == 0:
            # Real root mounts what an ordinary user may not be able to reach, and the guest then gives up root itself.
            command += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        else:
            command += ["--unshare-user"]
        for name, value in parts.environment.items():
            command += ["--setenv", name, value]
        for folder in parts.folders:  # made by hand: bubblewrap makes the parents of a mount readable to root alone
            command += ["--dir", folder]
        for source, target in parts.mounts:
            command += ["--ro-bind", str(source), target]
        for folder in parts.hidden:
            command += ["--tmpfs", folder, "--remount-ro", folder]
        return [*command, "--remount-ro", "/", "--chdir", "/", "--", *parts.command, str(control)]
