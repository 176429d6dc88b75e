"""Records of games to show: a golden game, whole or ended by a fault with everything that a fault can tell."""

import json
from dataclasses import replace

from sandbox.api import Verdict
from tournament.play.games import find_game
from tournament.play.record import FaultNote, Output, Record
from tournament.play.referee import conclude
from tournament.play.replay import reapply

SECRET = "<script>alert('secret')</script>"
PLAYS, ON_TURN = 12, 3


def whole() -> Record:
    """A game that somebody won."""
    golden = (find_game("bo").folder / "golden" / "mixed.json").read_text()
    return replace(Record.from_json(json.loads(golden)), seats=["one", "two", "three", "four"])


def disqualified(seat: int, verdict: Verdict = Verdict.RTE) -> Record:
    """The same game, ended after PLAYS plays by a fault of that seat."""
    game, full = find_game("bo"), whole()
    note = FaultNote(
        seat,
        verdict,
        rule="not-held" if verdict is Verdict.ILLEGAL else "",
        message=f"message {SECRET}",
        play_index=PLAYS,
        call=f"call {SECRET}",
        got=f"got {SECRET}",
        traceback=f'traceback {SECRET}\n  File "player.py", line 3, in comp10001bo_play',
        line=3,
    )
    cut = replace(full, plays=full.plays[:PLAYS], times_ms=[0.25] * PLAYS, faults=[note])
    state = list(reapply(game, cut))[-1][1]
    result = conclude(game, state, [note])
    return replace(
        cut,
        ended=result.ended,
        places=list(result.places),
        points=list(result.points),
        outputs=[Output(f"output of seat {number} {SECRET}") for number in range(4)],
    )
