"""The built-in games. Adding one touches its own folder and one line here; a game of a department's own is added to an
installation instead (see `tournament.games.added`)."""

from typing import Any

from tournament.games import added, bo, go, kotc, phazed, uno
from tournament.games.api import Game, UnknownGame

GAMES: dict[str, Game[Any]] = {
    "bo": bo,
    "phazed": phazed,
    "go": go,
    "kotc": kotc,
    "uno": uno,
}

__all__ = ["GAMES", "UnknownGame", "find_game"]


def find_game(slug: str) -> Game[Any]:
    """The built-in game with that slug, or the added game `slug@hash`; raises UnknownGame."""
    name, _, hash_ = slug.partition("@")
    if hash_:
        return added.find(name, hash_)
    try:
        return GAMES[slug]
    except KeyError:
        raise UnknownGame(f"There is no game {slug!r}; there are: {', '.join(sorted(GAMES))}.") from None
