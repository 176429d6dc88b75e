"""`quadrille web`."""

from pathlib import Path

import click

from deploy import log
from deploy.cli.common import data_option
from deploy.settings import load
from deploy.site import run_site
from deploy.supervisor import die_with_supervisor


@click.command()
@data_option
def command(data: Path | None) -> None:
    """Serve the site alone; `serve` runs this for you."""
    die_with_supervisor()
    settings = load(data)
    log.configure(settings.log, settings.log_format)
    run_site(settings)
