"""`quadrille web`."""

from pathlib import Path

import click
from sqlalchemy.orm import sessionmaker

from deploy.cli.common import data_option
from deploy.cli.process import begun
from deploy.processes.gate import Kind, wait_until_fitting
from deploy.processes.site import run_site
from deploy.security import require_secure
from tournament.store.database import SILENCE_S, connect


@click.command()
@data_option
def command(data: Path | None) -> None:
    """Serve the site alone; `serve` runs this for you. It waits until its database answers and is migrated."""
    settings = begun(data)
    require_secure(settings)
    wait_until_fitting(sessionmaker(connect(settings.database, SILENCE_S)), {Kind.DATABASE, Kind.SCHEMA})
    run_site(settings)
