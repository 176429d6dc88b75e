"""Tournaments, the games in them, and games that never count."""

from web.api.tournament import (  # noqa: F401 - each adds its operations
    brackets,
    comparisons,
    custom_batches,
    custom_games,
    entries,
    ladders,
    replays,
    tournaments,
)
