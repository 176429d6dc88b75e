"""Games of a department's own, found by the hash of their files."""

from typing import Any

from tournament.games.api import Game
from tournament.games.names import UnknownGame


def find(slug: str, hash: str) -> Game[Any]:
    """The game of that slug whose files have that hash, with `slug@hash` as its name. Raises UnknownGame."""
    raise UnknownGame(f"There is no game {slug!r} with the hash {hash}.")
