"""Starts a jail that is a process of our own."""

import atexit
import os
import socket
import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from time import sleep
from typing import Final

from sandbox.api import SandboxError

_AGAIN_S: Final = 0.1


class JailProcess:
    """The process that is a jail, and what it has to say."""

    def __init__(self, command: Callable[[int], Sequence[str]], niceness: int = 0) -> None:
        """Start it. `command` makes the command line from the number of the control socket's descriptor. `niceness`: of
        all that runs in it, beside whatever else runs on this machine.

        Raises SandboxError."""
        self._said = open(os.memfd_create("said"), "w+b")  # noqa: SIM115 - closed with the jail
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = _starter().submit(self._start, command(theirs.fileno()), theirs.fileno()).result()
        if niceness:
            _give_way(self._process.pid, niceness)

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
        """Its number."""
        return self._process.pid

    def said(self) -> str:
        """What the command printed, for messages."""
        if self._said.closed:
            return ""
        self._said.seek(0)
        return self._said.read(2000).decode(errors="replace")

    def release(self) -> None:
        """Forget it, without ending it."""
        self._said.close()

    def kill(self) -> None:
        """End it, and with it everything inside."""
        self._process.kill()
        self._process.wait()


def _give_way(pid: int, niceness: int) -> None:
    """Let a session of processes, whose first that is, have a smaller share of the processors than others.

    The niceness of a process says nothing where Linux gives each session an equal share (sched(7), "The autogroup
    feature"): those shares have a niceness of their own, which an ordinary user may set ten times a second."""
    os.setpriority(os.PRIO_PGRP, pid, max(niceness, os.getpriority(os.PRIO_PROCESS, 0)))
    with suppress(OSError):  # a Linux without such shares, or a read-only /proc: then niceness must do
        share = Path(f"/proc/{pid}/autogroup")
        while True:
            try:
                share.write_text(str(niceness))
                return
            except BlockingIOError:
                sleep(_AGAIN_S)


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
