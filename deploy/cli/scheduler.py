"""`quadrille scheduler`."""

from pathlib import Path

import click

from deploy import log
from deploy.cli.common import data_option
from deploy.scheduler import run_scheduler
from deploy.settings import load
from deploy.supervisor import die_with_supervisor


@click.command()
@data_option
def command(data: Path | None) -> None:
    """Send what is due periodically; `serve` runs this for you. Of several, one works and the others stand by."""
    die_with_supervisor()
    settings = load(data)
    log.configure(settings.log, settings.log_format)
    run_scheduler(settings)
