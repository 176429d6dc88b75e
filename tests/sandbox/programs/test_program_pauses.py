"""No pause is charged to a program, whoever was paused."""

import pytest

from tests.sandbox.pausing import WHO, paused

WORKER = """
import sys
from sandbox.programs import Command, ProgramLimits
from sandbox.choose import open_program_sandbox

SOURCE = b"import time\\ntime.sleep(.1)\\nprint('fine')"
who, backend = sys.argv[1:]
with open_program_sandbox(backend) as sandbox, sandbox.open() as jail:
    print("pause", who, jail.process, flush=True)
    limits = ProgramLimits(cpu_s=5.0, wall_s=0.3)
    ended = jail.run(Command(("python3", "main.py"), {"main.py": SOURCE}, tools=("python3",), limits=limits))
    print(ended.stop, ended.stdout.decode().strip(), flush=True)
"""


@pytest.mark.full
def test_a_pause_longer_than_the_limits_is_not_charged() -> None:
    assert paused(WORKER, WHO, "bubblewrap") == {who: ["exited fine"] for who in WHO}
