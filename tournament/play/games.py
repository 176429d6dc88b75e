"""Finds games: the built-in ones, each with one line here, and those that were added to an installation. Added games
are packages, stored under the hash of their content and signed by the operator; nothing else is ever imported. In
every process, `deploy` sets where packages come from and which keys are trusted."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from difflib import get_close_matches
from threading import RLock
from typing import Any, NamedTuple, TypeAlias, cast

from sandbox import patterns
from tournament.games import bo, go, kotc, phazed, uno
from tournament.games.api import Game
from tournament.games.loading import HASH_DIGITS, digest_of, load_game, unpack_game
from tournament.games.options import BadOption, UnknownGame, parse_name, with_options
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
    """Return the game of that name with its options (see `tournament.games.options.parse_name`). Raises UnknownGame,
    and BadOption for its options."""
    found = GAMES.get(name)  # most names are of built-in games
    if found is not None:
        return found
    parts = parse_name(name)
    if parts.hash:
        return with_options(find_added(parts.slug, parts.hash), parts.options)
    if parts.slug in GAMES:
        return with_options(GAMES[parts.slug], parts.options)
    close = get_close_matches(parts.slug.lower(), GAMES, n=1, cutoff=0.4)
    available = f"did you mean {close[0]!r}? Available" if close else "available"
    raise UnknownGame(f"There is no game {show(parts.slug)}; {available}: {', '.join(sorted(GAMES))}.")


SET_KEY = "set QUADRILLE_GAME_KEY to what `quadrille game key` prints on the host where the game was added"
_HASH = patterns.compile(rf"[0-9a-f]{{{HASH_DIGITS}}}")


class UnverifiedGame(UnknownGame):
    """A package whose content or signature is wrong; the message says what the operator can do."""


@dataclass(frozen=True, slots=True)
class SignedPackage:
    """A package as it is stored. `signature` is the signature of its SHA-256."""

    archive: bytes
    signature: str


Fetch: TypeAlias = Callable[[str], SignedPackage | None]
"""Fetches the stored package with a hash; None if there is none."""

Keys: TypeAlias = Callable[[], Collection[str]]
"""Returns the public keys that this host trusts."""


class Doubt(NamedTuple):
    """Why a package is not used, and what the operator can do."""

    why: str
    fix: str


class _Loaded:
    """The packages that this process has loaded, and the functions from which it gets others. Each process has one
    instance."""

    def __init__(self) -> None:
        self.games: dict[str, Game[Any]] = {}
        self.fetch: Fetch = lambda hash_: None
        self.keys: Keys = tuple
        self.lock = RLock()


_loaded = _Loaded()


def install(fetch: Fetch, keys: Keys) -> None:
    """Set the functions that return packages and trusted keys in this process. Neither is called until a game is
    needed."""
    with _loaded.lock:
        _loaded.games, _loaded.fetch, _loaded.keys = {}, fetch, keys


def find_added(slug: str, hash_: str) -> Game[Any]:
    """Return the added game with this slug and hash, with `slug@hash` as its name; each process fetches it only once.
    Raises UnknownGame, UnverifiedGame and any error of `fetch`."""
    game = _loaded.games.get(hash_)
    if game is None:
        with _loaded.lock:
            game = _loaded.games.get(hash_) or _load_added(slug, hash_)
            _loaded.games[hash_] = game
    if game.slug != slug:
        raise UnknownGame(f"There is no game {slug}@{hash_}: the package of that hash is the game {game.slug}.")
    return game


def _load_added(slug: str, hash_: str) -> Game[Any]:
    stored = _loaded.fetch(hash_) if _HASH.fullmatch(hash_) else None
    if stored is None:
        raise UnknownGame(
            f"No game package {slug}@{hash_} is stored here; `quadrille game list` lists those that are. Add it again "
            f"from the folder that it was made from."
        )
    if doubt := distrust(hash_, stored, _loaded.keys()):
        raise UnverifiedGame(f"The game package {slug}@{hash_} is not used: {doubt.why}; {doubt.fix}.")
    game = cast("Game[Any]", load_game(unpack_game(stored.archive), f"quadrille_game_{hash_}", f"<{slug}@{hash_}>"))
    game.name = f"{game.slug}@{hash_}"
    return game


def distrust(hash_: str, stored: SignedPackage, keys: Collection[str]) -> Doubt | None:
    """Return the reason why this host does not use a package; None if it uses the package."""
    from tournament.games.signing import PACKAGE, signed_by  # imported only in installations that have added games

    digest = digest_of(stored.archive)
    if not digest.startswith(hash_):
        return Doubt("its content has changed since it was added", "restore a backup, or add the game again")
    if not keys:
        return Doubt("this host has no key to check its signature with", SET_KEY)
    if not any(signed_by(key, bytes.fromhex(digest), stored.signature, PACKAGE) for key in keys):
        return Doubt("it was not signed with a key that this host trusts", f"if the operator did add it, {SET_KEY}")
    return None
