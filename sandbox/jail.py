"""The host's end of one jail: the process that holds the fork server, and the requests to it."""

import atexit
import contextlib
import marshal
import os
import socket
import subprocess
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sandbox.api import SandboxError
from sandbox.wire import MARSHAL

LAYERS: Final = frozenset({"namespaces", "network", "landlock", "seccomp", "rlimits"})
"""What a jail is made of, as far as it can be left out: a child's own namespaces, the jail's empty network, and what a
child does to itself."""
_SPARES: Final = 4  # children that wait for a player: one table's
_ANSWER_S: Final = 10.0  # the fork server answers within a millisecond; this is for a machine that swaps


@dataclass(frozen=True, slots=True)
class Child:
    """A player's process: its number inside the jail, on the host, a descriptor of it, and the channel to it."""

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

    def __init__(self, command: Callable[[int], Sequence[str]], settings: dict[str, Any]) -> None:
        """Start it. `command` makes the command line from the number of the control socket's descriptor.

        Raises SandboxError, with what the command said, if it does not start."""
        self._said = open(os.memfd_create("said"), "w+b")  # noqa: SIM115 - closed with the jail
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(_ANSWER_S)
        self.dead = False
        self._owner = os.getpid()
        self._spares: deque[Child] = deque()
        self._ordered = 0  # children asked for and not yet heard of
        with theirs:
            self._process = _starter().submit(self._start, command(theirs.fileno()), theirs.fileno()).result()
        try:
            self._control.send(marshal.dumps(settings, MARSHAL))
            hello = marshal.loads(self._receive()[0])  # noqa: S302 - from the fork server
        except SandboxError:
            self.close()
            raise
        self.nested: bool = hello["nested"]  # children have namespaces of their own
        self.landlock: int = hello["landlock"]  # the kernel's version, 0: none

    def _start(self, command: Sequence[str], control: int) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(  # noqa: S603
                command,
                pass_fds=(control,),
                stdin=subprocess.DEVNULL,
                stdout=self._said,
                stderr=self._said,
                env={},
            )
        except OSError as error:
            raise SandboxError(f"the jail cannot be started: {error}") from error

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

    def _hear(self) -> int | None:
        """Take one answer of the fork server: a status, or a child to keep."""
        message, descriptors = self._receive()
        kind, number = marshal.loads(message)  # noqa: S302 - from the fork server
        if kind == "status":
            return int(number)
        self._ordered -= 1
        handle, channel = descriptors
        self._spares.append(Child(number, _pid_of(handle), handle, socket.socket(fileno=channel)))
        return None

    def reap(self, child: Child) -> int:
        """How a child that is dead ended: its exit status, or minus the number of the signal. Raises SandboxError."""
        self._send(("reap", child.number))
        while (status := self._hear()) is None:
            pass
        return os.waitstatus_to_exitcode(status)

    def bury(self, child: Child) -> None:
        """Have a child that has been killed collected, without waiting for it."""
        with contextlib.suppress(SandboxError):  # a dead jail has taken it along
            self._send(("bury", child.number))

    def close(self) -> None:
        """Kill the jail and everything in it. May be called twice."""
        self.dead = True
        self._control.close()
        self._said.close()
        while self._spares:
            self._spares.pop().close()
        if self._owner == os.getpid():  # a process that inherited it by a fork must not end it
            self._process.kill()
            self._process.wait()

    def _send(self, request: tuple[Any, ...]) -> None:
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
        with contextlib.suppress(ValueError):  # closed already
            self._said.seek(0)
            what += "".join(f": {line}" for line in self._said.read(2000).decode(errors="replace").split("\n") if line)
        return SandboxError(what)


def _pid_of(handle: int) -> int:
    """The process number, in our own process namespace, behind a process descriptor."""
    for line in Path(f"/proc/self/fdinfo/{handle}").read_text().splitlines():
        if line.startswith("Pid:") and (pid := int(line.split()[1])) > 0:
            return pid
    raise SandboxError("the jail's child ended as soon as it was started")


# A jail asks to die with the thread that started it, not with the process; so one thread, which lives as long as the
# process does, starts them all.
_starters: dict[int, ThreadPoolExecutor] = {}


def _starter() -> ThreadPoolExecutor:
    """The starter of this process; after a fork a new one, for threads are not inherited."""
    if os.getpid() not in _starters:
        _starters.clear()
        _starters[os.getpid()] = ThreadPoolExecutor(1, "jail-starter")
        atexit.register(_starters.clear)
    return _starters[os.getpid()]
