"""`quadrille maintenance`."""

from pathlib import Path

import click

from deploy import log
from deploy.cli.common import BadInput, data_option
from deploy.cli.database import opened
from deploy.cli.progress import resting
from deploy.settings import load
from deploy.storage.rest import wait_for_rest
from tournament.store.database import Sessions, reading, writing
from tournament.work import maintenance


@click.command()
@click.argument("state", required=False, type=click.Choice(("on", "off")))
@click.argument("reason", required=False)
@data_option
def command(state: str | None, reason: str | None, data: Path | None) -> None:
    """Turn the read-only mode on, giving everybody a REASON, or off; without either, say whether it is on.

    While it is on everything can be read and nothing is stored: whoever tries is told the reason. Workers finish what
    is at hand, which is waited for, and take nothing new. It holds on every machine until it is turned off.
    """
    log.configure()
    if state == "on" and not (reason or "").strip():
        raise BadInput('say why, since everybody is told: quadrille maintenance on "The server gets a larger disk"')
    with opened(load(data)) as sessions:
        if state == "on":
            _begin(sessions, (reason or "").strip())
        elif state == "off":
            _end(sessions)
        _tell(sessions)


def _begin(sessions: Sessions, reason: str) -> None:
    with writing(sessions) as session:
        maintenance.begin(session, reason)
    wait_for_rest(sessions, resting)


def _end(sessions: Sessions) -> None:
    with writing(sessions) as session:
        maintenance.end(session)


def _tell(sessions: Sessions) -> None:
    with reading(sessions) as session:
        found = maintenance.maintenance(session)
        held = maintenance.at_hand(session)
    if found:
        work = f"workers still hold {held} jobs" if held else "no worker is at work"
        click.echo(f"Maintenance is on since {found.since:%d %B %Y %H:%M} UTC, and {work}: {found.reason}")
    else:
        click.echo("Maintenance is off.")
