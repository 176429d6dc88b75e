"""The rehearsal in the fork server, before the first fork."""

import subprocess
import sys

SLOW = """
from sandbox.inside import guest, player
player.SHORT_S = -1.0
player.set_stage()
guest.rehearse()
"""


def test_a_machine_that_is_too_busy_for_several_answers_at_once_starts_a_jail() -> None:
    subprocess.run([sys.executable, "-c", SLOW], check=True, timeout=60)
