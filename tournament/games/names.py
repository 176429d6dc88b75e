"""The one name of a game with its options: `slug[@hash][?option=value&…]`, as in `phazed?hand_size=8`.

It is what the database, records and finals store, and what commands take. In its canonical form the options are sorted
and the usual values are left out (see `options.with_options`), so that a game without chosen options is its slug.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from tournament.games.text import show


class UnknownGame(LookupError):
    """No game has that name; the message says what is wrong with it and what there is."""


class BadOption(UnknownGame):
    """The game has no such option, or the option no such value; the message says what is allowed."""


@dataclass(frozen=True, slots=True)
class GameName:
    """The parts of a name. `options` are texts, by the option's name."""

    slug: str
    hash: str = ""
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def package(self) -> str:
        """The name without the options, `slug[@hash]`: what the game's files depend on."""
        return f"{self.slug}@{self.hash}" if self.hash else self.slug

    def __str__(self) -> str:
        chosen = "&".join(f"{quote(name, '')}={quote(value, '')}" for name, value in sorted(self.options.items()))
        return f"{self.package}?{chosen}" if chosen else self.package


def parse_name(text: str) -> GameName:
    """The parts of a game's name; whether there is such a game is not checked. Raises BadOption if its options cannot
    be read."""
    package, _, chosen = text.partition("?")
    slug, _, digits = package.partition("@")
    options: dict[str, str] = {}
    for part in chosen.split("&") if chosen else ():
        name, equals, value = part.partition("=")
        if not equals:
            raise BadOption(f"{show(part)} does not choose an option: write its name and its value, as hand_size=8.")
        if unquote(name) in options:
            raise BadOption(f"The option {show(unquote(name))} is chosen twice: choose one value.")
        options[unquote(name)] = unquote(value)
    return GameName(slug, digits, options)
