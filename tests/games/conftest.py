"""What the tests of all games share."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import pytest

from sandbox.api import Sandbox
from sandbox.choose import open_sandbox
from tournament.games.api import Game, HouseBot
from tournament.play.record import Record
from tournament.play.table import BOT, PlayerSpec, play_files

PlayGame: TypeAlias = Callable[[Game[Any], int, Sequence[HouseBot]], Record]


@pytest.fixture(scope="session")
def trusted() -> Iterator[Sandbox]:
    """Runs house bots and reference players, which are our own."""
    with open_sandbox("trusted") as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def play_game(trusted: Sandbox) -> PlayGame:
    """`play_game(game, seed, bots)`: the record of one game between house bots, in that order."""

    def play(game: Game[Any], seed: int, bots: Sequence[HouseBot]) -> Record:
        players = [PlayerSpec(BOT + bot.name, bot.source, trusted=True) for bot in bots]
        (record,) = play_files(game, players, 1, seed, trusted, trusted)
        return record

    return play
