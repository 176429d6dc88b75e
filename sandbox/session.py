"""One player's process as the host sees it: calls, replies, limits, and how it ended."""

import contextlib
import fcntl
import os
import select
import signal
import socket
import struct
import time
from collections.abc import Callable, Sequence
from marshal import dumps
from time import clock_gettime
from typing import Any, Final, NoReturn

from sandbox import faults
from sandbox.api import Answer, Fault, Limits, Log, Reply, SandboxError, Value, Verdict
from sandbox.clock import GIVE_UP, cpu_clock, queued_s
from sandbox.codec import Malformed, decode
from sandbox.jail import Child, Jail
from sandbox.wire import (
    CODE,
    COMPILED,
    FAULT,
    LOCKED,
    MARSHAL,
    NONCE,
    QUESTION,
    READY,
    VALUE,
    send_long,
)

_TICK_S: Final = 0.05  # a reply that takes longer is waited for with the exact limits
_SHORTEST_WAIT_S: Final = 0.002
_DEATH_S: Final = 5.0
_HEAD: Final = 1 + NONCE
_UNWRITTEN: Final = bytes(64)
_QUESTIONS: Final = 10_000  # during one call
_SEALS: Final = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW


class _Ended(Exception):
    """The player ended with a fault."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class JailedSession:
    """A `Session` with a child of a jail's fork server."""

    def __init__(self, jail: Jail, program: faults.Program, limits: Limits, payload: int, seed: int) -> None:
        """Start the child; `load` must follow. `payload` is the descriptor of the program for the guest."""
        self._jail = jail
        self._program = program
        self._limits = limits
        self._fault: Fault | None = None
        self._logs: dict[int, tuple[Log, int, int, Any]] = {}  # by identity: log, its number, items sent and the last
        self._nonce = os.urandom(NONCE)
        self._phase = "Loading your file"
        self._used = 0.0  # CPU time charged so far
        self._mark = 0.0  # the child's CPU clock when it was last charged
        self._cap = _HEAD + max(limits.reply, CODE)
        self._channel, theirs = _channel(limits)
        self._output = os.memfd_create("output", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
        self._closed = False
        try:
            os.ftruncate(self._output, limits.output)
            fcntl.fcntl(self._output, fcntl.F_ADD_SEALS, _SEALS)
            self._channel.send(dumps((self._nonce, seed), MARSHAL))  # the fork server is told no secret
            self._child = jail.open((theirs.fileno(), self._output, payload))
        except BaseException:
            self._channel.close()
            os.close(self._output)
            raise
        finally:
            theirs.close()
        self._clock = cpu_clock(self._child.pid)

    # Loading

    def load(self, keep: Callable[[bytes], None]) -> Fault | None:
        """Wait until the player is loaded, or answer the fault with which it failed. `keep` is given the compiled code,
        which only the guest may ever interpret. Raises SandboxError if the jail failed."""
        limit = self._limits.load_s
        try:
            self._await_lock()
            frame = self._receive(limit)
            if frame[:1] == COMPILED and frame[1:_HEAD] == self._nonce:
                keep(frame[_HEAD:])
                frame = self._receive(limit)
            self._charge(limit)
            self._cap = _HEAD + self._limits.reply
            if frame == READY + self._nonce:
                return None
            self._refuse(frame)
        except _Ended as ended:
            return self._end(ended.fault)

    def _await_lock(self) -> None:
        """Until the child is locked down, whatever happens is our own failure."""
        frame = self._wait(_DEATH_S, _DEATH_S)
        if frame != LOCKED:
            self._kill()
            raise SandboxError(f"a player's process could not be locked down: {frame[:500].decode(errors='replace')}")
        self._mark = self._cpu()

    # Calls

    def begin(self, function: str, args: Sequence[Any]) -> None:
        """See `api.Session`."""
        if self._fault:
            return
        self._nonce = os.urandom(NONCE)
        self._phase = function
        values: list[Any] = [*args]
        logs = [self._added(place, values) for place, value in enumerate(values) if type(value) is Log]
        self._send(dumps((self._nonce, function, values, logs), MARSHAL))

    def _added(self, place: int, values: list[Any]) -> tuple[int, int, int, list[Any]]:
        """Which log stands at this place, how many of its items the guest knows, and the others."""
        log: Log = values[place]
        values[place] = None
        _, number, sent, last = self._logs.get(id(log), (log, len(self._logs), 0, None))
        kept = log.still(sent, last)
        self._logs[id(log)] = (log, number, len(log.items), log.items[-1] if log.items else None)
        return place, number, kept, log.items[kept:]

    def _send(self, frame: bytes) -> None:
        with contextlib.suppress(OSError):  # a player that is dead, or reads no more, is found out by `finish`
            send_long(self._channel, frame)

    def finish(self, answer: Answer | None = None) -> Reply:
        """See `api.Session`."""
        if self._fault:
            return self._fault
        limit = self._limits.call_s
        try:
            frame = self._receive(limit)
            if frame[:1] == QUESTION and answer:
                frame = self._answer(frame, answer, limit)
            spent = self._charge(limit)
            if frame[:_HEAD] != VALUE + self._nonce:
                self._refuse(frame)
            return Value(decode(frame[_HEAD:]), spent)
        except Malformed as error:
            return self._end(faults.malformed(str(error)))
        except _Ended as ended:
            return self._end(ended.fault)

    def _answer(self, frame: bytes, answer: Answer, limit: float) -> bytes:
        """Answer questions until something else comes. What `answer` raises ends the session."""
        for _ in range(_QUESTIONS):
            if frame[:_HEAD] != QUESTION + self._nonce:
                return frame
            match decode(frame[_HEAD:]):
                case [str(name), *args]:
                    self._nonce = os.urandom(NONCE)
                    try:
                        reply = answer(name, args)
                    except BaseException:
                        self._end(Fault(Verdict.ILLEGAL, f"{self._phase} asked something that was refused."))
                        raise
                    self._send(dumps((self._nonce, reply), MARSHAL))
                case _:
                    raise Malformed("a question that is not in the sandbox's format")
            frame = self._receive(limit)
        raise _Ended(Fault(Verdict.MALFORMED, f"{self._phase} asked more than {_QUESTIONS:,} questions in one call."))

    def _refuse(self, frame: bytes) -> NoReturn:
        """The player reports a fault of its own, or sent rubbish."""
        if frame[:_HEAD] != FAULT + self._nonce:
            raise _Ended(faults.malformed("something that was not asked for, beside its reply"))
        try:
            fault = faults.from_report(frame[_HEAD:], self._program, self._limits)
        except Malformed as error:
            fault = faults.malformed(str(error))
        raise _Ended(fault)

    # Waiting and limits

    def _receive(self, limit: float) -> bytes:
        try:
            frame = self._channel.recv(self._cap + 1)
        except BlockingIOError:
            frame = self._wait(limit, limit * self._limits.wall_factor)
        except OSError:
            frame = b""
        if not frame:
            raise _Ended(self._autopsy())
        if len(frame) > self._cap:
            raise Malformed(f"more than {self._cap:,} bytes at once")
        return frame

    def _wait(self, limit: float, wall: float) -> bytes:
        """Wait for a frame until the CPU limit or the wall-clock guard is reached."""
        poll = select.poll()
        poll.register(self._channel, select.POLLIN)
        start, queued = time.monotonic(), queued_s(self._child.pid)
        while True:
            used = self._cpu() - self._mark
            elapsed = time.monotonic() - start
            left = min(limit - used, self._limits.game_s - self._used - used)
            patience = wall - elapsed + queued_s(self._child.pid) - queued
            if left <= 0 or patience <= 0:
                raise _Ended(self._timed_out(limit, used, slept=left > 0))
            if elapsed > wall * GIVE_UP:
                raise SandboxError("this machine is too busy to let a player compute")
            if poll.poll(max(_SHORTEST_WAIT_S, min(left, patience)) * 1000):
                try:
                    return self._channel.recv(self._cap + 1)
                except OSError:
                    return b""

    def _timed_out(self, limit: float, used: float, slept: bool) -> Fault:
        if slept:
            return faults.out_of_patience(self._phase, limit * self._limits.wall_factor, used)
        if self._used + used >= self._limits.game_s:
            return faults.out_of_time(faults.WHOLE_GAME, self._limits.game_s, used)
        return faults.out_of_time(self._phase, limit, used)

    def _charge(self, limit: float) -> float:
        """Charge the CPU time since the last charge. Raises _Ended when it is too much."""
        now = self._cpu()
        spent = now - self._mark
        self._mark = now
        if spent > limit or self._used + spent > self._limits.game_s:
            raise _Ended(self._timed_out(limit, spent, slept=False))
        self._used += spent
        return spent

    def _cpu(self) -> float:
        try:
            return clock_gettime(self._clock)
        except OSError as error:
            raise SandboxError("the clock of a player's process cannot be read: was its jail killed?") from error

    # The end

    def _autopsy(self) -> Fault:
        """The channel is closed: find out how the process ended."""
        if not self._gone(_DEATH_S / 10):
            self._kill()
            return Fault(Verdict.EXIT, f"{self._phase} closed the connection to the game.")
        used = self._cpu() if not self._jail.dead else 0.0
        status = self._jail.reap(self._child)
        self._release()
        if status == -signal.SIGKILL:
            if used >= self._limits.game_s:
                return self._timed_out(self._limits.game_s, used, slept=False)
            raise SandboxError("a player's process was killed by something outside the sandbox")
        if b"MemoryError" in self._printed()[-2000:]:
            return faults.out_of_memory(self._limits)
        return faults.died(status, self._phase)

    def _end(self, fault: Fault) -> Fault:
        self._fault = fault
        self._kill()
        return fault

    def _kill(self) -> None:
        """Kill the process and let the fork server collect it."""
        if self._child.handle >= 0:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._child.handle, signal.SIGKILL)
            self._jail.bury(self._child)
            self._release()

    def _release(self) -> None:
        os.close(self._child.handle)
        self._child = Child(self._child.number, self._child.pid, -1)
        self._channel.close()

    def _gone(self, patience: float) -> bool:
        poll = select.poll()
        poll.register(self._child.handle, select.POLLIN)
        return bool(poll.poll(patience * 1000))

    def _printed(self) -> bytes:
        data = os.pread(self._output, self._limits.output, 0)
        end = data.find(_UNWRITTEN)  # `rstrip` alone takes longer than a call
        return (data if end < 0 else data[:end]).rstrip(b"\0")

    def output(self) -> tuple[str, bool]:
        """See `api.Session`."""
        if self._closed:
            return "", False
        data = self._printed()
        return data.decode("utf-8", "replace"), len(data) >= self._limits.output

    def close(self) -> None:
        """See `api.Session`."""
        if not self._closed:
            self._closed = True
            self._fault = self._fault or Fault(Verdict.EXIT, "The player has been dismissed.")
            self._kill()
            os.close(self._output)


def _channel(limits: Limits) -> tuple[socket.socket, socket.socket]:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    # Kernel time-outs instead of Python's: those would cost another system call each time.
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _timeval(_TICK_S))
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _timeval(limits.call_s))
    return ours, theirs


def _timeval(seconds: float) -> bytes:
    return struct.pack("@ll", int(seconds), int(seconds % 1 * 1e6))
