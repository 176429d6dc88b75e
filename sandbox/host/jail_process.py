"""Starts and ends a jail that is a process of our own, talks with any jail over its control channel, and chooses the
core on which its children compute.

Host and player take turns, so one core is enough for both. While the player replies quickly, it runs on the host's
core. On separate cores each message would have to wake the other process, which takes longer than most calls: a game of
Bo would take a tenth longer. A slow player may use any core. Work that nobody is waiting for (forking the next players,
ending the last ones) is kept off the host's core.
"""

import atexit
import ctypes
import marshal
import os
import socket
import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import sleep
from typing import Any, Final, Protocol

from sandbox import signs
from sandbox.api import SandboxError
from sandbox.inside.proc import UNBORN, Clocks, Scheduling, held_up_s
from sandbox.inside.wire import MARSHAL, TICK_S, timeval

_MESSAGE: Final = 1 << 16
_ANSWER_S: Final = 60.0  # an answer usually takes a millisecond; this allows for a machine that swaps
_AGAIN_S: Final = 0.1


class Holder(Protocol):
    """What keeps a jail running: a process of our own, or the runner with a container."""

    control: socket.socket  # to the fork server or the launcher

    def said(self) -> str:
        """Return what the jail printed, for error messages."""

    def release(self) -> None:
        """Stop using the jail, without ending it."""

    def kill(self) -> None:
        """End the jail and everything inside."""


class ControlledJail:
    """A running jail with a control channel. One thread at a time may use it."""

    def __init__(self, holder: Holder) -> None:
        self.holder = holder
        self.dead = False
        self._control = holder.control
        self._control.settimeout(None)
        self._control.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, timeval(TICK_S))
        self._control.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, timeval(_ANSWER_S))
        self._owner = os.getpid()

    @property
    def is_ours(self) -> bool:
        """Whether this process opened the jail itself instead of inheriting it through a fork."""
        return self._owner == os.getpid()

    def close(self) -> None:
        """Kill the jail and everything in it. May be called twice."""
        self.dead = True
        self._control.close()
        if self.is_ours:
            self.holder.kill()
        self.holder.release()

    def failed(self, what: str) -> SandboxError:
        """Mark the jail as dead, and return an error that quotes the jail's output."""
        self.dead = True
        return SandboxError(what + "".join(f": {line}" for line in self.holder.said().split("\n") if line))

    def _send(self, request: Any, descriptors: Sequence[int] = ()) -> None:
        """Send a request. Raises SandboxError."""
        try:
            if descriptors:
                socket.send_fds(self._control, [marshal.dumps(request, MARSHAL)], descriptors)
            else:
                self._control.send(marshal.dumps(request, MARSHAL))
        except OSError as error:
            raise self.failed("the jail has gone") from error

    def _receive(self, most_descriptors: int = 0) -> tuple[Any, list[int]]:
        """Return the next message, with the descriptors that came with it. Raises SandboxError."""
        for _ in range(int(_ANSWER_S / TICK_S)):  # counted here, so a pause of this process is only one tick
            try:
                message, descriptors, _, _ = socket.recv_fds(self._control, _MESSAGE, most_descriptors)
            except BlockingIOError:
                signs.give()
                continue
            except OSError as error:
                raise self.failed("the jail has gone") from error
            if not message:
                raise self.failed("the jail has gone")
            return marshal.loads(message), descriptors  # noqa: S302 - from the fork server or the launcher
        raise self.failed("the jail does not answer")


class JailProcess:
    """A jail that is a process of our own; a `Holder`."""

    def __init__(self, command: Callable[[int], Sequence[str]], niceness: int = 0) -> None:
        """Start the process. `command` builds the command line, given the descriptor of the control socket. `niceness`
        applies to everything in the jail, relative to all other processes on this machine. Raises SandboxError."""
        self._said = open(os.memfd_create("said"), "w+b")  # noqa: SIM115 - closed with the jail
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            start = partial(self._start, command(theirs.fileno()), theirs.fileno())
            self._process = _starter(niceness).submit(start).result()
        if niceness:
            _share_less(self._process.pid, niceness)

    def _start(self, command: Sequence[str], control: int) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(  # noqa: S603
                command,
                pass_fds=(control,),
                stdin=subprocess.DEVNULL,
                stdout=self._said,
                stderr=self._said,
                env={},
                start_new_session=True,
            )
        except OSError as error:
            raise SandboxError(f"the jail cannot be started: {error}") from error

    @property
    def pid(self) -> int:
        """The process number."""
        return self._process.pid

    def said(self) -> str:
        if self._said.closed:
            return ""
        self._said.seek(0)
        return self._said.read(2000).decode(errors="replace")

    def release(self) -> None:
        self._said.close()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


def _share_less(pid: int, niceness: int) -> None:
    """Give the session led by process `pid` a smaller share of the processors than other sessions.

    Where Linux gives each session an equal share (sched(7), "The autogroup feature"), the niceness of a process has no
    effect on other sessions. The shares have a niceness of their own, which an ordinary user can set up to ten times a
    second.
    """
    with suppress(OSError):  # no such shares, or a read-only /proc: niceness alone must suffice
        share = Path(f"/proc/{pid}/autogroup")
        while True:
            try:
                share.write_text(str(niceness))
                return
            except BlockingIOError:
                sleep(_AGAIN_S)


_starters = dict[int, ThreadPoolExecutor]()
atexit.register(_starters.clear)
os.register_at_fork(after_in_child=_starters.clear)  # threads do not survive a fork


def _starter(niceness: int) -> ThreadPoolExecutor:
    """Return the thread that starts the jails of this niceness. A jail dies with the thread that started it, not with
    the process, so this thread lives as long as the process. Everything in a jail inherits the thread's niceness; on
    Linux each thread has its own.

    If two threads make the first call at the same time, both get the same starter; the discarded starter has no thread
    yet.
    """
    made = _starters.get(niceness) or ThreadPoolExecutor(1, "jail-starter", _lower_priority, (niceness,))
    return _starters.setdefault(niceness, made)


def _lower_priority(niceness: int) -> None:
    if niceness:
        os.setpriority(os.PRIO_PROCESS, 0, max(niceness, os.getpriority(os.PRIO_PROCESS, 0)))


ANYWHERE: Final = -1

_core_of_thread = ctypes.PyDLL(None).sched_getcpu


def bring_here(pid: int, core: int) -> int:
    """Move a process, which is on `core` or ANYWHERE, to this thread's core. Returns the new core, or ANYWHERE if the
    move failed."""
    here: int = _core_of_thread()
    return core if here == core else _confine(pid, {here}, here)


def let_go(pid: int) -> int:
    """Let a process run on every core that this thread may use. Returns ANYWHERE."""
    return _confine(pid, os.sched_getaffinity(0), ANYWHERE)


def send_away(pid: int) -> None:
    """Keep a process, and what it forks, off this thread's core if there is another core."""
    cores = os.sched_getaffinity(0)
    _confine(pid, cores - {_core_of_thread()} or cores, ANYWHERE)


def _confine(pid: int, cores: set[int], core: int) -> int:
    with suppress(OSError):
        os.sched_setaffinity(pid, cores)
        return core
    return ANYWHERE


class SchedulingLog:
    """What has been observed of a process so far. Time in which it was prevented from computing counts as queueing,
    even if the kernel has not counted it."""

    def __init__(self) -> None:
        self._clocks: Clocks = (0.0, UNBORN, False)
        self._waited = 0.0
        self._held_up = 0.0

    def look(self, clocks: Clocks, waited: float) -> None:
        """Record the present state of the process. `waited`: the total seconds spent waiting for it."""
        self._held_up = held_up_s(self._held_up, self._clocks, clocks, waited - self._waited)
        self._clocks, self._waited = clocks, waited

    @property
    def scheduling(self) -> Scheduling:
        """The scheduling of the process when last observed."""
        queued, preempted, slept = self._clocks[1]
        return queued + self._held_up, preempted, slept
