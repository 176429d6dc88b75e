"""The jails in which a grading runs each program, what the grading has cost, and which runs are repeated."""

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

MOST: Final = 256 << 20  # total bytes of all objects; the least recently used is removed first
_CLEARED_EVERY: Final = MOST // 16


class ObjectStore:
    """Stores contents by key. If there is a problem with the folder, contents are treated as missing."""

    def __init__(self, folder: Path, most: int = MOST) -> None:
        self._folder, self._most = folder, most
        self._written = most  # bytes written since the folder was last trimmed; the first write trims it

    def get(self, key: str) -> bytes | None:
        """Return the content, or None if it is missing, and mark it as just used."""
        path = self._folder / key
        try:
            content = path.read_bytes()
            os.utime(path)
        except OSError:
            return None
        checksum, content = content[:32], content[32:]
        return content if sha256(content).digest() == checksum else None

    def put(self, key: str, content: bytes) -> None:
        """Store a content completely, or not at all."""
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
            with suppress(FileNotFoundError):  # another process was faster
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
    """The store of objects on this host; None if no folder can hold it."""
    # The objects are in a folder of our own in there
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
    """The jails of a grading, each opened only when it is needed. The player runs in `players`, and its author's files
    in `authors`. The jails of `programs` compile and run students' programs and authors' validators.

    `objects` stores what was compiled; with None, nothing is stored. `owner` identifies the person whose stored objects
    may be used; with "", only objects of files handed out may be used. `working` is called before each command of a
    program, with words that students may read, so that a lease can be renewed; if it raises, the grading ends. `limits`
    are the player's. Twins are derived from `secret` (see `grader.grading.grade`), which is the installation's, or else
    a fresh one.
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
    """What the questions of a submission, or one program, have cost so far, and what is known of the player."""

    limits: Limits = field(default_factory=Limits)
    used_s: float = 0.0  # waited for processes that have ended, and computed on this side
    lost_s: float = 0.0  # seconds spent in calls and loads that timed out
    answers: bool = False  # a call has ended in time
    unloadable: Fault | None = None

    @property
    def doubtful(self) -> bool:
        """Whether all that the player has done so far is to time out."""
        return self.lost_s > 0 and not self.answers

    @contextmanager
    def computing(self) -> Iterator[None]:
        """Count the time that this process spends inside the block, since some answers take long to read or compare."""
        began = thread_time()
        try:
            yield
        finally:
            self.used_s += thread_time() - began


MAX_TIMEOUTS: Final = 3
AGAIN: Final = 2.0  # what timed out is repeated once, with this multiple of its limit
NOT_RUN: Final = "{}, so the other cases were not run."
TIMEOUTS: Final = (Verdict.TLE, Verdict.WTLE)

Tried = TypeVar("Tried")


@dataclass(slots=True)
class Patience:
    """Decides what is still tried in one question. On a busy machine a call or a run can take 50% more processor time.
    So one that times out is repeated once before it counts as a failure. If twice the limit is not enough, the code
    is probably looping, and nothing more is repeated. After `MAX_TIMEOUTS` cases that time out, no case is run."""

    timeouts: int = 0  # cases
    loops: bool = False

    @property
    def ended(self) -> str:
        """Why no more cases are run; "" while they are."""
        return f"{MAX_TIMEOUTS} cases of this question ran out of time" if self.timeouts >= MAX_TIMEOUTS else ""

    def tried(
        self,
        attempt: Callable[[float], Tried],
        cpu_s: Callable[[Tried], float | None],
        limit_s: float,
        again: bool = True,
    ) -> Tried:
        """The outcome of `attempt(times)`, which may take `times` times the limit `limit_s`. `cpu_s(outcome)` is the
        CPU time that an attempt took, None if it ran out of that. `again`: a second attempt is allowed."""
        first = attempt(1.0)
        if cpu_s(first) is not None or self.loops or not again:
            return first
        second = attempt(AGAIN)
        took_s = cpu_s(second)
        self.loops = took_s is None
        return second if took_s is not None and took_s <= limit_s else first
