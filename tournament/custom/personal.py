"""What playing workers do for single students: games by hand, custom games, and comparisons of two versions."""

from tournament.custom import comparisons, games
from tournament.custom.turn import play_turn
from tournament.custom.turn import sweep as sweep_kind
from tournament.hand import turn as hand
from tournament.store.tables import CustomGame, VersionComparison
from tournament.work.services import Services


def play_next(services: Services) -> bool:
    """Go on with a game by hand, whose person is looking; or else play a custom game, or a few pairs of a comparison,
    whatever of them has waited longest; False if there was none. Raises as `tournament.custom.turn.play_turn` does."""
    return (
        hand.play_next(services)
        or play_turn(services, CustomGame, games.next_games)
        or play_turn(services, VersionComparison, comparisons.next_games)
    )


def sweep(services: Services) -> None:
    """Send messages for what is due and has perhaps lost its own."""
    hand.sweep(services)
    for kind in (CustomGame, VersionComparison):
        sweep_kind(services, kind)
