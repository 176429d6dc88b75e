"""Starts processes as copies of this one (`fork`), which share its imports: seconds of a processor and 70 MB each. This
process must have one thread and nothing that only one process may use. So it makes the copies before it opens anything,
and lets them begin later. A copy keeps none of its descriptors. Their random numbers differ: Python seeds its generator
again in a copy, and nothing uses numpy's global one."""

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

POSSIBLE: Final = hasattr(os, "pidfd_open")  # on Linux
"""Elsewhere the libraries of the system do not survive it, and nothing tells when a copy ends."""

_BOUNDS: Final = slice(45, 49)  # in /proc/self/stat after the name: where command and environment begin and end


class Copy:
    """A copy that runs, with what is used of asyncio's `Process`."""

    def __init__(self, pid: int, output: int) -> None:
        """`output`: the descriptor to read its output from."""
        self.pid, self._ended, self._output = pid, os.pidfd_open(pid), output
        self.stdout: StreamReader | None = None
        self.returncode: int | None = None

    async def opened(self) -> "Copy":
        """This copy, with its output at `stdout`."""
        self.stdout = reader = StreamReader()
        pipe = os.fdopen(self._output, "rb")
        await asyncio.get_running_loop().connect_read_pipe(lambda: StreamReaderProtocol(reader), pipe)
        return self

    async def wait(self) -> int:
        """Its exit code, once it has ended."""
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
        """Ask it to finish."""
        os.kill(self.pid, signal.SIGTERM)

    def kill(self) -> None:
        """End it if it still runs, and wait for that."""
        if self.returncode is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.returncode = -signal.SIGKILL
            os.close(self._ended)


@contextmanager
def waiting(
    run: Callable[[Sequence[str]], object], commands: Mapping[str, Sequence[str]], environment: Mapping[str, str]
) -> Iterator[Callable[[], Mapping[str, Copy]]]:
    """Make copies, each in a session of its own with that environment, which call `run` with the command. They wait
    until the function that this yields is called, and are killed with the context. `commands`: by name."""
    gc.collect()
    gc.freeze()  # a search for cycles in a copy would write to the memory that they share
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
        os.setsid()  # Ctrl-C is for the parent
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
            os._exit(code)  # without what the parent does at its end
    os.close(writing)
    return Copy(pid, reading)


def _exit_code(work: Callable[[], None]) -> int:
    """Call it, and return the exit code that the interpreter would end with."""
    try:
        work()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001  # nothing may go on to what the parent does after the copy
        traceback.print_exc()
        return 1
    return 0


def _leave_the_parent(output: int) -> None:
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for stream in (1, 2):
        os.dup2(output, stream)
    for descriptor in map(int, os.listdir("/proc/self/fd")):
        if descriptor > 2:
            with suppress(OSError):  # the one that listed them
                os.close(descriptor)
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = os.fdopen(1, "w", buffering=1, closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace", closefd=False)


def show(command: Sequence[str], environment: Mapping[str, str]) -> None:
    """Let `ps` and /proc show that command and environment as this process's, as far as there is room. `os.environ`
    must have been filled again, since its first strings are overwritten."""
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    bounds = iter(map(int, fields[_BOUNDS]))
    for words in (command, [f"{name}={value}" for name, value in environment.items()]):
        begin, end = next(bounds), next(bounds)
        room = end - begin
        ctypes.memmove(begin, os.fsencode("\0".join(words))[: room - 1].ljust(room, b"\0"), room)
