"""The database of an installation: the tables of all packages, and the games that were added to the installation."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from sqlalchemy import MetaData, make_url
from sqlalchemy.orm import sessionmaker

import grader.assignment.failed_cases
import grader.marks.comments
import grader.marks.requests
import grader.marks.tables
import grader.store.models
import tournament.store.tables
import web.lti.tables
import web.privacy.tables
import web.second_factor.tables
import web.sign_on.tables
import web.site.models
from deploy.settings import Settings, data_folder, read
from tournament.play import games as added
from tournament.play.games import SignedPackage, UnverifiedGame
from tournament.play.packages import fetch, latest
from tournament.store.database import Base, Sessions, connected, reading

METADATA: Final[MetaData] = Base.metadata
"""The tables of all packages: each module that is imported above adds its own."""


def install_added_games(settings: Settings, sessions: Sessions) -> None:
    """Let this process load added games from the database. Nothing is read until a game is needed."""
    added.install(partial(fetch, sessions), partial(trusted_keys, settings))


def install_added_games_here() -> None:
    """Let a command that otherwise needs no installation load the added games of the default data folder."""
    added.install(_fetch_here, lambda: trusted_keys(read(data_folder())))


def added_games_here() -> Mapping[str, str]:
    """Return the full name of the latest version of each game that was added to the default data folder, by the game's
    slug."""
    with _sessions_here() as sessions:
        if sessions is None:
            return {}
        with reading(sessions) as session:
            return latest(session)


def _fetch_here(hash_: str) -> SignedPackage | None:
    with _sessions_here() as sessions:
        return fetch(sessions, hash_) if sessions else None


@contextmanager
def _sessions_here() -> Iterator[Sessions | None]:
    """Yield the sessions of the default data folder's database, or None if there is no database yet."""
    url = make_url(read(data_folder()).database)
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").exists():
        yield None
        return
    with connected(url.render_as_string(hide_password=False)) as engine:
        yield sessionmaker(engine)


def trusted_keys(settings: Settings) -> Sequence[str]:
    """Return the public keys whose signatures this host trusts: the key in the settings, and that of a private key
    stored on the host. Raises UnverifiedGame."""
    from tournament.games.signing import public_key

    named, file = [settings.game_key] if settings.game_key else [], settings.game_key_file
    try:
        return [*named, public_key(file.read_text(encoding="utf-8"))] if file.exists() else named
    except ValueError as error:
        raise UnverifiedGame(f"{file} does not hold a key; restore it from a backup.") from error
