"""`quadrille maintenance`."""

from pathlib import Path

import click

from deploy import log
from deploy.cli.common import data_option
from deploy.cli.errors import BadInput
from deploy.cli.installation.database import opened
from deploy.cli.progress import resting
from deploy.settings import load
from deploy.storage.rest import wait_for_rest
from tournament.store.database import reading, writing
from tournament.work import maintenance


@click.command()
@click.argument("state", required=False, type=click.Choice(("on", "off")))
@click.argument("reason", required=False)
@data_option
def command(state: str | None, reason: str | None, data: Path | None) -> None:
    """Turn the read-only mode on, with a REASON that everyone sees, or off. Without either, show whether it is on.

    While it is on, the site can be read but nothing is stored. Workers finish their current jobs, which this command
    waits for, and take no new ones. It applies to every machine until you turn it off.
    """
    log.configure()
    if state == "on" and not (reason or "").strip():
        raise BadInput('give a reason, which everyone sees: quadrille maintenance on "The server gets a larger disk"')
    with opened(load(data)) as sessions:
        if state == "on":
            with writing(sessions) as session:
                maintenance.begin(session, (reason or "").strip())
            wait_for_rest(sessions, resting)
        elif state == "off":
            with writing(sessions) as session:
                maintenance.end(session)
        with reading(sessions) as session:
            found = maintenance.maintenance(session)
            held = maintenance.at_hand(session)
    if found:
        work = f"workers still hold {held} jobs" if held else "no worker has a job"
        click.echo(f"Maintenance has been on since {found.since:%d %B %Y %H:%M} UTC, and {work}: {found.reason}")
    else:
        click.echo("Maintenance is off.")
