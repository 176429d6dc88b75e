"""The house bots play each other, every deal in both seatings: each is stronger than the one before."""

from itertools import pairwise

import pytest

from sandbox.api import Sandbox
from tournament.games import kotc
from tournament.play.table import house_bot, play_files

pytestmark = pytest.mark.full

GAMES = {"planner": 300}
"""How many games it takes to tell a bot from the one before; 200 for the others."""


@pytest.mark.parametrize(("weaker", "stronger"), list(pairwise(bot.name for bot in kotc.bots)))
def test_each_bot_beats_the_one_before(trusted: Sandbox, weaker: str, stronger: str) -> None:
    games = GAMES.get(stronger, 200)
    players = [house_bot(kotc, weaker), house_bot(kotc, stronger)]
    records = list(play_files(kotc, players, games, 1, trusted, trusted))
    assert not any(record.faults for record in records)
    wins = sum(record.seats[record.places.index(1)] == f"bot:{stronger}" for record in records)
    assert wins > 0.52 * games
