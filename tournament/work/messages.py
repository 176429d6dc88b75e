"""What messages between processes say and carry: that there may be something to do, and the ids of the uploads that it
is about.

Every line of the log about an upload carries its id, up to its last game. It is kept with the submission and with its
entries, and travels in the headers of messages. Code that works on any of them says so: `with following(trace): …`.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from structlog.contextvars import bound_contextvars, get_contextvars

GRADE = "grader.grade"
"""The task that does what the grader has to do: also what follows from trial games that are over."""

PLAY = "tournament.play"
ANSWER = "tournament.answer"
"""The tasks that play what is due; the second only games by hand, in which somebody waits for an answer."""

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
