"""A busy machine charges nobody: only a player's own computing and its own sleeping count."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from threading import Timer

import psutil
import pytest

from sandbox.api import Fault, Limits, Program, Value, call
from sandbox.backends.bubblewrap import BubblewrapSandbox
from tests.sandbox.processes import below

# Half the CPU limit in each call, and hardly any patience.
LIMITS = Limits(load_s=1.0, call_s=0.2, game_s=10.0, wall_factor=1.2)
WORKS = b"import time\ndef f():\n  t = time.process_time()\n  while time.process_time() - t < .1: pass\n  return 1"


@pytest.fixture
def busy_machine() -> Iterator[None]:
    burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(6)]
    yield
    for burner in burners:
        burner.kill()
        burner.wait()


@pytest.mark.usefixtures("busy_machine")
def test_nobody_is_out_of_time_because_others_compute() -> None:
    with BubblewrapSandbox() as sandbox:
        session = sandbox.open(Program(WORKS, {"f": (0,)}), LIMITS, 1)
        assert not isinstance(session, Fault), session
        for _ in range(4):
            reply = call(session, "f", ())
            assert isinstance(reply, Value), reply
            assert 0.09 < reply.cpu_s < 0.2
        session.close()


BURN = """
import os, sys, time
player, core = map(int, sys.argv[1:])
os.sched_setaffinity(0, {core})
os.sched_setaffinity(player, {core})
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
end = time.monotonic() + 0.7
while time.monotonic() < end: pass
"""


def starve(jail: int) -> None:
    """Let the jailed process that computes wait 0.7 seconds for a processor."""
    with suppress(StopIteration, psutil.NoSuchProcess):  # it has finished
        player = next(pid for pid in below(jail) if psutil.Process(pid).status() == psutil.STATUS_RUNNING)
        subprocess.run([sys.executable, "-S", "-c", BURN, str(player), str(max(os.sched_getaffinity(0)))], check=False)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can put a process first in line")
def test_a_long_stay_in_the_queue_is_not_charged_although_the_kernel_counts_it_only_when_it_ends() -> None:
    limits = Limits(load_s=1.0, call_s=0.3, game_s=10.0, wall_factor=1.1)
    computes = WORKS.replace(b".1", b".25")
    with BubblewrapSandbox() as sandbox:
        session = sandbox.open(Program(computes, {"f": (0,)}), limits, 1)
        assert not isinstance(session, Fault), session
        timer = Timer(0.15, starve, [sandbox.jail.holder.pid])  # type: ignore[attr-defined]
        timer.start()
        reply = call(session, "f", ())
        timer.join()
        session.close()
    assert isinstance(reply, Value), reply
