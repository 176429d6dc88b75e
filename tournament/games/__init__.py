"""The games. Adding one touches its own folder and one line here."""

from typing import Any

from tournament.games import bo, go, kotc, phazed, uno
from tournament.games.api import Game

GAMES: dict[str, Game[Any]] = {
    "bo": bo,
    "phazed": phazed,
    "go": go,
    "kotc": kotc,
    "uno": uno,
}


class UnknownGame(LookupError):
    """No game has that slug; the message lists the games."""


def find_game(slug: str) -> Game[Any]:
    """The game with that slug; raises UnknownGame."""
    try:
        return GAMES[slug]
    except KeyError:
        raise UnknownGame(f"There is no game {slug!r}; there are: {', '.join(sorted(GAMES))}.") from None
