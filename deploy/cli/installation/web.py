"""`quadrille web`."""

from pathlib import Path

import click
from sqlalchemy.orm import sessionmaker

from deploy.cli.common import data_option
from deploy.cli.installation.process import begun
from deploy.processes.gate import Obstacle, wait_until_usable
from deploy.processes.site import run_site
from deploy.security import require_secure
from tournament.store.database import SILENCE_S, connect


@click.command()
@data_option
def web_command(data: Path | None) -> None:
    """Run the site alone; `quadrille serve` does this for you.

    It waits until the database answers and is upgraded to this version.
    """
    settings = begun(data)
    require_secure(settings)
    wait_until_usable(sessionmaker(connect(settings.database, SILENCE_S)), {Obstacle.DATABASE, Obstacle.SCHEMA})
    run_site(settings)
