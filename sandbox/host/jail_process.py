"""Starts a jail that is a process of our own, and ends it."""

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
    """The process that is a jail; a `control.Holder`."""

    def __init__(self, command: Callable[[int], Sequence[str]], niceness: int = 0) -> None:
        """Start it. `command` makes the command line from the number of the control socket's descriptor. `niceness`
        applies to everything in the jail, compared with all else on this machine. Raises SandboxError."""
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


def _give_way(pid: int, niceness: int) -> None:
    """Give the session of processes that this one leads a smaller share of the processors than others.

    Where Linux gives each session an equal share (sched(7), "The autogroup feature"), the niceness of a process has no
    effect on other sessions: the shares have a niceness of their own, which an ordinary user may set ten times a
    second."""
    os.setpriority(os.PRIO_PGRP, pid, max(niceness, os.getpriority(os.PRIO_PROCESS, 0)))
    with suppress(OSError):  # a Linux without such shares, or a read-only /proc: then niceness must do
        share = Path(f"/proc/{pid}/autogroup")
        while True:
            try:
                share.write_text(str(niceness))
                return
            except BlockingIOError:
                sleep(_AGAIN_S)


# A jail dies with the thread that started it, not with the process. So one thread, which lives as long as the process,
# starts them all.
_starters: dict[int, ThreadPoolExecutor] = {}


def _starter() -> ThreadPoolExecutor:
    """The starter of this process; after a fork a new one, since threads are not inherited."""
    if os.getpid() not in _starters:
        _starters.clear()
        _starters[os.getpid()] = ThreadPoolExecutor(1, "jail-starter")
        atexit.register(_starters.clear)
    return _starters[os.getpid()]
