"""Keeps a few programs running until told to stop: restarts those that end, and leaves no process behind."""

import asyncio
import ctypes
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from time import monotonic
from types import MappingProxyType
from typing import Final, TypeAlias

from deploy.processes.copies import Copy

FIRST_DELAY_S = 0.5
LONGEST_DELAY_S = 30.0
STEADY_S = 30.0  # a program that ran this long restarts after the first delay
GRACE_S = 8.0
LAST_WORDS_S = 1.0  # time for reading the last lines of a program that has ended
PARENT = "QUADRILLE_SUPERVISOR"
PR_SET_PDEATHSIG = 1
NOTHING: Final[Mapping[str, Copy]] = MappingProxyType({})

Write: TypeAlias = Callable[[str, str], None]
"""`write(name, line)`: writes a line to the log."""


async def supervise(
    programs: Mapping[str, Sequence[str]],
    environment: Mapping[str, str],
    write: Write,
    grace_s: float = GRACE_S,
    running: Mapping[str, Copy] = NOTHING,
) -> None:
    """Run the programs (commands by name) until this task is cancelled; then end them all and return. A program gets
    `grace_s` seconds between SIGTERM and SIGKILL. `running`: copies of this process that already do the work of
    programs, by the programs' names; when a copy ends, its program takes its place."""
    environment = {**environment, PARENT: str(os.getpid())}

    async def keep(name: str, command: Sequence[str]) -> None:
        delay = FIRST_DELAY_S
        process = await (running[name].opened() if name in running else start(command, environment))
        while True:
            started = monotonic()
            code = await _run_until_ended(process, name, write, grace_s)
            delay = FIRST_DELAY_S if monotonic() - started > STEADY_S else delay
            write(name, f"ended {describe(code)}; starts again in {delay:g} s")
            await asyncio.sleep(delay)
            delay = min(delay * 2, LONGEST_DELAY_S)
            process = await start(command, environment)

    with suppress(asyncio.CancelledError):
        async with asyncio.TaskGroup() as group:
            for name, command in programs.items():
                group.create_task(keep(name, command))


async def start(command: Sequence[str], environment: Mapping[str, str]) -> Process:
    """Start a program from the files now on the disk, which an upgrade may have replaced."""
    return await asyncio.create_subprocess_exec(
        *command, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT, env=environment, start_new_session=True
    )


async def _run_until_ended(process: Process | Copy, name: str, write: Write, grace_s: float) -> int:
    """Wait until the process has ended, and return its exit code. If cancelled, end the process first."""
    lines = asyncio.create_task(_copy_lines(process, name, write))
    try:
        return await process.wait()
    finally:
        await _end_group(process, grace_s)
        with suppress(TimeoutError):  # somebody else may hold the other end of the pipe
            await asyncio.wait_for(lines, LAST_WORDS_S)


async def _copy_lines(process: Process | Copy, name: str, write: Write) -> None:
    assert process.stdout is not None  # noqa: S101  # asked for above
    while line := await process.stdout.readline():
        if text := line.decode(errors="replace").rstrip():
            write(name, text)


async def _end_group(process: Process | Copy, grace_s: float) -> None:
    """Ask the process to finish, wait a little, then kill what is left of its group."""
    if process.returncode is None:
        process.terminate()
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), grace_s)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


def describe(code: int) -> str:
    """Return how a process ended, in words."""
    return f"with exit code {code}" if code >= 0 else f"by {signal.Signals(-code).name}"


def die_with_supervisor() -> None:
    """Have this process receive SIGTERM when its supervisor, if any, ends or is killed."""
    if parent := os.environ.get(PARENT):
        die_with(int(parent))


def die_with(parent: int, by: signal.Signals = signal.SIGTERM) -> None:
    """Have the kernel send a signal to this process when its parent dies. `parent`: the parent's process id."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, by)
        if os.getppid() != parent:  # the parent died before
            raise SystemExit(1)
