"""A worker in a process of its own, to be killed: `python -m tests.tournament.worker DATABASE_URL WHAT` of PLAYING."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from sqlalchemy.orm import sessionmaker

import deploy.database
from grader.submissions.work import grade_next
from sandbox.choose import open_sandbox
from tests.services import PATIENCE_S
from tournament import blocks, tasks
from tournament.store.database import connect
from tournament.work.services import Services

PLAYING: dict[str, Callable[[Services], bool]] = {
    "blocks": blocks.play_due_block,
    "custom": tasks.play_personal,
    "grading": grade_next,
}


@contextmanager
def victim(url: str, what: str = "blocks") -> Iterator["subprocess.Popen[bytes]"]:
    """A worker that plays whatever of this kind is due, and is killed in the end."""
    command = [sys.executable, "-m", __name__, url, what]
    with subprocess.Popen(command, cwd=Path(__file__).parents[2]) as process:
        try:
            yield process
        finally:
            process.kill()


def until(condition: Callable[[], Any], process: "subprocess.Popen[bytes]", patience_s: float = PATIENCE_S) -> None:
    """Wait for the condition while the process lives."""
    end = monotonic() + patience_s
    while not condition():
        assert process.poll() is None, "the worker ended by itself"
        assert monotonic() < end, "the worker does nothing"
        sleep(0.03)


def main(url: str, what: str) -> None:
    """Play whatever is due, for ever."""
    assert deploy.database.METADATA.tables, "whatever is due may be in any of the tables"
    sessions = sessionmaker(connect(url))
    services = Services(sessions, lambda task: None, open_sandbox, lambda: open_sandbox("trusted"), "victim")
    while True:
        if not PLAYING[what](services):
            sleep(0.01)


if __name__ == "__main__":
    main(*sys.argv[1:])
