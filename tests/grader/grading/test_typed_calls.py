"""Calls of a report as the author of a class can type them."""

import pytest

from grader.grading.messages import typed_call
from tournament.play.games import find_game

BOT = b"import kotc\n\nclass Base(kotc.KOTCBot):\n    pass\n\nclass Mine (Other, kotc.KOTCBot):\n    pass\nclass X:\n"
CALLS = [
    ("kotc", BOT, "kotc_turn(['6H'], '6C', [], [5])", "kotc.turn(Mine, ['6H'], '6C', [], [5])"),
    ("kotc", BOT, "kotc_play(['6H'], '6C')", "kotc.turn(Mine, ['6H'], '6C')"),
    ("kotc", b"\xff", "kotc_turn(['6H'], '6C')", "kotc.turn(KOTCBot, ['6H'], '6C')"),
    ("kotc", BOT, "somewhere else", "somewhere else"),
    ("bo", BOT, "comp10001bo_match_build('2C', [])", "comp10001bo_match_build('2C', [])"),
]


@pytest.mark.parametrize(("game", "source", "call", "typed"), CALLS)
def test_a_call_can_be_typed(game: str, source: bytes, call: str, typed: str) -> None:
    assert typed_call(call, find_game(game).guest.typed, source) == typed
