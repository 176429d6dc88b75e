"""Players' processes as the host of a jail knows them: what they are made under, where they come from, and the pools in
which they wait for a player."""

import os
import socket
from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

from sandbox.api import SandboxError


class Terms(NamedTuple):
    """What the fork server must know to make a child: bytes of memory, seconds of CPU time, bytes of what it may print,
    how long the host waits, in seconds, for it to take a message, and what is loaded for its player beforehand: modules
    of the standard library, and the game's (name and source)."""

    memory: int
    cpu_s: int
    output: int
    send_s: float
    imports: tuple[str, ...] = ()
    modules: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Template:
    """A process inside the jail from which children are forked: its number for the fork server, and its pid here (0: it
    cannot be seen from here)."""

    number: int
    pid: int


@dataclass(slots=True)
class Pool:
    """Children that wait for a player under the same terms."""

    terms: Terms
    template: Template
    spares: deque["Child"] = field(default_factory=deque)
    ordered: int = 0  # children asked for and not yet heard of
    wanted: bool = True  # else they are dismissed as they come


@dataclass(frozen=True, slots=True)
class Child:
    """A player's process: its number inside the jail and here (0: it cannot be seen from here), a descriptor of it, the
    channel to it, and a descriptor of the file that holds what it prints."""

    number: int
    pid: int
    handle: int
    channel: socket.socket
    output: int
    pool: Pool

    def close(self) -> None:
        """Release it, but for what it printed; whether it lives is another matter."""
        os.close(self.handle)
        self.channel.close()


def closed_pid_of(handle: int) -> int:
    """The same, and the descriptor is closed."""
    try:
        return pid_of(handle)
    finally:
        os.close(handle)


def pid_of(handle: int) -> int:
    """The process number, in our own process namespace, behind a process descriptor; 0: in another namespace."""
    info = os.open(f"/proc/self/fdinfo/{handle}", os.O_RDONLY)
    text = os.read(info, 4096)
    os.close(info)
    pid = int(text.partition(b"\nPid:")[2].split(maxsplit=1)[0])
    if pid < 0:
        raise SandboxError("the jail's child ended as soon as it was started")
    return pid
