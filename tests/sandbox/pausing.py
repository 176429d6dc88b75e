"""A worker in a process of its own, and whoever pauses it: the worker, its jail, or both.

The worker prints `pause WHO JAIL` when it is about to do something, and does it. A moment later the pause begins, which
is longer than any of its wall-clock guards.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from tests.sandbox.processes import below

ROOT = Path(__file__).parents[2]
WHO = ("worker", "jail", "both")
BEFORE_S = 0.04
PAUSED_S = 0.45


def paused(script: str, whom: Sequence[str], *arguments: str) -> dict[str, list[str]]:
    """What workers that run this script print else, by who is paused. A worker gets that as its first argument."""
    with ThreadPoolExecutor(len(whom)) as pool:
        said = pool.map(lambda who: _paused(script, who, *arguments), whom)
        return dict(zip(whom, said, strict=True))


def _paused(script: str, *arguments: str) -> list[str]:
    command = [sys.executable, "-c", script, *arguments]
    said = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as worker:
        assert worker.stdout
        for line in worker.stdout:
            if line.startswith("pause "):
                _, who, jail = line.split()
                time.sleep(BEFORE_S)
                pause(_processes(who, worker.pid, jail))
            else:
                said.append(line.strip())
    assert worker.returncode == 0
    return said


def pause(pids: Sequence[int]) -> None:
    """Stop some processes for a while."""
    for number, wait_s in ((signal.SIGSTOP, PAUSED_S), (signal.SIGCONT, 0)):
        for pid in pids:
            with suppress(ProcessLookupError):  # its time had come
                os.kill(pid, number)
        time.sleep(wait_s)


def _processes(who: str, worker: int, jail: str) -> list[int]:
    if who == "worker":
        return [worker]
    jailed = [int(jail), *below(int(jail))]
    return jailed if who == "jail" else [worker, *jailed]
