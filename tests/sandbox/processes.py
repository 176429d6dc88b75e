"""The processes of a jail."""

import psutil


def below(pid: int) -> list[int]:
    """The numbers of all descendants of a process."""
    return [child.pid for child in psutil.Process(pid).children(recursive=True)]
