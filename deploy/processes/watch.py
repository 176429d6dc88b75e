"""A process that watches its child, and kills it if it hangs. The child's signs come through a pipe, so the watch does
not depend on what the child does. Waiting is counted in ticks, so that a pause of the machine, or of the watch, counts
as only one tick."""

import logging
import os
import select
import signal
import sys
from collections.abc import Callable
from time import clock_gettime, monotonic
from typing import Final

from deploy.processes.copies import POSSIBLE
from deploy.processes.supervisor import describe, die_with
from sandbox import signs
from sandbox.inside.proc import cpu_clock, queued_s

log = logging.getLogger(__name__)

TICK_S: Final = 1.0
LAST_WORDS_S: Final = 15.0
"""The seconds that a process may go without a sign after it was asked to end."""

PASSED_ON: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

Lost = Callable[[int, bool], None]
"""`lost(pid, hung)` is called after a process has died or was killed. `hung`: whether it was killed because it was
computing and gave no sign."""


def watch(lost: Lost) -> None:
    """Continue in a child of this process; this process then watches the child and ends as the child does. Call this
    before there is any thread or connection."""
    if not POSSIBLE:
        return
    reading, writing = os.pipe()
    signal.pthread_sigmask(signal.SIG_BLOCK, PASSED_ON)  # until the watch can pass them on
    parent, pid = os.getpid(), os.fork()
    if pid:
        os.close(writing)
        sys.exit(_ChildWatch(pid, reading).wait(lost))
    os.close(reading)
    die_with(parent, signal.SIGKILL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, PASSED_ON)
    os.setpgid(0, 0)  # Ctrl-C is for the parent, which passes it on
    signs.tell_by(writing)


class _ChildWatch:
    """Watches a child process by the signs that it sends through a pipe."""

    def __init__(self, pid: int, pipe: int) -> None:
        self._pid, self._pipe = pid, pipe
        self._working = self._ending = False
        self._silent_s = self._was_ready_s = 0.0
        for number in PASSED_ON:
            signal.signal(number, self._pass_on)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, PASSED_ON)

    def wait(self, lost: Lost) -> int:
        """Wait until the process has ended, and return its exit code."""
        heard = select.poll()
        heard.register(self._pipe, select.POLLIN)
        while True:
            began = monotonic()
            heard.poll(TICK_S * 1000)
            self._silent_s += min(monotonic() - began, TICK_S)
            if not self._hear() or self._hangs():
                break
        # It hung if it computed, or queued for a processor, during most of its silence; it was then neither stopped nor
        # waiting for a disk.
        hangs = self._hangs()
        hung = hangs and self._silent_s > signs.PATIENCE_S and self._ready_s() - self._was_ready_s > self._silent_s / 2
        if hangs:
            log.error("the process %d gave no sign for %.0f s, and is killed", self._pid, self._silent_s)
            os.kill(self._pid, signal.SIGKILL)
        code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        if code:
            log.error("the process %d ended %s", self._pid, describe(code))
            lost(self._pid, hung)
        return code if code >= 0 else 128 - code

    def _hear(self) -> bool:
        """Read the signs that the process has sent; returns False once the process has ended."""
        if not select.select([self._pipe], [], [], 0)[0]:
            return True
        told = os.read(self._pipe, 1 << 16)
        self._working = told[-1:] == signs.WORKS
        self._silent_s, self._was_ready_s = 0.0, self._ready_s()
        return bool(told)

    def _hangs(self) -> bool:
        if self._ending and self._silent_s > LAST_WORDS_S:
            return True
        return self._working and self._silent_s > signs.PATIENCE_S

    def _ready_s(self) -> float:
        try:
            return clock_gettime(cpu_clock(self._pid)) + queued_s(self._pid)
        except OSError:  # it has just ended
            return 0.0

    def _pass_on(self, number: int, _: object) -> None:
        self._ending, self._silent_s = True, 0.0
        os.kill(self._pid, number)
