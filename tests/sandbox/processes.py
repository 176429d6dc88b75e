"""The processes of a jail."""

from contextlib import suppress

import psutil


def below(pid: int) -> list[int]:
    """The numbers of all descendants of a process; none if it has ended."""
    with suppress(psutil.NoSuchProcess):
        return [child.pid for child in psutil.Process(pid).children(recursive=True)]
    return []
