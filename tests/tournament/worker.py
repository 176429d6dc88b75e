"""A worker in a process of its own, to be killed: `python -m tests.tournament.worker DATABASE_URL`."""

import sys

from sqlalchemy.orm import sessionmaker

import grader.models  # noqa: F401
import web.models  # noqa: F401 - a block's tournament refers to their tables
from sandbox.choose import open_sandbox
from tournament.blocks import play_next
from tournament.db import connect
from tournament.services import Services


def main(url: str) -> None:
    """Play whatever is due, for ever."""
    sessions = sessionmaker(connect(url))
    services = Services(sessions, lambda task: None, open_sandbox, lambda: open_sandbox("trusted"), "victim")
    while True:
        play_next(services)


if __name__ == "__main__":
    main(sys.argv[1])
