"""The backend of Docker: containers for players and for programs, which `sandbox/container/runner.py` starts."""

import json
import select
import socket
from collections.abc import Iterable
from pathlib import Path
from time import monotonic
from typing import Any, Final

from sandbox import signs
from sandbox.api import Limits, Program, SandboxError, SandboxUnavailable, Starting
from sandbox.container import rootfs
from sandbox.host import seccomp
from sandbox.host.inspection import Promise
from sandbox.host.interpreter import GUEST, INSIDE, PROGRAMS, ROOT
from sandbox.host.jail import LAYERS, Jail
from sandbox.host.jailed_sandbox import JailedSandbox
from sandbox.host.programs import toolchains
from sandbox.host.programs.launcher import PROGRAM_LAYERS, WRITABLE, LauncherJail, settings
from sandbox.host.programs.sandbox import JailedPrograms
from sandbox.programs import Command

VARIABLE: Final = "QUADRILLE_RUNNER"
FOLDER: Final = "/run/quadrille"  # the default folder of the runner's socket
_FOR_PLAYERS, _FOR_PROGRAMS, _SOCKET = b"jail", b"prog", "runner"
_START_S: Final = 60.0
_SIGN_S: Final = 1.0
_END_S: Final = 10.0
DOCKERS: Final = ("/proc/", "/dev/", "/sys/")  # the user of a jail cannot change what Docker mounts there
_FORK_SERVERS: Final = 64 << 20  # bytes of a jail's memory for the fork server
_LAUNCHERS: Final = 128 << 20  # bytes of a program jail's memory for the launcher and a command's files


class DockerSandbox(JailedSandbox):
    """A jail in a container. This process never talks to Docker itself."""

    name = "docker"
    unnested = ", and how many descriptors each of the others has open (/proc cannot be hidden then)"

    def __init__(self, folder: Path | None = None, layers: frozenset[str] = LAYERS) -> None:
        """`folder` is shared by the runner and workers. `layers` is for tests. Raises SandboxUnavailable."""
        self._folder = folder or Path(FOLDER)
        self._settings: dict[str, Any] = {
            "layers": sorted(layers),
            "uid": None,
            "guest": GUEST,
            "filters": seccomp.programs(),
            "root": ROOT,
        }
        super().__init__()

    def _start_jail(self) -> Jail:
        self._container = Container(self._folder)
        layers = frozenset(self._settings["layers"])
        promise = Promise(layers, uid=None, gid=None, filters=1, nested=self._container.nested, writable=DOCKERS)
        return Jail(self._container, {**self._settings, "readable": self._container.readable}, promise)

    def start(self, program: Program, limits: Limits, seed: int) -> Starting:
        if limits.memory + _FORK_SERVERS > self._container.memory:
            raise SandboxError(
                f"players may use {limits.memory >> 20} MiB, but the runner's containers have only "
                f"{self._container.memory >> 20} MiB; start it with more `--memory`"
            )
        self.jail.dead = self.jail.dead or self._container.is_forsaken()
        return super().start(program, limits, seed)


class Container:
    """A container that the runner keeps while this process stays connected; a `Holder`."""

    def __init__(self, folder: Path, request: bytes = _FOR_PLAYERS, files: Iterable[Path] = INSIDE) -> None:
        """Ask the runner for a container. `files`: those of our files that the image must contain. Raises
        SandboxUnavailable."""
        self._runner = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._connect(folder / _SOCKET)
            answer, self.control = self._ask(request)
        except BaseException:
            self._runner.close()
            raise
        about = json.loads(answer["about"])
        if about["guest"] != rootfs.fingerprint(files):
            self.release()
            self.control.close()
            raise SandboxUnavailable("the sandbox's image belongs to another version of Quadrille; build it again")
        self.memory: int = answer["memory"]
        self.nested: bool = answer.get("nested", False)  # earlier runners do not report this
        self.readable: list[str] = about["readable"]

    def _connect(self, path: Path) -> None:
        try:
            self._runner.settimeout(_START_S)
            self._runner.connect(str(path))
        except OSError as error:
            found = f"no runner answers at {path} ({error.strerror or error})"
            raise SandboxUnavailable(f"{found}; start `quadrille runner`, or set {VARIABLE} to its folder") from error

    def _ask(self, request: bytes) -> tuple[dict[str, Any], socket.socket]:
        try:
            self._runner.send(request)
            answered, deadline = select.poll(), monotonic() + _START_S
            answered.register(self._runner, select.POLLIN)
            while not answered.poll(1000 * _SIGN_S) and monotonic() < deadline:
                signs.give()
            self._runner.settimeout(_SIGN_S)
            message, descriptors, _, _ = socket.recv_fds(self._runner, 4096, 1)
        except OSError as error:
            raise SandboxUnavailable(f"the runner does not answer: {error}") from error
        if not message:
            raise SandboxUnavailable("the runner has closed the connection")
        answer = json.loads(message)
        if "trouble" in answer:
            raise SandboxUnavailable(f"the runner has no jail: {answer['trouble']}")
        return answer, socket.socket(fileno=descriptors[0])

    def is_forsaken(self) -> bool:
        """Whether the runner is gone. The next runner removes this container."""
        poll = select.poll()
        poll.register(self._runner, select.POLLIN)
        return bool(poll.poll(0))

    def said(self) -> str:
        """Return "", because Docker keeps no log of the container."""
        return ""

    def release(self) -> None:
        """Disconnect from the container. It keeps running while another process is connected."""
        self._runner.close()

    def kill(self) -> None:
        """Have the container removed, and wait until it is gone."""
        try:
            self._runner.shutdown(socket.SHUT_WR)
            self._runner.settimeout(_END_S)
            self._runner.recv(1)
        except OSError:
            pass  # the runner is gone or slow; the fork server ends anyway when its control socket closes


class DockerPrograms(JailedPrograms):
    """Jails for programs in containers. This process never talks to Docker itself."""

    name = "docker"

    def __init__(self, folder: Path | None = None, layers: frozenset[str] = PROGRAM_LAYERS) -> None:
        """`folder` is shared by the runner and workers. `layers` is for tests. Raises SandboxUnavailable."""
        self._folder = folder or Path(FOLDER)
        self._layers = layers
        self.toolchains, self.visible = {}, ()
        self._memory = 0
        super().__init__()

    def missing(self, tool: str) -> str:
        if tool in self.toolchains:
            return ""
        if tool not in toolchains.TOOLS:
            return f"there is no toolchain {tool!r}, only {', '.join(toolchains.TOOLS)}"
        return f"the image for programs has no {tool}; build it again"

    def usable(self, launcher: LauncherJail) -> bool:
        forsaken = isinstance(launcher.holder, Container) and launcher.holder.is_forsaken()
        return super().usable(launcher) and not forsaken

    def check(self, command: Command) -> None:
        needed = command.limits.memory + command.limits.scratch + _LAUNCHERS
        if needed > self._memory:
            raise SandboxError(
                f"a command may use {needed >> 20} MiB, but the runner's containers for programs have only "
                f"{self._memory >> 20} MiB; start it with more `--programs-memory`"
            )

    def start_jail(self) -> LauncherJail:
        container = Container(self._folder, _FOR_PROGRAMS, PROGRAMS)
        given: dict[str, Any] = settings(self._layers, uid=None, naming=False)
        layers = self._layers - {"seccomp"}  # the launcher has only the container's filter; its commands have their own
        writable = (*DOCKERS, *WRITABLE)
        promise = Promise(layers, uid=None, gid=None, filters=1, nested=container.nested, writable=writable)
        launcher = LauncherJail(container, given, promise)
        self._memory = container.memory
        self.toolchains, self.visible = toolchains.heard(json.loads(launcher.tools))
        return launcher
