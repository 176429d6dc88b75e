"""One command as the host sees it: watches its clocks and its memory, and ends it.

The time spent waiting for the command is counted in ticks, as for players (`host/player_process.py`). A tick counts
with its intended length, however late this process wakes up. After each tick the launcher must answer, and the wait for
that answer does not count. So pauses of this process or of the jail are never charged. Nor is the time that the command
queues for a processor.
"""

import marshal
import os
import select
import signal
import socket
import time
from contextlib import ExitStack, suppress
from typing import Any, Final

from sandbox import signs
from sandbox.api import SandboxError
from sandbox.host.jail_process import SchedulingLog
from sandbox.host.programs.filters import call_name
from sandbox.host.programs.launcher import LauncherJail
from sandbox.host.programs.streams import Streams
from sandbox.inside.proc import GIVE_UP, UNBORN, compelled_s
from sandbox.inside.programs.launcher import MAY_READ, READS
from sandbox.inside.programs.scratch import LENGTH, NOT_THERE
from sandbox.inside.wire import BROKEN, MARSHAL, TICK_S
from sandbox.programs import Command, Ended, Stop

_FIRST_TICK_S: Final = 0.002
_SLOWER: Final = 1.3  # each tick is longer than the one before by this factor
_IDLE_S: Final = 0.02  # a command that has done nothing for this long is waiting for input
_MESSAGE: Final = 1 << 12
_END_S: Final = 60.0  # usually some milliseconds; this allows for a machine that swaps
_KILL: Final = b"K"
_OUT_OF_MEMORY: Final = (b"std::bad_alloc", b"MemoryError")


def run(launcher: LauncherJail, command: Command, orders: dict[str, Any]) -> Ended:
    """Run a command to its end. Raises SandboxError."""
    if launcher.group:
        # Files are in memory twice: in the order, and in the scratch folder
        files = sum(map(len, command.files.values()))
        try:
            launcher.group.allow(command.limits.memory + 2 * files)
            launcher.group.exceeded()
        except OSError as error:
            raise SandboxError(f"the memory of a jail cannot be limited: {error}") from error
    with ExitStack() as stack:
        streams = Streams(command)
        stack.callback(streams.finish)
        order, kept = (os.memfd_create(name, os.MFD_CLOEXEC) for name in ("order", "kept"))
        stack.callback(os.close, order)
        stack.callback(os.close, kept)
        channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        stack.enter_context(channel)
        with theirs, open(order, "wb", closefd=False) as file:
            file.write(marshal.dumps(orders, MARSHAL))
            file.flush()
            launcher.run([order, *streams.theirs, kept, theirs.fileno()])
        streams.hand_over()
        watch = _Watch(launcher, command, streams, channel)
        ending = watch.wait()
        launcher.reap()
        streams.finish()
        return watch.ended(ending, _kept_files(kept, command))


class _Watch:
    """Watches a command from its start to its end."""

    def __init__(self, launcher: LauncherJail, command: Command, streams: Streams, channel: socket.socket) -> None:
        self._launcher = launcher
        self._limits = command.limits
        self._streams = streams
        self._channel = channel
        self._stop: Stop | None = None
        self._waited = 0.0  # counted in ticks
        self._tick = _FIRST_TICK_S
        self._looked = 0.0  # the time waited until the last look
        self._log = SchedulingLog()
        self._cpu_s = self._idle_s = 0.0
        self._memory = 0
        self._wanted_input = False
        self._started = time.monotonic()

    def wait(self) -> tuple[Any, ...]:
        """Wait for the end of the command, and return what the keeper says about it. Raises SandboxError."""
        poll = select.poll()
        poll.register(self._channel, select.POLLIN)
        self._streams.watch(poll)
        killed_at = 0.0
        while True:
            started = time.monotonic()
            heard = [file for file, _ in poll.poll(self._tick * 1000)]
            self._waited += min(time.monotonic() - started, self._tick)
            signs.give()
            if self._channel.fileno() in heard:
                return self._told()
            for file in heard:
                self._streams.serve(poll, file)
            if self._streams.overflowed:
                self._end(Stop.OUTPUT)
            if self._stop is None and self._waited - self._looked >= self._tick * 0.9:
                self._look()
                self._streams.watch(poll)
                killed_at = self._waited
            elif self._stop and self._waited - killed_at > _END_S:
                raise self._launcher.failed("a command that was killed does not end")

    def _told(self) -> tuple[Any, ...]:
        try:
            said = self._channel.recv(_MESSAGE)
        except ConnectionResetError:  # the command ended before it read what we sent; its last message comes next
            said = self._channel.recv(_MESSAGE)
        if not said or said.startswith(BROKEN):
            self._launcher.dead = True
            why = said[1:].decode(errors="replace") or "its keeper was killed"
            raise SandboxError(f"a command could not be run: {why}")
        ending: tuple[Any, ...] = marshal.loads(said)  # noqa: S302 - from the keeper
        return ending

    def _end(self, why: Stop) -> None:
        if self._stop is None:
            self._stop = why
            with suppress(OSError):  # the command has just ended
                self._channel.send(_KILL)

    def _look(self) -> None:
        limits = self._limits
        clocks, resident, threads, reading = self._launcher.used()
        cpu_s = clocks[0]
        idle = reading == MAY_READ and cpu_s == self._cpu_s
        self._idle_s = self._idle_s + self._waited - self._looked if idle else 0.0
        self._log.look(clocks, self._waited)
        self._looked = self._waited
        self._cpu_s, self._memory = cpu_s, max(self._memory, resident)
        self._wanted_input = reading == READS
        wall = limits.wall_s - self._waited + compelled_s(UNBORN, self._log.scheduling, 0)
        if self._waited > limits.wall_s * GIVE_UP:
            self._end(Stop.WALL)
            raise SandboxError("this machine is too busy to run a program")
        if cpu_s > limits.cpu_s:
            self._end(Stop.CPU)
        elif threads > limits.processes:
            self._end(Stop.PROCESSES)
        elif resident > limits.memory:
            self._end(Stop.MEMORY)
        elif wall <= 0:
            self._end(Stop.WALL)
        elif (self._wanted_input or self._idle_s >= _IDLE_S) and self._streams.drained:
            self._streams.feed_more(self._wanted_input)
            self._tick = _FIRST_TICK_S
            self._idle_s = 0.0
            return
        least = min(limits.cpu_s - cpu_s, wall)
        self._tick = max(_FIRST_TICK_S, min(self._tick * _SLOWER, TICK_S, least))

    def ended(self, ending: tuple[Any, ...], kept: dict[str, bytes]) -> Ended:
        """Return how the command ended, according to its keeper."""
        status, blocked, cpu_s, memory, failed = ending
        code = os.waitstatus_to_exitcode(status)
        stdout, stderr = self._streams.printed()
        if failed:
            code = 127 if failed == 2 else 126
            stderr = f"the program cannot be started: {os.strerror(failed)}\n".encode()
        if blocked >= 0:
            code = -signal.SIGSYS  # the same code as if the kernel had killed it
            stderr += f"\nkilled at the forbidden system call {call_name(blocked)}\n".encode()
        memory = max(memory, self._memory)
        stop = self._why(code, cpu_s, memory, stderr)
        return Ended(
            stop=stop,
            code=abs(code),
            stdout=stdout,
            stderr=stderr,
            kept=kept,
            cpu_s=cpu_s,
            wall_s=min(self._waited, time.monotonic() - self._started),
            memory=memory,
            starved=self._streams.starved,
            waited=stop is Stop.WALL and self._wanted_input,
            transcript=tuple(self._streams.transcript),
        )

    def _why(self, code: int, cpu_s: float, memory: int, stderr: bytes) -> Stop:
        limits = self._limits
        if code == -signal.SIGSYS:
            return Stop.BLOCKED
        if self._streams.overflowed:
            return Stop.OUTPUT
        if self._stop is not None and code == -signal.SIGKILL:
            return self._stop
        if cpu_s > limits.cpu_s:
            return Stop.CPU
        if code and self._launcher.group and self._launcher.group.exceeded():
            return Stop.MEMORY
        crashed = code < 0 or (code > 0 and stderr.rstrip().endswith(b"MemoryError"))
        refused = crashed and any(sign in stderr[-500:] for sign in _OUT_OF_MEMORY)
        if refused or memory > limits.memory:  # even if it exceeded the limit only between two looks
            return Stop.MEMORY
        return Stop.SIGNALLED if code < 0 else Stop.EXITED


def _kept_files(file: int, command: Command) -> dict[str, bytes]:
    kept, place = {}, 0
    for name in command.kept:
        (length,) = LENGTH.unpack(os.pread(file, LENGTH.size, place))
        place += LENGTH.size
        if length != NOT_THERE:
            kept[name] = os.pread(file, length, place)
            place += length
    return kept
