"""Which of our processes run before which, where they share processors.

Niceness alone does not tell: many a Linux gives each session of processes (each of `serve`'s programs is one, with all
that it starts) an equal share of the processors, and looks at niceness only inside of it. The sessions' shares have a
niceness of their own, see sched(7), "The autogroup feature".
"""

import os
from contextlib import suppress
from pathlib import Path

PLAYING_NICENESS = 10
"""Of processes that play: grading and the site are waited for, games are not. What they have to do gets a ninth of the
weight of the others, so that no game that was begun stands still."""

_SHARE = Path("/proc/self/autogroup")


def give_way() -> None:
    """Let processes that somebody waits for run before this one, and before all that it starts from now on."""
    own = os.getpriority(os.PRIO_PROCESS, 0)
    os.setpriority(os.PRIO_PROCESS, 0, max(own, PLAYING_NICENESS))
    if os.getsid(0) == os.getpid():  # else it is the session of somebody's terminal
        with suppress(OSError):  # a Linux without such shares, or a container's read-only /proc
            _SHARE.write_text(str(PLAYING_NICENESS))
