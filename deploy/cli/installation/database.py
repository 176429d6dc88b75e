"""Opens the installation's database for a command, if it is at this program's revision; for writing, only outside
maintenance."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.orm import Session

from deploy import packages
from deploy.cli.errors import Cannot
from deploy.settings import Settings
from deploy.storage.schema import require_current
from deploy.tables import open_sessions
from tournament.store.database import Sessions, connect, writing
from tournament.work.maintenance import maintenance


@contextmanager
def opened(settings: Settings) -> Iterator[Sessions]:
    """Sessions on the database. Raises WrongSchema."""
    engine = connect(settings.database)
    try:
        require_current(engine)
        sessions = open_sessions(engine)
        packages.install(settings, sessions)
        yield sessions
    finally:
        engine.dispose()


@contextmanager
def storing(settings: Settings) -> Iterator[Session]:
    """A transaction that commits at the end. Raises WrongSchema, and Cannot in maintenance."""
    with opened(settings) as sessions, writing(sessions) as session:
        refuse_in_maintenance(session)
        yield session


def refuse_in_maintenance(session: Session) -> None:
    """Raise Cannot if there is maintenance."""
    found = maintenance(session)
    if found:
        raise Cannot(
            f"nothing was stored: maintenance has been on since {found.since:%d %B %Y %H:%M} UTC; turn it off with"
            f" `quadrille maintenance off`. Its reason: {found.reason}"
        )
