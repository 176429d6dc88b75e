"""The players of stored games, ready to be seated."""

from tournament.play.games import find_game
from tournament.play.local import house_bot, program_of
from tournament.play.table import Contestant
from tournament.store.tables import Player
from tournament.work.services import Services


def contestant(services: Services, name: str, label: str, player: Player | None, bot: str | None = None) -> Contestant:
    """A student's player or the house bot `bot`, ready to be seated in the game of that name."""
    game = find_game(name)
    if bot is not None:
        file = house_bot(game, bot)
        return Contestant(label, program_of(game, file.source, file.filename), services.trusted)
    assert player is not None  # noqa: S101 - a player that is not a house bot has a file
    return Contestant(label, program_of(game, player.source), services.sandbox)
