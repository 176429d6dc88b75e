"""The host's end of one jail: the requests to its fork server."""

import contextlib
import marshal
import os
import socket
from collections import deque
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol

from sandbox.api import SandboxError
from sandbox.cores import send_away
from sandbox.wire import MARSHAL, send_long

LAYERS: Final = frozenset({"namespaces", "network", "landlock", "seccomp", "rlimits"})
"""What a jail is made of, as far as it can be left out: a child's own namespaces, the jail's empty network, and what a
child does to itself."""
_BATCH: Final = 4  # children made at once: one table's
_FEW: Final = 2  # of children that wait for a player
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


class Terms(NamedTuple):
    """What the fork server must know to make a child: bytes of memory, seconds of CPU time, bytes of what it may print,
    how long the host waits, in seconds, for it to take a message, and the game's modules (name and source)."""

    memory: int
    cpu_s: int
    output: int
    send_s: float
    modules: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Child:
    """A player's process: its number inside the jail and here (0: it cannot be seen from here), a descriptor of it, the
    channel to it, and a descriptor of the file that holds what it prints."""

    number: int
    pid: int
    handle: int
    channel: socket.socket
    output: int

    def close(self) -> None:
        """Release it, but for what it printed; whether it lives is another matter."""
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
        self._terms: Terms | None = None  # of the spares
        self._spares: deque[Child] = deque()
        self._loaded: frozenset[str] = frozenset()
        self._ordered: deque[Terms] = deque()  # of the batches asked for and not yet heard of
        try:
            self._send(settings)
            message, (server,) = self._receive()
            hello = marshal.loads(message)  # noqa: S302 - from the fork server
            self._server = _pid_of(server)  # 0: it cannot be seen from here
        except SandboxError:
            self.close()
            raise
        os.close(server)
        self.nested: bool = hello["nested"]  # children have namespaces of their own
        self.landlock: int = hello["landlock"]  # the kernel's version, 0: none

    def load(self, modules: frozenset[str]) -> None:
        """Have modules of the standard library loaded for all children to come. Raises SandboxError."""
        if not modules <= self._loaded:
            self._send(("load", *sorted(modules - self._loaded)))
            self._loaded |= modules

    def open(self, terms: Terms) -> Child:
        """A child that waits for a player. Raises SandboxError."""
        if self._owner != os.getpid():
            raise SandboxError("this jail was opened by another process; after a fork, open one of your own")
        if terms != self._terms:
            self._dismiss_spares()
            if terms.modules != (self._terms.modules if self._terms else ()):
                self._send(("modules",))
                send_long(self._control, marshal.dumps(dict(terms.modules), MARSHAL))
            self._terms = terms
        while not self._spares:
            self.replenish()
            self._hear()
        return self._spares.popleft()

    def replenish(self) -> None:
        """Have children made, if few are left, while there is something else to do. Raises SandboxError."""
        if self._terms and len(self._spares) + self._ordered.count(self._terms) * _BATCH < _FEW:
            if self._server:
                send_away(self._server)
            self._send(("open", _BATCH, *self._terms[:-1]))
            self._ordered.append(self._terms)

    def _dismiss_spares(self) -> None:
        while self._spares:
            self._dismiss(self._spares.pop())

    def _dismiss(self, child: Child) -> None:
        child.close()
        os.close(child.output)
        self.bury(child)

    def _ask(self, request: tuple[Any, ...]) -> Any:
        self._send(request)
        while (answer := self._hear()) is None:
            pass
        return answer

    def _hear(self) -> Any:
        """Take one message of the fork server: an answer, or children to keep, and then None."""
        message, descriptors = self._receive()
        kind, answer = marshal.loads(message)  # noqa: S302 - from the fork server
        if kind != "children":
            return answer
        wanted = self._ordered.popleft() == self._terms
        for number, handle, channel, output in zip(answer, *[iter(descriptors)] * 3, strict=True):
            child = Child(number, _pid_of(handle), handle, socket.socket(fileno=channel), output)
            if wanted:
                self._spares.append(child)
            else:
                self._dismiss(child)
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

    def retire(self, child: Child) -> None:
        """The same, but when it costs least: in a few milliseconds, or after the next have been made."""
        with contextlib.suppress(SandboxError):
            self.replenish()
            self._send(("retire", child.number))

    def close(self) -> None:
        """Kill the jail and everything in it. May be called twice."""
        self.dead = True
        self._control.close()
        self._dismiss_spares()
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
            message, descriptors, _, _ = socket.recv_fds(self._control, 4096, 3 * _BATCH)
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
    info = os.open(f"/proc/self/fdinfo/{handle}", os.O_RDONLY)
    text = os.read(info, 4096)
    os.close(info)
    pid = int(text.partition(b"\nPid:")[2].split(maxsplit=1)[0])
    if pid < 0:
        raise SandboxError("the jail's child ended as soon as it was started")
    return pid
