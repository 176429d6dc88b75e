"""Starts processes as copies of this one (`fork`), which share its imports; this saves seconds of processor time and 70
MB for each. This process must have only one thread, and must hold nothing that only one process may use. It therefore
creates the copies before it opens anything, and starts their work later. A copy keeps none of this process's
descriptors. The random numbers of copies differ: Python seeds its generator again in each copy, and numpy's global
generator is not used."""

import asyncio
import ctypes
import gc
import os
import signal
import sys
import traceback
from asyncio import StreamReader, StreamReaderProtocol
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final

POSSIBLE: Final = hasattr(os, "pidfd_open")  # only on Linux
"""Whether copies are possible. On other systems the libraries do not survive a fork, and the end of a copy cannot be
observed."""

_BOUNDS: Final = slice(45, 49)  # in /proc/self/stat after the name: the ends of command and environment


class Copy:
    """A running copy, with the parts of asyncio's `Process` that this program uses."""

    def __init__(self, pid: int, output: int) -> None:
        """`output`: the descriptor from which to read the copy's output."""
        self.pid, self._ended, self._output = pid, os.pidfd_open(pid), output
        self.stdout: StreamReader | None = None
        self.returncode: int | None = None

    async def opened(self) -> "Copy":
        """Connect `stdout` to the copy's output. Returns the copy."""
        self.stdout = reader = StreamReader()
        pipe = os.fdopen(self._output, "rb")
        await asyncio.get_running_loop().connect_read_pipe(lambda: StreamReaderProtocol(reader), pipe)
        return self

    async def wait(self) -> int:
        """Wait until the copy has ended, and return its exit code."""
        if self.returncode is None:
            loop, ended = asyncio.get_running_loop(), asyncio.Event()
            loop.add_reader(self._ended, ended.set)
            try:
                await ended.wait()
            finally:
                loop.remove_reader(self._ended)
            os.close(self._ended)
            self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.returncode

    def terminate(self) -> None:
        """Ask the copy to finish."""
        os.kill(self.pid, signal.SIGTERM)

    def kill(self) -> None:
        """Kill the copy if it is still running, and wait for its end."""
        if self.returncode is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.returncode = -signal.SIGKILL
            os.close(self._ended)


@contextmanager
def waiting(
    run: Callable[[Sequence[str]], object], commands: Mapping[str, Sequence[str]], environment: Mapping[str, str]
) -> Iterator[Callable[[], Mapping[str, Copy]]]:
    """Create a copy for each of the `commands` (by name), in a separate session and with that environment; each copy
    calls `run` with its command. The copies wait until the function that this context yields is called, and are killed
    when the context ends."""
    gc.collect()
    gc.freeze()  # garbage collection in a copy would write to the shared memory
    reading, writing = os.pipe()
    made = {
        name: _fork_copy(partial(run, command), command, environment, (reading, writing))
        for name, command in commands.items()
    }

    def begin() -> Mapping[str, Copy]:
        os.write(writing, bytes(len(made)))
        return made

    try:
        yield begin
    finally:
        os.close(reading)
        os.close(writing)
        for each in made.values():
            each.kill()


def _fork_copy(
    run: Callable[[], object], command: Sequence[str], environment: Mapping[str, str], begin: tuple[int, int]
) -> Copy:
    reading, writing = os.pipe()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()

    def work() -> None:
        os.setsid()  # so that only the parent gets Ctrl-C
        os.close(begin[1])
        if not os.read(begin[0], 1):  # the parent ended without telling it to begin
            return
        _leave_the_parent(writing)
        os.environ.clear()
        os.environ.update(environment)
        show(command, environment)
        run()

    pid = os.fork()
    if pid == 0:
        code = _exit_code(work)
        try:
            sys.stdout.flush()
        finally:
            os._exit(code)  # without the parent's exit handlers
    os.close(writing)
    return Copy(pid, reading)


def _exit_code(work: Callable[[], None]) -> int:
    """Call `work`, and return the exit code with which the interpreter would end."""
    try:
        work()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001  # a copy must never continue with the parent's code
        traceback.print_exc()
        return 1
    return 0


def _leave_the_parent(output: int) -> None:
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for stream in (1, 2):
        os.dup2(output, stream)
    for descriptor in map(int, os.listdir("/proc/self/fd")):
        if descriptor > 2:
            with suppress(OSError):  # the descriptor of the listing itself
                os.close(descriptor)
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = os.fdopen(1, "w", buffering=1, closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace", closefd=False)


def show(command: Sequence[str], environment: Mapping[str, str]) -> None:
    """Make `ps` and /proc show that command and environment for this process, as far as there is room. Call this only
    after `os.environ` has been filled again, since its original strings are overwritten."""
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    bounds = iter(map(int, fields[_BOUNDS]))
    for words in (command, [f"{name}={value}" for name, value in environment.items()]):
        begin, end = next(bounds), next(bounds)
        room = end - begin
        ctypes.memmove(begin, os.fsencode("\0".join(words))[: room - 1].ljust(room, b"\0"), room)
