"""Lets a process of an installation use the games that were added to it."""

from collections.abc import Sequence
from functools import partial

from deploy.settings import Settings
from tournament.games import added
from tournament.games.added import UnverifiedGame
from tournament.play.packages import fetch
from tournament.store.database import Sessions


def install(settings: Settings, sessions: Sessions) -> None:
    """Let this process load added games from the database. Nothing is read until one is needed."""
    added.install(partial(fetch, sessions), partial(trusted_keys, settings))


def trusted_keys(settings: Settings) -> Sequence[str]:
    """The public keys whose signatures count on this host: the one that is set, and that of a private key that lies
    here. Raises UnverifiedGame."""
    from tournament.signing import public_key

    named, file = [settings.game_key] if settings.game_key else [], settings.game_key_file
    try:
        return [*named, public_key(file.read_text(encoding="utf-8"))] if file.exists() else named
    except ValueError as error:
        raise UnverifiedGame(f"{file} does not hold a key; restore it from a backup.") from error
