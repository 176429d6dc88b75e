"""What playing workers do for single students: custom games, and comparisons of two versions."""

from tournament.custom import comparisons, games
from tournament.custom.turn import play_turn
from tournament.custom.turn import sweep as sweep_kind
from tournament.store.tables import CustomGame, VersionComparison
from tournament.work.services import Services


def play_next(services: Services) -> bool:
    """Play the custom game that has waited longest, or else a few pairs of a comparison; False if there was neither.
    Raises as `tournament.custom.turn.play_turn` does."""
    return play_turn(services, CustomGame, games.next_games) or play_turn(
        services, VersionComparison, comparisons.next_games
    )


def sweep(services: Services) -> None:
    """Send messages for what is due and has perhaps lost its own."""
    for kind in (CustomGame, VersionComparison):
        sweep_kind(services, kind)
