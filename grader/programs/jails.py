"""The jails of a grading, the cost of the grading so far, and the rules for repeating runs."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from time import thread_time
from typing import Final, TypeVar

from sandbox.api import Fault, Limits, Sandbox, SandboxError, Verdict
from sandbox.programs import ProgramSandbox

MOST: Final = 256 << 20  # total bytes of all objects; the least recently used are removed first
_CLEARED_EVERY: Final = MOST // 16


class ObjectStore:
    """Stores contents by key, in a folder. If the folder cannot be used, contents are treated as missing."""

    def __init__(self, folder: Path, most: int = MOST) -> None:
        self._folder, self._most = folder, most
        self._written = most  # bytes written since the folder was last trimmed; the first write trims it

    def get(self, key: str) -> bytes | None:
        """Return the content with this key, or None, and mark the content as just used."""
        path = self._folder / key
        try:
            content = path.read_bytes()
            os.utime(path)
        except OSError:
            return None
        checksum, content = content[:32], content[32:]
        return content if sha256(content).digest() == checksum else None

    def put(self, key: str, content: bytes) -> None:
        """Store content under a key, either completely or not at all."""
        with suppress(OSError):
            opened, part = tempfile.mkstemp(prefix=".", dir=self._folder)
            try:
                with open(opened, "wb") as file:
                    file.write(sha256(content).digest() + content)
                os.rename(part, self._folder / key)
            except OSError:
                os.unlink(part)
                raise
            self._written += len(content)
            if self._written >= min(_CLEARED_EVERY, self._most):
                self._clear()

    def _clear(self) -> None:
        self._written = 0
        found = []
        for path in self._folder.iterdir():
            with suppress(FileNotFoundError):  # another process has removed the file
                state = path.stat()
                found.append((state.st_mtime_ns, state.st_size, path))
        size = sum(each for _, each, _ in found)
        for _, each, path in sorted(found):
            if size <= self._most:
                return
            path.unlink(missing_ok=True)
            size -= each


@cache
def kept_objects() -> ObjectStore | None:
    """Return the store of objects on this host; None if no suitable folder exists."""
    # The objects are in a subfolder of our own
    for parent in (os.environ.get("TMPDIR", "/var/tmp"), "/tmp", os.path.expanduser("~/.cache")):  # noqa: S108
        folder = Path(parent) / f"quadrille-objects-{os.geteuid()}"
        with suppress(OSError):
            folder.mkdir(mode=0o700, exist_ok=True)
            state = folder.lstat()
            if state.st_uid == os.geteuid() and state.st_mode & 0o170077 == 0o040000 and os.access(folder, os.W_OK):
                return ObjectStore(folder)
    return None


def _no_players() -> Sandbox:
    raise SandboxError("a player was graded without a sandbox for players")


def _no_authors() -> Sandbox:
    raise SandboxError("a question with a checker or a twin was graded without a sandbox for its author's files")


def _no_programs() -> ProgramSandbox:
    raise SandboxError("a question that asks for a program was graded without a sandbox for programs")


@dataclass(frozen=True, slots=True)
class Jails:
    """The jails of a grading, each opened only when needed. The student's player runs in `players`, and the question
    author's files in `authors`. The jails of `programs` compile and run students' programs and authors' validators.

    `objects` stores compiled objects; None stores nothing. `owner` identifies the person whose stored objects may be
    used; with "", only objects of handed-out files may be used. `working` is called before each command of a program,
    with a description that students may read, so that a lease can be renewed; if it raises an exception, the grading
    ends. `limits` are the limits of the player. Twins are derived from `secret` (see `grader.grading.grade`), which is
    the installation's secret, or else a new random secret.
    """

    players: Callable[[], Sandbox] = _no_players
    authors: Callable[[], Sandbox] = _no_authors
    programs: Callable[[], ProgramSandbox] = _no_programs
    owner: str = ""
    working: Callable[[str], None] = lambda what: None
    limits: Limits = field(default_factory=Limits)
    secret: str = field(default_factory=token_hex)
    objects: ObjectStore | None = None


@dataclass(slots=True)
class Spent:
    """The cost so far of a submission's questions or of one program, and the facts known about the player."""

    limits: Limits = field(default_factory=Limits)
    used_s: float = 0.0  # seconds of waiting for ended processes, and of computing outside the jail
    lost_s: float = 0.0  # seconds spent in calls and loads that timed out
    answers: bool = False  # a call has ended in time
    unloadable: Fault | None = None

    @property
    def doubtful(self) -> bool:
        """Whether the player has only timed out so far."""
        return self.lost_s > 0 and not self.answers

    @contextmanager
    def computing(self) -> Iterator[None]:
        """Add the CPU time of this thread inside the block to the cost, since some answers take long to read or
        compare."""
        began = thread_time()
        try:
            yield
        finally:
            self.used_s += thread_time() - began


MAX_TIMEOUTS: Final = 3
AGAIN: Final = 2.0  # a call or run that timed out is repeated once, with this multiple of its limit
NOT_RUN: Final = "{}, so the other cases were not run."
TIMEOUTS: Final = (Verdict.TLE, Verdict.WTLE)

Tried = TypeVar("Tried")


@dataclass(slots=True)
class Patience:
    """Decides which calls or runs of one question are repeated, and when to stop. On a busy machine a call or a run can
    take 50% more processor time. A call or run that times out is therefore repeated once before it counts as a
    failure. If twice the limit is not enough, the code is probably in an endless loop, and nothing more is repeated.
    After `MAX_TIMEOUTS` cases that time out, no more cases are run."""

    timeouts: int = 0  # cases that timed out
    loops: bool = False

    @property
    def ended(self) -> str:
        """The reason why no more cases are run, or ""."""
        return f"{MAX_TIMEOUTS} cases in this question ran out of time" if self.timeouts >= MAX_TIMEOUTS else ""

    def tried(
        self,
        attempt: Callable[[float], Tried],
        cpu_s: Callable[[Tried], float | None],
        limit_s: float,
        again: bool = True,
    ) -> Tried:
        """Return the outcome of `attempt(times)`, which may take `times` times the limit `limit_s`. `cpu_s(outcome)` is
        the CPU time that an attempt took, or None if it exceeded its limit. A second attempt is made only if `again`
        is true."""
        first = attempt(1.0)
        if cpu_s(first) is not None or self.loops or not again:
            return first
        second = attempt(AGAIN)
        took_s = cpu_s(second)
        self.loops = took_s is None
        return second if took_s is not None and took_s <= limit_s else first
