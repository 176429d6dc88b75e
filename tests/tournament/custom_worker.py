"""A worker in a process of its own that plays what nobody counts: `python -m tests.tournament.custom_worker URL`."""

import sys
from time import sleep

from sqlalchemy.orm import sessionmaker

import grader.models  # noqa: F401
import web.models  # noqa: F401 - a tournament refers to their tables
from sandbox.choose import open_sandbox
from tournament.custom import play_next
from tournament.db import connect
from tournament.services import Services


def main(url: str) -> None:
    """Play whatever is due, for ever."""
    sessions = sessionmaker(connect(url))
    services = Services(sessions, lambda task: None, open_sandbox, lambda: open_sandbox("trusted"), "victim")
    while True:
        if not play_next(services):
            sleep(0.01)


if __name__ == "__main__":
    main(sys.argv[1])
