"""The jail as keepers find it, and what of it a command is confined to."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Place:
    """The jail as a keeper finds it."""

    def __init__(self, settings: dict[str, Any], landlock: int) -> None:
        """`landlock`: the kernel's version, 0: none."""
        layers = settings["layers"]
        self.root: str = settings["root"]  # the folder that becomes the command's root where the keeper may change it
        self.landlock = landlock if "landlock" in layers else 0
        self.filters: dict[str, bytes] = settings["filters"] if "seccomp" in layers else {}
        self.own_pid: bytes = settings["own_pid"]  # what stands in the filters for the command's own number
        self.limited = "rlimits" in layers
        self.nested = self.mounts = False  # keepers have namespaces of their own; and mounts of their own in them
        self.uid, self.gid = os.getuid(), os.getgid()

    @property
    def counts_processes(self) -> bool:
        """Whether the kernel counts a user's processes in each of its namespaces, and not those of all jails."""
        major, minor = (int(part) for part in os.uname().release.split(".")[:2])
        return self.nested and (major, minor) >= (5, 14)

    @property
    def top(self) -> str:
        """What stands before a command's absolute paths, before its root has been changed."""
        return self.root if self.nested else ""
