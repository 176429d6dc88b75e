"""Programs in Docker: containers of an image with toolchains, which the runner starts."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from sandbox.api import SandboxError
from sandbox.backends.docker import DOCKERS, FOLDER, Container
from sandbox.host.inspection import Promise
from sandbox.host.interpreter import PROGRAMS
from sandbox.host.programs import toolchains
from sandbox.host.programs.launcher import LAYERS, WRITABLE, LauncherJail, settings
from sandbox.host.programs.sandbox import JailedPrograms
from sandbox.host.programs.toolchains import Toolchain
from sandbox.programs import Command

REQUEST: Final = b"prog"
_OURS: Final = 128 << 20  # bytes of a container's memory for the launcher, and for a command's files


class DockerPrograms(JailedPrograms):
    """Jails in containers. This process never talks with Docker itself."""

    name = "docker"

    def __init__(self, folder: Path | None = None, layers: frozenset[str] = LAYERS) -> None:
        """`folder` is shared by the runner and workers. `layers` is for tests. Raises SandboxUnavailable."""
        self._folder = folder or Path(FOLDER)
        self._layers = layers
        self._tools: dict[str, Toolchain] = {}
        self._visible: tuple[str, ...] = ()
        self._memory = 0
        super().__init__()

    def missing(self, tool: str) -> str:
        if tool in self._tools:
            return ""
        if tool not in toolchains.TOOLS:
            return f"there is no toolchain {tool!r}, only {', '.join(toolchains.TOOLS)}"
        return f"the image for programs has no {tool}; build it again"

    def toolchains(self) -> Mapping[str, Toolchain]:
        return self._tools

    def visible(self) -> tuple[str, ...]:
        return self._visible

    def usable(self, launcher: LauncherJail) -> bool:
        return super().usable(launcher) and not (
            isinstance(launcher.holder, Container) and launcher.holder.is_forsaken()
        )

    def check(self, command: Command) -> None:
        needed = command.limits.memory + command.limits.scratch + _OURS
        if needed > self._memory:
            raise SandboxError(
                f"a command may use {needed >> 20} MiB, but the runner's containers for programs have only "
                f"{self._memory >> 20} MiB; start it with more `--programs-memory`"
            )

    def start_jail(self) -> LauncherJail:
        container = Container(self._folder, REQUEST, PROGRAMS)
        given: dict[str, Any] = settings(self._layers, uid=None, naming=False)
        layers = self._layers - {"seccomp"}  # the launcher has only the container's filter: what it starts has its own
        writable = (*DOCKERS, *WRITABLE)
        promise = Promise(layers, uid=None, gid=None, filters=1, nested=container.nested, writable=writable)
        launcher = LauncherJail(container, given, promise)
        self._memory = container.memory
        self._tools, self._visible = toolchains.heard(json.loads(launcher.tools))
        return launcher
