"""The host's end of one jail: the process that holds the fork server, and the requests to it."""

import atexit
import contextlib
import marshal
import os
import socket
import subprocess
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
_ANSWER_S: Final = 10.0  # the fork server answers within a millisecond; this is for a machine that swaps


@dataclass(frozen=True, slots=True)
class Child:
    """A player's process: its number inside the jail, on the host, and a descriptor of it."""

    number: int
    pid: int
    handle: int


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
        with theirs:
            self._process = _starter().submit(self._start, command(theirs.fileno()), theirs.fileno()).result()
        try:
            self._control.send(marshal.dumps(settings, MARSHAL))
            hello = self._receive()
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

    def open(self, descriptors: Sequence[int]) -> Child:
        """A new child. Raises SandboxError."""
        if self._owner != os.getpid():
            raise SandboxError("this jail was opened by another process; after a fork, open one of your own")
        self._send(("open",), descriptors)
        message, handles = self._receive_handles()
        if len(handles) != 1:
            raise self._failed("the fork server started nothing")
        try:
            return Child(marshal.loads(message), _pid_of(handles[0]), handles[0])  # noqa: S302 - from the fork server
        except SandboxError:
            os.close(handles[0])
            raise

    def reap(self, child: Child) -> int:
        """How a child that is dead ended: its exit status, or minus the number of the signal. Raises SandboxError."""
        self._send(("reap", child.number))
        return os.waitstatus_to_exitcode(self._receive())

    def bury(self, child: Child) -> None:
        """Have a child that has been killed collected, without waiting for it."""
        with contextlib.suppress(SandboxError):  # a dead jail has taken it along
            self._send(("bury", child.number))

    def close(self) -> None:
        """Kill the jail and everything in it. May be called twice."""
        self.dead = True
        self._control.close()
        self._said.close()
        if self._owner == os.getpid():  # a process that inherited it by a fork must not end it
            self._process.kill()
            self._process.wait()

    def _send(self, request: tuple[Any, ...], descriptors: Sequence[int] = ()) -> None:
        try:
            socket.send_fds(self._control, [marshal.dumps(request, MARSHAL)], descriptors)
        except OSError as error:
            raise self._failed("the jail has gone") from error

    def _receive(self) -> Any:
        return marshal.loads(self._receive_handles()[0])  # noqa: S302 - from the fork server

    def _receive_handles(self) -> tuple[bytes, list[int]]:
        try:
            message, handles, _, _ = socket.recv_fds(self._control, 4096, 1)
        except OSError as error:
            raise self._failed("the jail does not answer") from error
        if not message:
            raise self._failed("the jail has gone")
        return message, handles

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
