"""The games. Adding one touches its own folder and one line here."""

from difflib import get_close_matches
from typing import Any

from tournament.games import added, bo, go, kotc, phazed, uno
from tournament.games.api import Game
from tournament.games.names import BadOption, UnknownGame, parse_name
from tournament.games.options import with_options
from tournament.games.text import show

__all__ = ["GAMES", "BadOption", "UnknownGame", "find_game"]

GAMES: dict[str, Game[Any]] = {
    "bo": bo,
    "phazed": phazed,
    "go": go,
    "kotc": kotc,
    "uno": uno,
}


def find_game(name: str) -> Game[Any]:
    """The game of that name with its options (see `names`). Raises UnknownGame, and BadOption for its options."""
    found = GAMES.get(name)  # as most names are
    if found is not None:
        return found
    parts = parse_name(name)
    if parts.hash:
        return with_options(added.find(parts.slug, parts.hash), parts.options)
    if parts.slug in GAMES:
        return with_options(GAMES[parts.slug], parts.options)
    close = get_close_matches(parts.slug.lower(), GAMES, n=1, cutoff=0.4)
    hint = f"; did you mean {close[0]!r}? T" if close else "; t"
    raise UnknownGame(f"There is no game {show(parts.slug)}{hint}here are: {', '.join(sorted(GAMES))}.")
