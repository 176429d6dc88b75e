"""What playing workers do for single students: games by hand, custom games, and comparisons of two versions.

A game by hand comes first, since its person is looking. Then comes a custom game that was asked for alone, or as the
first of a batch. The later games of batches and comparisons take turns, by chance, so that neither waits for the other.
"""

from random import SystemRandom

from sqlalchemy import select

from tournament.custom import comparisons, games
from tournament.custom.turn import play_turn
from tournament.custom.turn import sweep as sweep_kind
from tournament.hand import turn as hand
from tournament.store.tables import CustomGame, VersionComparison
from tournament.work.services import Services

FIRST_GAMES = select(CustomGame.id).where(CustomGame.number == 0).order_by(CustomGame.queued_at, CustomGame.id)
LATER_GAMES = (
    select(CustomGame.id).where(CustomGame.number > 0).order_by(CustomGame.number, CustomGame.queued_at, CustomGame.id)
)


def play_next(services: Services) -> bool:
    """Go on with a game by hand, or else play a first custom game, or else a later one of a batch or a few pairs of a
    comparison; False if there was nothing. Raises as `tournament.custom.turn.play_turn` does."""
    others = [_play_later, _play_comparison]
    SystemRandom().shuffle(others)
    return any(play(services) for play in (hand.play_next, _play_first, *others))


def _play_first(services: Services) -> bool:
    return play_turn(services, CustomGame, games.next_games, FIRST_GAMES)


def _play_later(services: Services) -> bool:
    return play_turn(services, CustomGame, games.next_games, LATER_GAMES)


def _play_comparison(services: Services) -> bool:
    return play_turn(services, VersionComparison, comparisons.next_games)


def sweep(services: Services) -> None:
    """Send messages for what is due and has perhaps lost its own."""
    hand.sweep(services)
    for kind in (CustomGame, VersionComparison):
        sweep_kind(services, kind)
