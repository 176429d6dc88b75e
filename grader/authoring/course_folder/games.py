"""Which game `game = "hearts"` means in an assignment of a course folder."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from tournament.games.options import parse_name
from tournament.play.games import UnknownGame


@dataclass(frozen=True, slots=True)
class PackagedGames:
    """The games that are not built in: `names` are their whole names (`hearts@0123456789abcdef`) by slug, and `unfit`
    others that cannot be used, each with a sentence about why, and about what to do."""

    names: Mapping[str, str] = field(default_factory=dict)
    unfit: Mapping[str, str] = field(default_factory=dict)

    def full(self, name: str) -> str:
        """The whole name of the game that is written so. Raises UnknownGame for one that cannot be used."""
        if name in self.unfit:
            raise UnknownGame(self.unfit[name])
        return self.names.get(name, name)

    def short(self, name: str) -> str:
        """How a game is written: without its hash if `full` adds it again."""
        slug = parse_name(name).slug
        return slug if self.names.get(slug) == name else name


NO_GAMES: Final = PackagedGames()
"""Only those that are built in."""
