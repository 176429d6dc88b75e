"""Which processes run before which."""

import subprocess
import sys
from pathlib import Path

import pytest

from deploy.priority import PLAYING_NICENESS

PROGRAM = """
import os, pathlib
from deploy.priority import give_way
give_way()
share = pathlib.Path("/proc/self/autogroup")
print(os.getpriority(os.PRIO_PROCESS, 0), share.read_text().split()[-1] if share.exists() else "none")
"""
CHILD = "import os\nif os.fork():\n    os.wait()\nelse:" + PROGRAM.replace("\n", "\n    ")
SHARES = Path("/proc/self/autogroup").exists()


@pytest.mark.parametrize(("leads", "share"), [(True, PLAYING_NICENESS), (False, 0)])
def test_who_gives_way_gives_way_with_its_session_if_it_has_one(leads: bool, share: int) -> None:
    program = [sys.executable, "-c", PROGRAM if leads else CHILD]
    said = subprocess.run(program, capture_output=True, text=True, check=True, start_new_session=True).stdout.split()
    assert int(said[0]) >= PLAYING_NICENESS
    assert said[1] == (str(share) if SHARES else "none")


def test_it_takes_nothing_back() -> None:
    program = "import os; os.nice(15)" + PROGRAM
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert int(said[0]) == 15
