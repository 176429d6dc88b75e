"""What gives way to what on the processors of this machine."""

import os
from contextlib import suppress
from pathlib import Path
from time import sleep
from typing import Final

_AGAIN_S: Final = 0.1


def give_way(pid: int, niceness: int) -> None:
    """Give the session of processes that this one leads a smaller share of the processors than others.

    Where Linux gives each session an equal share (sched(7), "The autogroup feature"), the niceness of a process has no
    effect on other sessions: the shares have a niceness of their own, which an ordinary user may set ten times a
    second."""
    os.setpriority(os.PRIO_PGRP, pid, max(niceness, os.getpriority(os.PRIO_PROCESS, 0)))
    with suppress(OSError):  # a Linux without such shares, or a read-only /proc: then niceness must do
        share = Path(f"/proc/{pid}/autogroup")
        while True:
            try:
                share.write_text(str(niceness))
                return
            except BlockingIOError:
                sleep(_AGAIN_S)
