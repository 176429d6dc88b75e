"""The backend of a Linux host: jails made by bubblewrap, for players and for programs."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, Final

from sandbox.api import Limits, Program, SandboxError, SandboxUnavailable, Starting
from sandbox.host import interpreter, python_copy, seccomp
from sandbox.host.inspection import ProcessStatus, Promise
from sandbox.host.jail import LAYERS, Jail
from sandbox.host.jail_process import JailProcess
from sandbox.host.jailed_sandbox import JailedSandbox
from sandbox.host.probe import UNPRIVILEGED, missing, nesting_works
from sandbox.host.programs import toolchains
from sandbox.host.programs.launcher import PROGRAM_LAYERS, WRITABLE, LauncherJail, memory_group_of, settings
from sandbox.host.programs.sandbox import JailedPrograms
from sandbox.host.programs.toolchains import ROOT, TOOLS
from sandbox.inside import proc
from sandbox.inside.programs.scratch import FOLDER

TO_GIVE_UP_ROOT: Final = {"CAP_SETGID": 6, "CAP_SETUID": 7, "CAP_SETPCAP": 8}
ISOLATION: Final = """
    --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --die-with-parent
    --hostname quadrille --clearenv --cap-drop ALL
"""


class BubblewrapSandbox(JailedSandbox):
    """A jail made by bubblewrap, as root or as an ordinary user."""

    name = "bubblewrap"

    def __init__(self, python: str = "", layers: frozenset[str] = LAYERS, niceness: int = 0) -> None:
        """`python`: the players' interpreter, by default the running one. `layers` lets tests find out what each layer
        stops. `niceness` applies to the jail, relative to all other processes. Raises SandboxUnavailable."""
        if lacking := missing():
            raise SandboxUnavailable(lacking)
        self._interpreter = interpreter.find(python)
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
        promised = promise(frozenset(self._settings["layers"]))
        return Jail(JailProcess(self._command, self._niceness), self._settings, promised)

    def start(self, program: Program, limits: Limits, seed: int) -> Starting:
        self.jail.dead = self.jail.dead or not self._library.exists()  # the copy may be deleted when its user logs out
        return super().start(program, limits, seed)

    def _command(self, control: int) -> Sequence[str]:
        command = isolating(frozenset(self._settings["layers"]))
        for name, value in interpreter.ENVIRONMENT.items():
            command += ["--setenv", name, value]
        for top in sorted(self._library.iterdir()):
            command += ["--ro-bind", str(top), f"/{top.name}"]
        return [*command, "--remount-ro", "/", "--chdir", "/", "--", *interpreter.COMMAND, str(control)]


def isolating(layers: frozenset[str]) -> list[str]:
    """Return the beginning of bubblewrap's command line."""
    command = ["bwrap", *ISOLATION.split(), *(["--unshare-net"] if "network" in layers else [])]
    if os.geteuid() != 0:
        return [*command, "--unshare-user"]
    # The jail starts as root, because an ordinary user may be unable to reach the mounted files; its processes give up
    # root themselves.
    return [*command, *(word for name in TO_GIVE_UP_ROOT for word in ("--cap-add", name))]


def promise(layers: frozenset[str]) -> Promise:
    """Return what a bubblewrap jail promises, whether root or an ordinary user starts it."""
    root = os.geteuid() == 0
    return Promise(
        layers=layers,
        uid=UNPRIVILEGED if root else os.geteuid(),
        gid=UNPRIVILEGED if root else os.getegid(),
        groups=frozenset() if root else frozenset(os.getgroups()),  # inside a user namespace, groups cannot be dropped
        filters=ProcessStatus(proc.look("self")).filters,
        started_with=sum(1 << number for number in TO_GIVE_UP_ROOT.values()) if root else 0,
        nested=nesting_works(),
    )


_SCRATCH: Final = 64 << 20  # bytes of a jail's scratch folder, used where commands cannot mount their own

_NO_PROC: Final = "Can't mount proc"
_UNCONFINED: Final = (
    "jails for programs have a /proc of their own, which a container may mount if it is started with "
    "`--security-opt systempaths=unconfined`"
)


class BubblewrapPrograms(JailedPrograms):
    """Jails for programs made by bubblewrap, as root or as an ordinary user."""

    name = "bubblewrap"

    def __init__(self, layers: frozenset[str] = PROGRAM_LAYERS, niceness: int = 0) -> None:
        """`layers` and `niceness`: see BubblewrapSandbox. Raises SandboxUnavailable."""
        if lacking := missing():
            raise SandboxUnavailable(lacking)
        self._layers = layers
        self._niceness = niceness
        self.toolchains = {tool: toolchains.find(tool) for tool in TOOLS if not toolchains.missing(tool)}
        self.visible = tuple(target for _, target in toolchains.runtime())
        super().__init__()

    def missing(self, tool: str) -> str:
        return toolchains.missing(tool)

    def start_jail(self) -> LauncherJail:
        naming = ProcessStatus(proc.look("self")).filters == 0
        given = settings(self._layers, UNPRIVILEGED if os.geteuid() == 0 else None, naming)
        process = JailProcess(self._command, self._niceness)
        try:
            whole = promise(self._layers - {"seccomp"})  # the launcher has no filter, but its commands do
            launcher = LauncherJail(process, given, replace(whole, writable=WRITABLE))
        except SandboxError as error:
            if _NO_PROC in str(error):
                raise SandboxUnavailable(f"{error}; {_UNCONFINED}") from error
            raise
        if "memory" in self._layers:
            launcher.group = memory_group_of(process.pid)
        return launcher

    def _command(self, control: int) -> Sequence[str]:
        files = [*_launchers_files(), *self._commands_files(), "--remount-ro", "/", "--chdir", "/"]
        python = [interpreter.EXECUTABLE, "-s", "-S", "-P", "-B"]
        start = [*python, "-m", "sandbox.inside.programs.launcher", str(control)]
        return [*isolating(self._layers), "--as-pid-1", *files, "--", *start]

    def _commands_files(self) -> list[str]:
        files = {target: source for tool in self.toolchains.values() for source, target in tool.files}
        words = []
        for folder in sorted({str(above).rstrip("/") for target in files for above in PurePosixPath(target).parents}):
            words += ["--dir", f"{ROOT}{folder}"]  # bubblewrap itself would create these for root only
        words += [word for name, leads_to in toolchains.layout(files) for word in ("--symlink", leads_to, name)]
        for target, source in sorted(files.items()):
            words += ["--ro-bind", source, f"{ROOT}{target}"]
        return [*words, "--perms", "0777", "--size", str(_SCRATCH), "--tmpfs", f"{ROOT}{FOLDER}"]


def _launchers_files() -> list[str]:
    words = [word for name, value in toolchains.launcher_environment() for word in ("--setenv", name, value)]
    folders = ("", "/sandbox", "/sandbox/inside", "/sandbox/inside/programs")
    words += [word for folder in folders for word in ("--dir", f"{interpreter.GUEST}{folder}")]
    for source, target in interpreter.own_files(interpreter.PROGRAMS):
        words += ["--ro-bind", str(source), target]
    return [*words, "--proc", "/proc"]
