"""What all sandboxes for programs share: jails that are kept ready and run one command after the other."""

import math
import signal
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final, Self

from sandbox import patterns
from sandbox.api import SandboxError, SandboxUnavailable
from sandbox.host.programs.launcher import LauncherJail
from sandbox.host.programs.run import run
from sandbox.host.programs.toolchains import Toolchain
from sandbox.programs import Command, Ended, ProgramJail, ProgramLimits, Stop

_ENVIRONMENT: Final = {"PATH": "/usr/bin", "HOME": "/scratch", "TMPDIR": "/scratch", "LC_ALL": "C.UTF-8"}
_BACKSTOP_S: Final = 1  # the kernel's CPU limit exceeds the host's own by this much
_MARGIN: Final = 64 << 20  # bytes of address space for code and libraries
_STACK: Final = 64 << 20
_NAME: Final = patterns.compile(r"[^/\0]+(/[^/\0]+)*")


def orders(
    command: Command, toolchains: Mapping[str, Toolchain], visible: Iterable[str], grouped: bool
) -> dict[str, Any]:
    """Return the orders for running the command in a jail with these toolchains and files. `grouped`: whether a control
    group limits the jail's memory. Raises SandboxError if the command is invalid."""
    if lacking := [tool for tool in command.tools if tool not in toolchains]:
        raise SandboxError(f"{', '.join(lacking)} cannot be used in this jail")
    seen = [toolchains[tool] for tool in command.tools]
    kind = "compile" if command.compiles else "threads" if command.limits.processes > 1 else "run"
    return {
        "program": _program_path(command, toolchains),
        "argv": command.argv,
        "environment": _ENVIRONMENT | {name: value for tool in seen for name, value in tool.environment},
        "files": {_scratch_name(name): content for name, content in command.files.items()},
        "executable": command.executable,
        "kept": [_scratch_name(name) for name in command.kept],
        "scratch_bytes": command.limits.scratch,
        "scratch_files": command.limits.files,
        "readable": sorted({*visible, *(target for tool in seen for _, target in tool.files)}),
        "limits": _rlimits(command.limits, grouped),
        "filter": kind,
    }


def _program_path(command: Command, toolchains: Mapping[str, Toolchain]) -> str:
    first = command.argv[0]
    if first.startswith("./"):
        return f"./{_scratch_name(first[2:])}"
    if first not in command.tools:
        raise SandboxError(f"{first} is neither a file of the scratch folder (./{first}) nor one of the tools")
    return toolchains[first].program


def _scratch_name(name: str) -> str:
    if not _NAME.fullmatch(name) or {".", ".."} & set(name.split("/")):
        raise SandboxError(f"{name!r} is not the name of a file in the scratch folder")
    return name


def _rlimits(limits: ProgramLimits, grouped: bool) -> dict[str, tuple[int, int]]:
    """Return the resource limits, by name: (soft, hard)."""
    cpu_s = math.ceil(limits.cpu_s) + _BACKSTOP_S
    whole = {
        "FSIZE": limits.scratch,
        "NPROC": limits.processes + 1,  # the keeper counts as one
        "STACK": min(_STACK, limits.memory // 2),
        "NOFILE": 64,
        "CORE": 0,
        "MEMLOCK": 0,
        "MSGQUEUE": 0,
        "SIGPENDING": 64,
    }
    if not grouped:
        whole["AS"] = limits.memory + _MARGIN
    return {"CPU": (cpu_s, cpu_s + 1), **{name: (value, value) for name, value in whole.items()}}


_KEPT: Final = 2  # jails that wait for the next submission


class JailedPrograms(ABC):
    """A `ProgramSandbox` whose jails have a launcher. A jail serves one submission at a time. It then serves the next
    submission if each command has namespaces of its own, with a scratch folder that ends with them."""

    name: str
    toolchains: Mapping[str, Toolchain]  # the toolchains that the jails have
    visible: tuple[str, ...]  # the files that every command sees

    def __init__(self) -> None:
        """Start the first jail. Raises SandboxUnavailable."""
        self._open: list[OpenJail] = []
        self.version = cache(self._version)
        self._idle = [self.start_jail()]

    @abstractmethod
    def start_jail(self) -> LauncherJail:
        """Start a new jail. Raises SandboxError."""

    @abstractmethod
    def missing(self, tool: str) -> str:
        """See `ProgramSandbox`."""

    def usable(self, launcher: LauncherJail) -> bool:
        """Whether an idle jail can serve another submission."""
        return launcher.is_ready()

    def check(self, command: Command) -> None:
        """Raise SandboxError if the jails cannot give the command all that its limits allow."""
        return

    def _version(self, tool: str) -> str:
        if why := self.missing(tool):
            raise SandboxUnavailable(why)
        with self.open() as jail:
            ended = jail.run(Command((tool, "--version"), {}, tools=(tool,), compiles=True))
        return ended.stdout.decode(errors="replace").partition("\n")[0]

    def open(self) -> "OpenJail":
        """See `ProgramSandbox`."""
        while self._idle and not self.usable(self._idle[-1]):
            self._idle.pop().close()
        jail = OpenJail(self, self._idle.pop() if self._idle else self.start_jail())
        self._open.append(jail)
        return jail

    def take_back(self, jail: "OpenJail", launcher: LauncherJail) -> None:
        """Keep the launcher of a jail that is no longer needed, for use in another jail, or close the launcher."""
        if jail in self._open:
            self._open.remove(jail)
        if not self.usable(launcher) or not launcher.nested or len(self._idle) >= _KEPT:
            launcher.close()
        else:
            self._idle.append(launcher)

    def close(self) -> None:
        """See `ProgramSandbox`."""
        for jail in [*self._open]:
            jail.close()
        while self._idle:
            self._idle.pop().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class OpenJail(ProgramJail):
    """A jail for programs while it serves one submission."""

    def __init__(self, sandbox: JailedPrograms, launcher: LauncherJail) -> None:
        self._sandbox = sandbox
        self._launcher: LauncherJail | None = launcher

    @property
    def process(self) -> int:
        """The process number of the jail on this machine; 0 if the jail is a container."""
        return getattr(self._launcher and self._launcher.holder, "pid", 0)

    def run(self, command: Command) -> Ended:
        if self._launcher is None:
            raise SandboxError("this jail is closed")
        if self._launcher.dead:  # a command used so much memory that the launcher was killed too
            self._launcher.close()
            self._launcher = self._sandbox.start_jail()
        launcher = self._launcher
        self._sandbox.check(command)
        given = orders(command, self._sandbox.toolchains, self._sandbox.visible, bool(launcher.group))
        try:
            return run(launcher, command, given)
        except BaseException as error:
            launcher.dead = True  # no leftover process may run alongside the next command
            if isinstance(error, SandboxError) and launcher.group and launcher.group.exceeded():
                return Ended(Stop.MEMORY, signal.SIGKILL, b"", b"", {}, 0.0, 0.0, command.limits.memory)
            raise

    def close(self) -> None:
        if self._launcher:
            launcher, self._launcher = self._launcher, None
            self._sandbox.take_back(self, launcher)
