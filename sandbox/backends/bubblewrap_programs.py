"""Programs on a Linux host: jails made by bubblewrap."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

from sandbox.api import SandboxError, SandboxUnavailable
from sandbox.backends.bubblewrap import ISOLATION, TO_GIVE_UP_ROOT, promise
from sandbox.host import interpreter
from sandbox.host.inspection import ProcessStatus, Promise
from sandbox.host.jail_process import JailProcess
from sandbox.host.probe import UNPRIVILEGED, missing
from sandbox.host.programs import memory_group, toolchains
from sandbox.host.programs.launcher import LAYERS, WRITABLE, LauncherJail, settings
from sandbox.host.programs.sandbox import JailedPrograms
from sandbox.host.programs.toolchains import ROOT, TOOLS, Toolchain
from sandbox.inside.proc import look
from sandbox.inside.programs.scratch import FOLDER

_SCRATCH: Final = 64 << 20  # bytes of a jail's own scratch folder, where commands cannot mount theirs

_NO_PROC: Final = "Can't mount proc"
_UNCONFINED: Final = (
    "jails for programs have a /proc of their own, which a container may mount if it is started with "
    "`--security-opt systempaths=unconfined`"
)


class BubblewrapPrograms(JailedPrograms):
    """Jails made by bubblewrap, as root or as an ordinary user."""

    name = "bubblewrap"

    def __init__(self, layers: frozenset[str] = LAYERS, niceness: int = 0) -> None:
        """`layers` is only for the tests that show what each layer stops. `niceness` applies to the jails, compared
        with all other processes. Raises SandboxUnavailable."""
        if lacking := missing():
            raise SandboxUnavailable(lacking)
        self._layers = layers
        self._niceness = niceness
        super().__init__()

    def missing(self, tool: str) -> str:
        return toolchains.missing(tool)

    @cached_property
    def _toolchains(self) -> dict[str, Toolchain]:
        return {tool: toolchains.find(tool) for tool in TOOLS if not toolchains.missing(tool)}

    def toolchains(self) -> Mapping[str, Toolchain]:
        return self._toolchains

    def visible(self) -> tuple[str, ...]:
        return tuple(target for _, target in toolchains.runtime())

    def start_jail(self) -> LauncherJail:
        naming = ProcessStatus(look("self")).filters == 0
        given = settings(self._layers, UNPRIVILEGED if os.geteuid() == 0 else None, naming)
        process = JailProcess(self._command, self._niceness)
        try:
            launcher = LauncherJail(process, given, self._promise())
        except SandboxError as error:
            if _NO_PROC in str(error):
                raise SandboxUnavailable(f"{error}; {_UNCONFINED}") from error
            raise
        if "memory" in self._layers:
            launcher.group = memory_group.made(process.pid)
        return launcher

    def _promise(self) -> Promise:
        whole = promise(self._layers - {"seccomp"})  # the launcher has no filter: what it starts has
        return replace(whole, writable=WRITABLE)

    def _command(self, control: int) -> Sequence[str]:
        isolation = [*ISOLATION.split(), "--as-pid-1", *(["--unshare-net"] if "network" in self._layers else [])]
        command = ["bwrap", *isolation]
        if os.geteuid() == 0:
            command += [word for name in TO_GIVE_UP_ROOT for word in ("--cap-add", name)]
        else:
            command += ["--unshare-user"]
        return [*command, *_launchers_files(), *self._commands_files(), *_start(control)]

    def _commands_files(self) -> list[str]:
        files = {target: source for tool in self._toolchains.values() for source, target in tool.files}
        words = []
        for folder in sorted({"", *(above for target in files for above in _above(target))}):
            words += ["--dir", f"{ROOT}{folder}"]  # bubblewrap would make them for root only
        words += [word for name, leads_to in toolchains.layout(files) for word in ("--symlink", leads_to, name)]
        for target, source in sorted(files.items()):
            words += ["--ro-bind", source, f"{ROOT}{target}"]
        return [*words, "--perms", "0777", "--size", str(_SCRATCH), "--tmpfs", f"{ROOT}{FOLDER}"]


def _above(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(2, len(parts))]


def _launchers_files() -> list[str]:
    words = [word for name, value in toolchains.launcher_environment() for word in ("--setenv", name, value)]
    folders = ("", "/sandbox", "/sandbox/inside", "/sandbox/inside/programs")
    words += [word for folder in folders for word in ("--dir", f"{interpreter.GUEST}{folder}")]
    for source, target in interpreter.launcher():
        words += ["--ro-bind", str(source), target]
    return [*words, "--proc", "/proc"]


def _start(control: int) -> list[str]:
    command = [interpreter.EXECUTABLE, "-s", "-S", "-P", "-B", "-m", "sandbox.inside.programs.launcher"]
    return ["--remount-ro", "/", "--chdir", "/", "--", *command, str(control)]
