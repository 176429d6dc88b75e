"""Players' processes as the host knows them: their terms, the template they are forked from, and the pools in which
they wait for a player."""

import os
import socket
from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

from sandbox.api import SandboxError


class Terms(NamedTuple):
    """What the fork server must know to make a child."""

    memory: int  # bytes
    cpu_s: int
    output: int  # bytes that it may print
    send_s: float  # seconds for which the host waits for it to take a message
    imports: tuple[str, ...] = ()  # modules of the standard library to be loaded beforehand
    modules: tuple[tuple[str, str], ...] = ()  # and the game's own: name and source


@dataclass(slots=True)
class Template:
    """A process inside the jail from which children are forked."""

    number: int  # what the fork server calls it
    pid: int  # here; 0: it cannot be seen from here


@dataclass(slots=True)
class Pool:
    """Children that wait for a player under the same terms."""

    terms: Terms
    template: Template
    spares: deque["Child"] = field(default_factory=deque)
    ordered: int = 0  # children asked for and not yet there
    wanted: bool = True  # if not, they are dismissed as they arrive


@dataclass(frozen=True, slots=True)
class Child:
    """A player's process."""

    number: int  # inside the jail
    pid: int  # here; 0: it cannot be seen from here
    handle: int  # a process descriptor
    channel: socket.socket
    output: int  # the descriptor of the file that holds what it prints
    pool: Pool

    def close(self) -> None:
        """Release it, except for what it printed; this does not end the process."""
        os.close(self.handle)
        self.channel.close()


def pid_of(handle: int) -> int:
    """The process number behind a process descriptor, or 0 if it is in another process namespace."""
    info = os.open(f"/proc/self/fdinfo/{handle}", os.O_RDONLY)
    text = os.read(info, 4096)
    os.close(info)
    pid = int(text.partition(b"\nPid:")[2].split(maxsplit=1)[0])
    if pid < 0:
        raise SandboxError("the jail's child ended as soon as it was started")
    return pid


def closed_pid_of(handle: int) -> int:
    """The same, and close the descriptor."""
    try:
        return pid_of(handle)
    finally:
        os.close(handle)
