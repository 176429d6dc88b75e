"""A busy machine charges nobody: only a player's own computing and its own sleeping count."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from sandbox.api import Fault, Limits, Program, Value, call
from sandbox.backends.bubblewrap import BubblewrapSandbox

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
