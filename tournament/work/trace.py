"""The id that follows an upload to its last game: every line of the log about it carries it.

An upload is given its id when it is stored. It is kept with the submission and with its entries, and travels in the
headers of messages. Code that works on any of them says so: `with following(submission.trace): …`.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from structlog.contextvars import bound_contextvars, get_contextvars

TRACE = "trace"
"""The name in the log: a list, for a block of games has several players'."""


def new_trace() -> str:
    """An id for an upload: 12 hexadecimal digits."""
    return secrets.token_hex(6)


@contextmanager
def following(*traces: str | None, **more: Any) -> Iterator[None]:
    """Add these ids, in place of others, and the values of `more` to all lines that are logged in this context."""
    with bound_contextvars(**{TRACE: [trace for trace in traces if trace]}, **more):
        yield


def followed() -> list[str]:
    """The ids that are being followed now."""
    found: list[str] = get_contextvars().get(TRACE, [])
    return found
