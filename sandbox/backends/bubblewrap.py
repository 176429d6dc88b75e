"""The backend of a Linux host: a jail made by bubblewrap."""

import os
from collections.abc import Sequence
from typing import Any, Final

from sandbox.api import Limits, Program, SandboxUnavailable, Starting
from sandbox.host import interpreter, python_copy, seccomp
from sandbox.host.inspection import ProcessStatus, Promise
from sandbox.host.jail import LAYERS, Jail
from sandbox.host.jail_process import JailProcess
from sandbox.host.jailed_sandbox import JailedSandbox
from sandbox.host.probe import UNPRIVILEGED, missing, nesting_works
from sandbox.inside.proc import look

TO_GIVE_UP_ROOT: Final = {"CAP_SETGID": 6, "CAP_SETUID": 7, "CAP_SETPCAP": 8}
ISOLATION: Final = """
    --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --die-with-parent
    --hostname quadrille --clearenv --cap-drop ALL
"""


class BubblewrapSandbox(JailedSandbox):
    """A jail made by bubblewrap, as root or as an ordinary user."""

    name = "bubblewrap"

    def __init__(self, python: str = "", layers: frozenset[str] = LAYERS, niceness: int = 0) -> None:
        """`python` is the interpreter for players, this one by default. `layers` is only for the tests that show what
        each layer stops. `niceness` applies to the jail, compared with all other processes. Raises
        SandboxUnavailable."""
        if lacking := missing():
            raise SandboxUnavailable(lacking)
        self._interpreter = interpreter.find(python)
        self._isolation = [*ISOLATION.split(), *(["--unshare-net"] if "network" in layers else [])]
        self._settings: dict[str, Any] = {
            "layers": sorted(layers),
            "uid": UNPRIVILEGED if os.geteuid() == 0 else None,
            "readable": self._interpreter.readable,
            "guest": interpreter.GUEST,
            "filters": seccomp.programs(),
            "root": "",
        }
        self._niceness = niceness
        super().__init__()

    def _start_jail(self) -> Jail:
        self._library = python_copy.kept(self._interpreter)
        return Jail(
            JailProcess(self._command, self._niceness), self._settings, promise(frozenset(self._settings["layers"]))
        )

    def start(self, program: Program, limits: Limits, seed: int) -> Starting:
        self.jail.dead = self.jail.dead or not self._library.exists()  # the copy may be deleted when its user logs out
        return super().start(program, limits, seed)

    def _command(self, control: int) -> Sequence[str]:
        parts = self._interpreter
        command = ["bwrap", *self._isolation]
        if os.geteuid() == 0:
            # Root mounts what an ordinary user may not be able to reach; the guest then gives up root itself.
            command += [word for name in TO_GIVE_UP_ROOT for word in ("--cap-add", name)]
        else:
            command += ["--unshare-user"]
        for name, value in parts.environment.items():
            command += ["--setenv", name, value]
        for top in sorted(self._library.iterdir()):
            command += ["--ro-bind", str(top), f"/{top.name}"]
        return [*command, "--remount-ro", "/", "--chdir", "/", "--", *parts.command, str(control)]


def promise(layers: frozenset[str]) -> Promise:
    """What a jail of bubblewrap's is, as root or as an ordinary user."""
    root = os.geteuid() == 0
    return Promise(
        layers=layers,
        uid=UNPRIVILEGED if root else os.geteuid(),
        gid=UNPRIVILEGED if root else os.getegid(),
        groups=frozenset() if root else frozenset(os.getgroups()),  # in a user namespace nobody can leave groups
        filters=ProcessStatus(look("self")).filters,
        started_with=sum(1 << number for number in TO_GIVE_UP_ROOT.values()) if root else 0,
        nested=nesting_works(),
    )
