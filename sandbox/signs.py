"""Signs of life. A working process gives a sign whenever it begins something new or has waited for a moment. A working
process that gives no signs hangs.

Signs go down a pipe to the process that watches this one (`deploy.processes.watch`). A thread could not watch: while a
regular expression runs, no other thread of its process does.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import get_ident, main_thread
from time import monotonic
from typing import Final

PATIENCE_S: Final = 60.0
"""A working process that has given no sign for this long counts as hanging. No wait lasts that long without a sign: an
unanswered database query ends after half of this time."""

EVERY_S: Final = 0.5
WORKS, RESTS = b"w", b"r"
_COUNTED: Final = {main_thread().ident}


class _Teller:
    """What this process reports to the process that watches it, if any."""

    pipe: int | None = None
    given: float | None = None  # when the last sign was given; None while the process rests

    def tell(self, sign: bytes) -> None:
        if self.pipe is not None:
            with suppress(BlockingIOError):  # the watch is behind, and has enough signs to read
                os.write(self.pipe, sign)


_TELLER: Final = _Teller()


def tell_by(pipe: int) -> None:
    """Give signs through this pipe from now on."""
    os.set_blocking(pipe, False)
    _TELLER.pipe = pipe


def are_watched() -> bool:
    """Whether the parent of this process watches it."""
    return _TELLER.pipe is not None


def give() -> None:
    """Give a sign. Only signs of threads that work count: of the main thread, and of those that called `join_in`."""
    if _TELLER.given is not None and get_ident() in _COUNTED:
        at = monotonic()
        if at - _TELLER.given >= EVERY_S:
            _TELLER.given = at
            _TELLER.tell(WORKS)


def join_in() -> None:
    """Let the signs of this thread count from now on, until the process ends."""
    _COUNTED.add(get_ident())


@contextmanager
def working() -> Iterator[None]:
    """Mark this process as working within the context. Outside it, the process rests and need not give signs."""
    _TELLER.given = monotonic()
    _TELLER.tell(WORKS)
    try:
        yield
    finally:
        _TELLER.given = None
        _TELLER.tell(RESTS)


def hangs() -> bool | None:
    """Whether this process has worked for too long without a sign; None while it rests."""
    given = _TELLER.given
    return None if given is None else monotonic() - given > PATIENCE_S
