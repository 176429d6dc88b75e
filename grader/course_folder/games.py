"""Which game `game = "hearts"` means in an assignment of a course folder: a built-in one, that in the folder's own
`games/hearts`, or one that was added to the installation. No code of a game is run here."""

import shlex
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from tournament.games import GAMES, UnknownGame
from tournament.games.packing import HASH_DIGITS, Files, digest_of, pack

GAMES_FOLDER: Final = "games"


@dataclass(frozen=True, slots=True)
class Games:
    """The games that a course folder can name. `own` are those in its folder `games`, packed, by slug. `added` are the
    names (`slug@hash`) of those that were added to the installation; None without one. `place` is the course folder as
    a command names it. `unfit` are the slugs of own games that have errors."""

    own: Mapping[str, bytes] = field(default_factory=dict)
    added: Collection[str] | None = None
    place: str = ""
    unfit: Collection[str] = ()

    def full(self, name: str) -> str:
        """The whole name of the game that is written `name`, which is returned if it is no short one. Raises
        UnknownGame, with a sentence that says what to do."""
        if name in GAMES:
            return name
        if name in self.unfit:
            raise UnknownGame(f"The game in {GAMES_FOLDER}/{name} has errors; correct them first.")
        versions = [each for each in self.added or () if each.partition("@")[0] == name]
        if name in self.own:
            return self._own(name, versions)
        if len(versions) > 1:
            raise UnknownGame(
                f"Several versions of the game {name} were added here. Write which one: "
                + " or ".join(f'game = "{each}"' for each in versions)
            )
        return versions[0] if versions else name

    def short(self, name: str) -> str:
        """How a game is written: without its hash where `full` finds it."""
        slug = name.partition("@")[0]
        try:
            return slug if self.full(slug) == name else name
        except UnknownGame:
            return name

    def _own(self, slug: str, versions: Collection[str]) -> str:
        name = name_of(slug, self.own[slug])
        if self.added is None or name in self.added:
            return name
        folder = f"{GAMES_FOLDER}/{slug}"
        command = f"quadrille game add {shlex.quote(f'{self.place}/{folder}' if self.place else folder)}"
        if not versions:
            raise UnknownGame(f"The game in {folder} was not added to this installation. The operator runs: {command}")
        raise UnknownGame(
            f"The game in {folder} differs from {' and '.join(versions)}, which was added to this installation. To use"
            f" the one in the folder, the operator runs: {command} To keep the added one, write its whole name here."
        )


NO_GAMES: Final = Games()
"""None but the built-in ones."""


def own_games(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The games in a course folder's files, packed as `quadrille game add` does, by the names of their folders."""
    found: dict[str, dict[str, bytes]] = {}
    for path, content in files.items():
        top, slug, inside = (*path.split("/", 2), "", "")[:3]
        if top == GAMES_FOLDER and inside:
            found.setdefault(slug, {})[inside] = content
    return {slug: pack(inside) for slug, inside in sorted(found.items()) if "__init__.py" in inside}


def files_of(slug: str, content: Files) -> dict[str, bytes]:
    """A game's files as those of a course folder that has it."""
    return {f"{GAMES_FOLDER}/{slug}/{path}": each for path, each in content.items()}


def name_of(slug: str, archive: bytes) -> str:
    """The name `slug@hash` that a packed game gets when it is added."""
    return f"{slug}@{digest_of(archive)[:HASH_DIGITS]}"
