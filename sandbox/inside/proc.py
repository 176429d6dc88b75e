"""Reads what /proc tells about a process, for `host/inspection.py`; on the host, or in the box where the host cannot
see its processes. Standard library only."""

from __future__ import annotations

import os
from collections.abc import Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

NAMESPACES: Final = ("user", "ipc", "pid", "uts", "net", "mnt")
CHILDS: Final = NAMESPACES[:2]  # those a child may have to itself, besides a process namespace, which its status shows

Sight = tuple[bytes, int, list[str], bytes]
"""A process: its /proc/PID/status, the owner of that file, what the links to its namespaces say ("" where we may not
look), and its uid_map if the first of those, its user namespace, says nothing."""

_STATUS: Final = 1 << 14  # bytes: the kernel gives all of it or nothing


def look(process: int | str, namespaces: Sequence[str] = NAMESPACES) -> Sight:
    """Look at a process. Raises OSError if it is gone."""
    folder = f"/proc/{process}"
    descriptor = os.open(f"{folder}/status", os.O_RDONLY)
    try:
        status, owner = os.read(descriptor, _STATUS), os.fstat(descriptor).st_uid
    finally:
        os.close(descriptor)
    links = [_link(f"{folder}/ns/{name}") for name in namespaces]
    return status, owner, links, _text(f"{folder}/uid_map") if links[:1] == [""] else b""


def limits(process: int | str) -> bytes:
    """The resource limits of a process: its /proc/PID/limits. Raises OSError if it is gone."""
    return _text(f"/proc/{process}/limits")


def mounts(process: int | str) -> bytes:
    """What is mounted where a process is: its /proc/PID/mountinfo. Raises OSError if it is gone."""
    return _text(f"/proc/{process}/mountinfo")


def _text(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.readall()


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except PermissionError:
        return ""
