"""Where a grading runs what, and what others must know of it meanwhile."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from sandbox.api import Sandbox
from sandbox.programs import ProgramSandbox

MOST: Final = 256 << 20
"""The bytes of all objects together. What was not used for the longest time is removed first."""

_CLEARED_EVERY: Final = MOST // 16


class ObjectStore:
    """Contents by key. Whatever goes wrong with the folder counts as a content that is not there."""

    def __init__(self, folder: Path, most: int = MOST) -> None:
        self._folder, self._most = folder, most
        self._written = most  # since the folder was last cleared; it is cleared at the first write

    def get(self, key: str) -> bytes | None:
        """The content; it then counts as used just now."""
        path = self._folder / key
        try:
            content = path.read_bytes()
            os.utime(path)
        except OSError:
            return None
        checksum, content = content[:32], content[32:]
        return content if sha256(content).digest() == checksum else None

    def put(self, key: str, content: bytes) -> None:
        """Keep a content, at once or not at all."""
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
    """The objects of this host; None where no folder can hold them."""
    for parent in _parents():
        folder = Path(parent) / f"quadrille-objects-{os.geteuid()}"
        with suppress(OSError):
            folder.mkdir(mode=0o700, exist_ok=True)
            state = folder.lstat()
            if state.st_uid == os.geteuid() and state.st_mode & 0o170077 == 0o040000 and os.access(folder, os.W_OK):
                return ObjectStore(folder)
    return None


def _parents() -> Iterator[str]:
    yield os.environ.get("TMPDIR", "/var/tmp")  # noqa: S108  # the objects lie in a folder of our own in there
    yield "/tmp"  # noqa: S108
    yield os.path.expanduser("~/.cache")


def _silent(_: str) -> None:
    """Nobody waits."""


@dataclass(frozen=True, slots=True)
class ProgramJails:
    """`programs` makes the jails in which students' programs are compiled and run, and authors' validators; `authors`
    opens the sandbox for authors' Python. `objects` keeps what was compiled; None: nothing is kept. `owner`: whose
    objects may be used again; "": only those of files handed out. `working` is called before each command with what
    students may read of it, so that a lease can be renewed; what it raises ends the grading."""

    programs: ProgramSandbox
    authors: Callable[[], Sandbox]
    objects: ObjectStore | None = None
    owner: str = ""
    working: Callable[[str], None] = _silent
