"""Properties of this machine: memory, processors and time zone. Also the protected contents of a data folder: secrets
that are created once, and the lock that lets only one `quadrille serve` run there."""

import fcntl
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from zoneinfo import ZoneInfoNotFoundError

MEMORY = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
"""This machine's memory in bytes."""

PROCESSORS = os.cpu_count() or 1
LOCK = "serve.lock"  # in the data folder


def time_zone() -> str:
    """Return the name of this machine's time zone, or UTC if the name is unknown, as in most containers."""
    import tzlocal  # only a few commands need it

    from grader.definition.local_times import DEFAULT_ZONE, zones

    try:
        name = tzlocal.get_localzone_name()
    except (ZoneInfoNotFoundError, ValueError):  # TZ and /etc/timezone name no zone, or different ones
        return DEFAULT_ZONE
    return name if name in zones() and name not in ("Etc/UTC", "Etc/UCT") else DEFAULT_ZONE


class Unable(Exception):
    """Quadrille cannot run with these settings on this machine; the message says why and what to do."""


class AlreadyRunning(Exception):
    """Another process already serves from this data folder; the message says which."""


def private_text(path: Path, make: Callable[[], str]) -> str:
    """Return the text of a file that only its owner may read. If the file does not exist, it is created from `make()`,
    completely or not at all, and only once even if several processes call this at the same time."""
    if not path.exists():
        with tempfile.NamedTemporaryFile("w", dir=path.parent, encoding="utf-8") as file:  # with mode 0600
            file.write(make())
            file.flush()
            os.fsync(file.fileno())
            with suppress(FileExistsError):  # another process was first, and its text counts
                os.link(file.name, path)
    return path.read_text(encoding="utf-8")


def refusal(folder: Path) -> OSError | None:
    """Return the reason why no file can be created in the folder, or None if it is possible."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return None
    except OSError as error:
        return error


@contextmanager
def locked(path: Path) -> Iterator[Callable[[str], None]]:
    """Hold the lock on the file `path`, at most until the process ends. Yields a function that writes a note into the
    file. Raises AlreadyRunning, with the holder's note, if another process has the lock."""
    with path.open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise AlreadyRunning(file.read().strip()) from None

        def note(text: str) -> None:
            file.truncate(0)
            file.write(text)
            file.flush()

        note("")
        yield note
        note("")
