"""The interface through which everything else compiles and runs untrusted programs.

A `ProgramSandbox` belongs to one worker process. `open` returns a `ProgramJail` for the commands of one submission.
Each `run` in this jail begins with a fresh scratch folder, of which only the returned files survive. How a command
ended is returned as data and never raised, because the sandbox does not decide whose mistake that is. An internal error
is raised as a SandboxError.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, Self


class Stop(StrEnum):
    """The reasons why a command ended."""

    EXITED = "exited"
    SIGNALLED = "signalled"  # by a signal that nobody sent from outside: a crash
    CPU = "cpu"  # out of CPU time
    WALL = "wall"  # out of wall-clock time while hardly using the CPU
    MEMORY = "memory"
    OUTPUT = "output"  # more standard output than is kept
    BLOCKED = "blocked"  # killed at a forbidden system call
    PROCESSES = "processes"  # more processes and threads at once than the command may have


@dataclass(frozen=True, slots=True)
class ProgramLimits:
    """The resources that a command may use. Times are in seconds, sizes in bytes."""

    cpu_s: float = 2.0
    wall_s: float = 6.0
    memory: int = 256 << 20
    output: int = 1 << 20  # standard output; printing more ends the command
    errors: int = 64 << 10  # standard error that is kept; the rest is dropped
    scratch: int = 64 << 20  # all files in the scratch folder together
    files: int = 2000  # files and folders in the scratch folder
    processes: int = 1  # processes and threads at the same time


@dataclass(frozen=True, slots=True)
class Command:
    """A program with its arguments, files and tools.

    `argv[0]` is `./name` for a file of the scratch folder, or the name of a tool. `files` are the initial files, by
    relative path, of the scratch folder, which is the working directory. Files in `executable` may be run. `kept` lists
    the files that are read back at the end, if they exist. `tools` are the toolchains that the command sees, read-only.
    A command that `compiles` may start processes and programs; a run may not. With `paced`, each line of input is sent
    only when the program waits for it, which makes a transcript possible.
    """

    argv: tuple[str, ...]
    files: Mapping[str, bytes]
    executable: frozenset[str] = frozenset()
    stdin: bytes = b""
    kept: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    compiles: bool = False
    paced: bool = False
    limits: ProgramLimits = field(default_factory=ProgramLimits)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended. `code` is the exit code or the signal's number. `memory` is the most memory that was
    resident at once, in bytes (at least some 9 MiB, which the start of a command takes). `cpu_s` counts all its
    processes. `starved`: the command tried to read beyond the end of its input. `waited`: the command was waiting for
    input when its time ran out. `transcript` has what was printed ("out") and what was read ("in") in order, if the
    command was `paced`."""

    stop: Stop
    code: int
    stdout: bytes
    stderr: bytes
    kept: Mapping[str, bytes]
    cpu_s: float
    wall_s: float
    memory: int
    starved: bool = False
    waited: bool = False
    transcript: tuple[tuple[str, bytes], ...] = ()


class ProgramJail(Protocol):
    """Where the commands of one submission run, one at a time."""

    def run(self, command: Command) -> Ended:
        """Run one command within its limits. Raises SandboxError if the jail failed."""

    def close(self) -> None:
        """End every process in the jail, and release everything. May be called twice."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class ProgramSandbox(Protocol):
    """Opens jails for programs on this worker."""

    name: str

    def missing(self, tool: str) -> str:
        """Return why this toolchain cannot be used here and how to change that, or "" if it can be used."""

    def version(self, tool: str) -> str:
        """Return the version that the tool reports. Programs compiled with another version must be compiled again."""

    def open(self) -> ProgramJail:
        """Open a jail for one submission. Raises SandboxError."""

    def close(self) -> None:
        """End every jail that is still open. May be called twice."""
