"""A pause of the worker or its jail, longer than any limit, disqualifies nobody, and no game is played twice for it."""

import pytest

from tests.sandbox.pausing import paused

WORKER = """
import sys
from sandbox.api import Limits
from sandbox.choose import open_sandbox
from tests.tournament.bids import BIDS
from tournament.play.table import Contestant, play_table, player_program

who = sys.argv[1]
SLEEPY = b"import time\\ntime.sleep(.1)\\ndef bid(seat, log):\\n  time.sleep(.1)\\n  return 9"

def play(place):
    beats = 0

    def beat():
        nonlocal beats
        beats += 1
        if beats == 2 and place == "call":
            pause()

    if place == "load":
        pause()
    players = [Contestant(name, player_program(BIDS, SLEEPY), sandbox) for name in ("P0", "P1")]
    record = play_table(BIDS, 1, players, Limits(load_s=0.1, call_s=0.1), beat)
    print(place, beats, [note.message for note in record.faults])

with open_sandbox() as sandbox:
    pause = lambda: print("pause", who, sandbox.jail.holder.pid, flush=True)
    play("load")
    play("call")
"""


@pytest.mark.full
def test_a_pause_while_players_load_or_answer_changes_nothing() -> None:
    once = ["load 8 []", "call 8 []"]  # a beat for each that is loaded, and for each answer
    assert paused(WORKER, ("jail", "both")) == {"jail": once, "both": once}
