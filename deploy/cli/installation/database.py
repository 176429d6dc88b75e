"""Opens the database for a command if it has this program's revision, and for writing only outside maintenance. Also
`quadrille maintenance`."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from sqlalchemy.orm import Session, sessionmaker

from deploy import log
from deploy.cli.common import data_option, resting
from deploy.cli.errors import BadInput, Cannot
from deploy.database import install_added_games
from deploy.settings import Settings, load
from deploy.storage.schema import require_current
from tournament.store.database import Sessions, connected, reading, writing
from tournament.work import maintenance
from web.site.text import count


@contextmanager
def opened(settings: Settings) -> Iterator[Sessions]:
    """Yield sessions on the database. Raises WrongSchema."""
    with connected(settings.database) as engine:
        require_current(engine)
        sessions = sessionmaker(engine)
        install_added_games(settings, sessions)
        yield sessions


@contextmanager
def looked_at(settings: Settings) -> Iterator[Session]:
    """Yield a session that reads one snapshot. Raises WrongSchema."""
    with opened(settings) as sessions, reading(sessions) as session:
        yield session


@contextmanager
def storing(settings: Settings) -> Iterator[Session]:
    """Yield a session whose transaction commits at the end. Raises WrongSchema, and Cannot in maintenance."""
    with opened(settings) as sessions, writing(sessions) as session:
        refuse_in_maintenance(session)
        yield session


def refuse_in_maintenance(session: Session) -> None:
    """Raise Cannot during maintenance."""
    found = maintenance.maintenance(session)
    if found:
        raise Cannot(
            f"nothing was stored: maintenance has been on since {found.since:%d %B %Y %H:%M} UTC; turn it off with"
            f" `quadrille maintenance off`. Its reason: {found.reason}"
        )


@click.command()
@click.argument("state", required=False, type=click.Choice(("on", "off")))
@click.argument("reason", required=False)
@data_option
def maintenance_command(state: str | None, reason: str | None, data: Path | None) -> None:
    """Turn the read-only mode on, with a REASON that everyone sees, or off. Without an argument, show its state.

    While the mode is on, the site can be read but nothing is stored. Workers finish their current jobs and take no new
    ones; this command waits until they have finished. The mode applies to every machine until you turn it off.
    """
    log.configure()
    if state == "on" and not (reason or "").strip():
        raise BadInput('give a reason, which everyone sees: quadrille maintenance on "The server gets a larger disk"')
    with opened(load(data)) as sessions:
        if state == "on":
            with writing(sessions) as session:
                maintenance.begin(session, (reason or "").strip())
            maintenance.wait_for_rest(sessions, resting)
        elif state == "off":
            with writing(sessions) as session:
                maintenance.end(session)
        with reading(sessions) as session:
            found = maintenance.maintenance(session)
            held = maintenance.at_hand(session)
    if found:
        work = f"workers still hold {count(held, 'job')}" if held else "no worker has a job"
        click.echo(f"Maintenance has been on since {found.since:%d %B %Y %H:%M} UTC, and {work}: {found.reason}")
    else:
        click.echo("Maintenance is off.")
