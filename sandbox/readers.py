"""Reads what somebody sent in a separate process, a reader. The kernel ends a reader that exceeds its limits on
processor time or memory, and this process ends it after a time limit. Readers handle all input that can take more than
linear time: archives, tables, markup, settings, Python's own parsers, Unicode's normal forms, and comparisons. A
process starts its readers one by one when it needs them, and keeps them until it ends.
"""

import os
import pickle
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from time import process_time
from typing import Any, Final, ParamSpec, TypeVar

from sandbox import signs

CPU_S: Final = 3
WALL_S: Final = 60.0  # far more than needed, so that no file is refused because the machine is busy
TICK_S: Final = 0.1

MEMORY: Final = 512 << 20  # bytes that a reader may use for one call, in addition to its modules
MOST: Final = 2  # readers per process; other threads wait
_COSTLY: Final = (-signal.SIGXCPU, -signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS)
"""The exit statuses of a reader that ended because of what it read. The last three mean a lack of memory or of
stack."""

_inside = False
"""Whether this process is a reader."""

P = ParamSpec("P")
T = TypeVar("T")


class TooCostly(ValueError):
    """The input cannot be read within the limits; this is its author's fault."""

    def __str__(self) -> str:
        return f"It cannot be read within {CPU_S} seconds, or takes more than {MEMORY >> 20} MiB of memory."


class ReaderLost(RuntimeError):
    """A reader ended for an external reason, such as the shutdown of this machine."""


def read(function: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
    """Call a module-level function in a reader, with copies of the arguments, and return its result or raise its
    exception. Raises TooCostly and ReaderLost."""
    if _inside:
        return function(*args, **named)
    order = pickle.dumps((function, args, named))
    with _pool.places:
        returned, found = _pool.answer(order)
    if returned:
        return found  # type: ignore[no-any-return]
    kind, arguments, more = found
    error = kind.__new__(kind, *arguments)  # without __init__, which may take other arguments
    error.__dict__.update(more)
    raise error


def in_reader(refused: Callable[[str], Exception]) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorate a module-level function to run in a reader. If a call is too costly, it raises the error that `refused`
    returns."""

    def decorated(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def reading(*args: P.args, **named: P.kwargs) -> T:
            if _inside:
                return function(*args, **named)
            try:
                return read(reading, *args, **named)
            except TooCostly as error:
                raise refused(str(error)) from None

        return reading

    return decorated


class _Reader:
    """A reader's process, seen from the process that started it."""

    def __init__(self) -> None:
        self._channel, other = Pipe()
        with other:
            command = [sys.executable, "-m", __name__, str(other.fileno())]
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
            self._process = subprocess.Popen(command, pass_fds=[other.fileno()], env=environment)  # noqa: S603

    def call(self, order: bytes) -> tuple[bool, Any]:
        """Carry out an order. Returns True and the function's result, or False and the parts of its exception."""
        try:
            self._channel.send_bytes(order)
            for _ in range(round(WALL_S / TICK_S)):
                signs.give()
                if self._channel.poll(TICK_S):
                    break
            else:
                raise TooCostly
            answer: tuple[bool, Any] = pickle.loads(self._channel.recv_bytes())  # noqa: S301 - sent by our own process
            return answer
        except (EOFError, OSError):
            if (ended := self._process.wait()) in _COSTLY:
                raise TooCostly from None
            raise ReaderLost(f"the process that reads what people sent ended with {ended}") from None

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._channel.close()


class _Pool:
    """The readers of this process."""

    def __init__(self) -> None:
        self.places = threading.BoundedSemaphore(MOST)
        self.idle: list[_Reader] = []

    def answer(self, order: bytes) -> tuple[bool, Any]:
        """Have a reader carry out an order. Returns the same as `_Reader.call`."""
        reader = self.idle.pop() if self.idle else None
        try:
            return self._answer(reader or _Reader(), order)
        except ReaderLost:
            if reader is None:
                raise
            return self._answer(_Reader(), order)  # the former reader may have ended while it was idle

    def _answer(self, reader: _Reader, order: bytes) -> tuple[bool, Any]:
        try:
            answer = reader.call(order)
        except BaseException:
            reader.end()
            raise
        self.idle.append(reader)
        return answer


_pool = _Pool()


def _start_afresh() -> None:
    global _pool
    _pool = _Pool()


os.register_at_fork(after_in_child=_start_afresh)


def _serve_orders(channel: Connection) -> None:
    """Carry out orders until the other side closes the channel."""
    global _inside
    _inside = True
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other side decides when it ends
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(EOFError):
        while True:
            function, args, named = pickle.loads(channel.recv_bytes())  # noqa: S301 - the other side is ours
            _limit()
            try:
                answer = True, function(*args, **named)
            except MemoryError:
                answer = False, (TooCostly, (), {})
            except Exception as error:  # noqa: BLE001 - raised again on the other side
                answer = False, (type(error), error.args, error.__dict__)
            channel.send_bytes(_packed_answer(answer))
            del answer


def _packed_answer(answer: tuple[bool, Any]) -> bytes:
    try:
        return pickle.dumps(answer)
    except MemoryError:
        return pickle.dumps((False, (TooCostly, (), {})))


def _limit() -> None:
    """Set the limits of one call. Memory that the process already uses does not count."""
    with open("/proc/self/statm") as file:
        size = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CPU, (int(process_time()) + 1 + CPU_S, resource.RLIM_INFINITY))


if __name__ == "__main__":
    from sandbox import readers  # the module under the name by which others import it

    readers._serve_orders(Connection(int(sys.argv[1])))
