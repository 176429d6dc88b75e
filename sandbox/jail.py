"""The host's end of one jail: the requests to its fork server."""

import contextlib
import marshal
import os
import socket
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from sandbox.api import SandboxError
from sandbox.wire import MARSHAL

LAYERS: Final = frozenset({"namespaces", "network", "landlock", "seccomp", "rlimits"})
"""What a jail is made of, as far as it can be left out: a child's own namespaces, the jail's empty network, and what a
child does to itself."""
_SPARES: Final = 4  # children that wait for a player: one table's
_ANSWER_S: Final = 60.0  # the fork server answers within a millisecond; this is for a machine that swaps


class Holder(Protocol):
    """What keeps a jail running: a process of our own, or the runner with a container."""

    control: socket.socket  # to the fork server

    def said(self) -> str:
        """What it has to say about a failure."""

    def release(self) -> None:
        """Forget it, without ending it."""

    def kill(self) -> None:
        """End it, and with it everything inside."""


@dataclass(frozen=True, slots=True)
class Child:
    """A player's process: its number inside the jail and here (0: it cannot be seen from here), a descriptor of it, and
    the channel to it."""

    number: int
    pid: int
    handle: int
    channel: socket.socket

    def close(self) -> None:
        """Release it; whether it lives is another matter."""
        os.close(self.handle)
        self.channel.close()


class Jail:
    """A running jail. One thread at a time may use it."""

    def __init__(self, holder: Holder, settings: dict[str, Any]) -> None:
        """Set up what the holder has started. Raises SandboxError, with what it said, if that does not answer."""
        self.holder = holder
        self._control = holder.control
        self._control.settimeout(_ANSWER_S)
        self.dead = False
        self._owner = os.getpid()
        self._spares: deque[Child] = deque()
        self._ordered = 0  # children asked for and not yet heard of
        try:
            self._send(settings)
            hello = marshal.loads(self._receive()[0])  # noqa: S302 - from the fork server
        except SandboxError:
            self.close()
            raise
        self.nested: bool = hello["nested"]  # children have namespaces of their own
        self.landlock: int = hello["landlock"]  # the kernel's version, 0: none

    def open(self) -> Child:
        """A child that waits for a player. Raises SandboxError."""
        if self._owner != os.getpid():
            raise SandboxError("this jail was opened by another process; after a fork, open one of your own")
        self._order(1 if not self._spares and not self._ordered else 0)
        while not self._spares:
            self._hear()
        child = self._spares.popleft()
        self._order(_SPARES - len(self._spares) - self._ordered)
        return child

    def _order(self, count: int) -> None:
        for _ in range(count):
            self._send(("open",))
            self._ordered += 1

    def _ask(self, request: tuple[Any, ...]) -> Any:
        self._send(request)
        while (answer := self._hear()) is None:
            pass
        return answer

    def _hear(self) -> Any:
        """Take one message of the fork server: an answer, or a child to keep, and then None."""
        message, descriptors = self._receive()
        kind, number = marshal.loads(message)  # noqa: S302 - from the fork server
        if kind != "child":
            return number
        self._ordered -= 1
        handle, channel = descriptors
        self._spares.append(Child(number, _pid_of(handle), handle, socket.socket(fileno=channel)))
        return None

    def reap(self, child: Child) -> int:
        """How a child that is dead ended: its exit status, or minus the number of the signal. Raises SandboxError."""
        return os.waitstatus_to_exitcode(self._ask(("reap", child.number)))

    def clocks(self, child: Child) -> tuple[float, float]:
        """The CPU time of a child that cannot be seen from here, and how long it has queued for a processor."""
        cpu_s, queued_s = self._ask(("clocks", child.number))
        return cpu_s, queued_s

    def bury(self, child: Child) -> None:
        """Have a child killed, if it lives, and collected, without waiting for it."""
        with contextlib.suppress(SandboxError):  # a dead jail has taken it along
            self._send(("bury", child.number))

    def close(self) -> None:
        """Kill the jail and everything in it. May be called twice."""
        self.dead = True
        self._control.close()
        while self._spares:
            self._spares.pop().close()
        if self._owner == os.getpid():  # a process that inherited it by a fork must not end it
            self.holder.kill()
        self.holder.release()

    def _send(self, request: tuple[Any, ...] | dict[str, Any]) -> None:
        try:
            self._control.send(marshal.dumps(request, MARSHAL))
        except OSError as error:
            raise self._failed("the jail has gone") from error

    def _receive(self) -> tuple[bytes, list[int]]:
        try:
            message, descriptors, _, _ = socket.recv_fds(self._control, 4096, 2)
        except OSError as error:
            raise self._failed("the jail does not answer") from error
        if not message:
            raise self._failed("the jail has gone")
        return message, descriptors

    def _failed(self, what: str) -> SandboxError:
        self.dead = True
        return SandboxError(what + "".join(f": {line}" for line in self.holder.said().split("\n") if line))


def _pid_of(handle: int) -> int:
    """The process number, in our own process namespace, behind a process descriptor; 0: in another namespace."""
    for line in Path(f"/proc/self/fdinfo/{handle}").read_text().splitlines():
        if line.startswith("Pid:") and (pid := int(line.split()[1])) >= 0:
            return pid
    raise SandboxError("the jail's child ended as soon as it was started")
